/** A merchant from the registration to a payment, as people do it: through the reverse proxy, with mail, documents and a reviewer. */
import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { SMTPServer } from 'smtp-server'
import { eicar } from '../../clamd.ts'
import { files, presign, send, submitKyc } from '../../onboarding.ts'
import type { Operator } from '../operator.ts'
import type { Step } from '../steps.ts'

/** Takes every mail that the service sends. */
async function startMailServer({ facts }: Operator): Promise<void> {
  facts.mails = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => void pieces.push(piece))
      stream.on('end', () => {
        for (const { address } of session.envelope.rcptTo) {
          facts.mails.push({ to: address, text: Buffer.concat(pieces).toString() })
        }
        done()
      })
    },
  })
  await new Promise<void>((resolve) => void server.listen(2525, '127.0.0.1', resolve))
}

const person = {
  full_name: 'Neema Joseph',
  email: 'neema@example.com',
  phone_number: '+255754000001',
  password: 'siri ya duka la Neema 2026',
  student_id: 'S-1',
  institution: 'UDSM',
}

/** The six digits that were mailed to an address. */
const mailedCode = ({ facts, until }: Operator, address: string): Promise<string> =>
  until('the code has been mailed', async () => {
    const mail = facts.mails.findLast(({ to }) => to === address)
    return mail && /\b\d{6}\b/.exec(mail.text.slice(mail.text.indexOf('\r\n\r\n')))?.[0]
  })

export async function signInAsOperator({ call, facts }: Operator): Promise<string> {
  const { email, password, secret } = facts.operator
  const asked = await call('POST', '/v1/auth/login', { body: { identifier: email, password } })
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const { challenge_token } = asked.body.data
  const answer = await call('POST', '/v1/auth/2fa/verify', { body: { challenge_token, code } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data.access_token
}

/** A request that has to succeed: the data of its answer. */
export async function ask({ call }: Operator, ...[method, path, options]: Parameters<Operator['call']>): Promise<any> {
  const { status, body } = await call(method, path, options)
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`)
  return body.data
}

export const paymentSteps: Step[] = [
  {
    title: 'a merchant registers and verifies the e-mail address',
    async run(operator) {
      await startMailServer(operator)
      const { access_token: token, user } = await ask(operator, 'POST', '/v1/auth/register', { body: person })
      const code = await mailedCode(operator, person.email)
      await ask(operator, 'POST', '/v1/auth/email/verify', { token, body: { code } })
      operator.facts.shop = { ...person, token, userId: user.id, key: '', slug: '' }
    },
  },
  {
    title: 'ClamAV refuses a test virus, and the other documents are submitted',
    async run({ call, facts }) {
      const infected = { ...files.jpeg(), bytes: Buffer.concat([files.jpeg().bytes, Buffer.from(eicar)]) }
      const address = await presign({ call }, facts.shop, '/v1/kyc', 'national_id', infected)
      const refused = await send(address, infected.bytes)
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'document_infected'])
      const { status, body } = await submitKyc({ call }, facts.shop)
      assert.deepEqual([status, body.data?.status], [200, 'pending'], JSON.stringify(body))
    },
  },
  {
    title: 'the operator opens the documents and verifies the merchant',
    async run(operator) {
      const token = await signInAsOperator(operator)
      const { userId } = operator.facts.shop
      for (const purpose of ['national_id', 'student_id_card', 'selfie']) {
        const { view_url } = await ask(operator, 'POST', `/v1/admin/kyc/${userId}/documents/${purpose}/view`, { token })
        const picture = await fetch(view_url, { headers: { authorization: `Bearer ${token}` } })
        assert.match(picture.headers.get('content-type') ?? '', /^image\//)
        await picture.arrayBuffer()
      }
      await ask(operator, 'POST', `/v1/admin/kyc/${userId}/verify`, { token, body: { status: 'verified', version: 1 } })
    },
  },
  {
    title: 'a payment in the test environment, and a live key',
    async run(operator) {
      const { call, facts, machine, until } = operator
      const { token } = facts.shop
      const keyOf = async (environment: string): Promise<string> => {
        const { id } = await ask(operator, 'POST', '/developers/apps', { token, body: { name: 'Duka', environment } })
        const scopes = ['pages:write', 'transactions:read', 'balance:read']
        return (await ask(operator, 'POST', '/developers/keys', { token, body: { app_id: id, key_name: 'till', scopes } })).key
      }
      const key = await keyOf('test')
      const page = { type: 'payment', title: 'Chai', amount: 2500 }
      const { slug } = await ask(operator, 'POST', '/v1/payment-pages', { key, body: page })
      Object.assign(facts.shop, { key, slug })
      const checkout = await fetch(`https://pay.malipo.example/pay/${slug}`)
      assert.match(await checkout.text(), /Chai/)
      const body = {
        slug,
        phone_number: '0754123789',
        customer_name: 'Juma',
        customer_email: 'juma@example.com',
        idempotency_key: 'the-first-payment',
      }
      const { reference } = await ask(operator, 'POST', '/v1/payments/checkout', { body })
      await until(
        'the payment is completed',
        async () => (await ask(operator, 'GET', `/v1/payments/${reference}/status?wait=5`)).status === 'completed',
      )
      const metrics = (await call('GET', 'http://127.0.0.1:9464/metrics')).body as string
      assert.match(metrics, /^malipo_payment_moves_total\{.*status="completed",source="webhook"\} 1$/m)
      assert.match(await machine.run('malipo-ops verify'), /Everything that must be true of the money is true/)
      await keyOf('live')
    },
  },
]
