/** What the service writes into its log while it works: one JSON line a request, and nobody's name, number, address or secret. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { files, presign, registerBusiness, send, submitKyc } from './onboarding.ts'
import { eventually, freePorts, startWorld } from './world.ts'

test('the log of a whole run holds no personal datum and no secret [W27]', async (t) => {
  const lines: string[] = []
  const world = await startWorld(t, { worker: true, logLevel: 'debug', logTo: (line) => lines.push(line) })
  const student = await world.student()
  const { key, appId } = await world.key(student)
  const [nobodysPort] = await freePorts(1)
  // A receiver that is not there, so that failures are logged too.
  const webhook = await world.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: `http://127.0.0.1:${nobodysPort}/secret-path` },
  })
  await world.call('GET', `/developers/apps/${appId}/webhook`, { token: student.token })
  const page = await world.page(student)
  const checkout = await world.checkout(page.slug)
  await world.settled(checkout.body.data.reference)
  await world.checkout(page.slug, { phone_number: '0754123049' })
  await world.call('POST', '/v1/auth/login', { body: { identifier: student.email, password: 'not-the-password' } })
  await world.call('POST', '/v1/auth/refresh', { body: { refresh_token: student.refreshToken } })
  await world.call('GET', '/v1/balance', { key: `${key}x` })
  await world.call('GET', '/v1/me', { token: `${student.token}x` })
  await world.call('GET', `/v1/payments/${checkout.body.data.reference}/status?phone=0754123789`)
  await world.call('POST', '/v1/payments/checkout', {
    rawBody: '{"customer_name":"Juma Hamisi"',
    headers: { 'content-type': 'application/json' },
  })
  await world.call('POST', '/v1/providers/snippe/test/webhook', {
    rawBody: '{"customer":"Juma Hamisi"}',
    headers: { 'x-webhook-signature': 'a'.repeat(64), 'x-webhook-timestamp': '1' },
  })
  // A person who shows who they are, to an operator with a second factor; a file that is refused, and one whose host is away.
  const applicant = await world.student({ verified: false })
  const admin = await world.admin()
  assert.equal((await submitKyc(world, applicant)).status, 200)
  await world.call('GET', `/v1/admin/kyc/${applicant.userId}`, { token: admin.token })
  const reason = 'Picha ya kitambulisho haisomeki'
  const rejected = await world.call('POST', `/v1/admin/kyc/${applicant.userId}/verify`, {
    token: admin.token,
    body: { status: 'rejected', reason },
  })
  assert.equal(rejected.status, 200)
  const refusedFile = await presign(world, applicant, '/v1/kyc', 'selfie', files.pdf())
  assert.equal((await send(refusedFile, Buffer.from('Juma Hamisi'))).status, 400)
  const business = await registerBusiness(world, applicant)
  await world.call('POST', '/v1/auth/password/forgot', { body: { email: applicant.email } })
  await world.call('POST', '/v1/auth/password/reset', { body: { token: 'f'.repeat(64), password: 'another-password-1' } })
  const enrolled = await world.call('POST', '/v1/auth/2fa/enroll', { token: applicant.token })
  await world.call('POST', '/v1/auth/2fa/confirm', { token: applicant.token, body: { code: '000000' } })
  await eventually('the mails are sent', async () => {
    const { rows } = await world.owner.pool.query(`select 1 from mails where state = 'due'`)
    return rows.length === 0
  })
  await world.call('GET', '/v1/pay/x%0a%7b%22level%22%3a%22error%22%7d')
  await world.close()

  const log = lines.join('')
  const secrets = {
    'the student’s e-mail': student.email,
    'the student’s phone': student.phoneNumber.slice(4),
    'the student’s password': student.password,
    'a wrong password': 'not-the-password',
    'the payer’s name': 'Juma',
    'the payer’s e-mail': 'juma@example.com',
    'the payer’s phone': '754123789',
    'another payer’s phone': '754123049',
    'the API key': key.slice(9),
    'the access token': student.token.split('.')[2]!,
    'the refresh token': student.refreshToken.slice(4),
    'the webhook secret': webhook.body.data.secret.slice(6),
    'the checkout token': checkout.body.data.checkout_token.slice(3),
    'the provider’s key': world.settings['SNIPPE_TEST_API_KEY']!,
    'the provider’s webhook secret': world.settings['SNIPPE_TEST_WEBHOOK_SECRETS']!,
    'the server’s secret': world.settings['SERVER_SECRET']!,
    'the applicant’s e-mail': applicant.email,
    'the national identity number': '2003051712345',
    'the date of birth': '2003-05-17',
    'the reason of a decision': reason,
    'the business’s name': business.legal_name,
    'the business’s phone': business.phone.slice(4),
    'the signature of an upload address': new URL(refusedFile.upload_url).searchParams.get('signature')!,
    'the second factor’s secret': enrolled.body.data.secret,
    'the operator’s password': admin.password,
    'a recovery code': admin.recoveryCodes[0]!,
    'the operator’s e-mail': admin.email,
    'a code for a password reset': 'ffffffffffffffff',
  }
  for (const [what, secret] of Object.entries(secrets)) assert.ok(!log.includes(secret), `${what} is in the log`)

  for (const line of lines) {
    const entry = JSON.parse(line)
    assert.ok(entry.level && entry.time && entry.message, line)
    assert.ok(!line.trimEnd().includes('\n'), 'one line an entry')
  }
  const requests = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request')
  const ofCheckout = requests.find(({ route }) => route === 'POST /v1/payments/checkout')
  assert.equal(ofCheckout.status, 201)
  assert.equal(ofCheckout.request_id, checkout.headers.get('x-request-id'))
  assert.ok(requests.every(({ route }) => !route.includes(page.slug) && !route.includes('pay_')))
})
