/**
 * The log of the service: one JSON line for each request, and no one's name, number, address or secret. The test runs through all
 * features and searches the log and the refusals for everything that was sent to the service and for every secret that it returned.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { decideBusiness, files, presign, registerBusiness, send, submitBusiness, submitKyc, uploadFour } from './onboarding.ts'
import { codeNow, eventually, freePorts, startTestApp, type Answer, type CallOptions, type TestApp } from './app.ts'

/** All values that must not be in a log, with a description. */
type Known = Map<string, string>

type LoggedApp = { app: TestApp; known: Known; lines: string[]; refusals: string[] }

/** A service that keeps its log and each of its refusals. */
async function startLoggedApp(t: TestContext): Promise<LoggedApp> {
  const [lines, refusals]: [string[], string[]] = [[], []]
  const settings = { PAYOUT_APPROVAL_ABOVE: '20000' }
  const app = await startTestApp(t, { worker: true, logLevel: 'debug', logTo: (line) => lines.push(line), settings })
  const call = async (method: string, path: string, options?: CallOptions): Promise<Answer> => {
    const answer = await app.call(method, path, options)
    if (answer.status >= 400) refusals.push(JSON.stringify(answer.body))
    return answer
  }
  return { app: { ...app, call }, known: new Map(), lines, refusals }
}

/** A webhook receiver that keeps the headers. */
async function startReceiver(t: TestContext): Promise<{ url: string; headers: NodeJS.Dict<string | string[]>[] }> {
  const headers: NodeJS.Dict<string | string[]>[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers)
    request.resume()
    request.on('end', () => response.end('Asante kwa taarifa'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/njia-ya-siri`, headers }
}

/** The texts of all sent mails, once none is waiting. */
async function readMails(app: TestApp): Promise<string> {
  await eventually('the mails are sent', async () => {
    const { rows } = await app.owner.pool.query(`select 1 from mails where state = 'due'`)
    return rows.length === 0
  })
  const { folder } = app.config.mail
  return (await Promise.all((await readdir(folder)).map((file) => readFile(`${folder}/${file}`, 'utf8')))).join('\n')
}

async function payAndBePaid({ app, known }: LoggedApp, t: TestContext): Promise<{ checkout: Answer; slug: string }> {
  const student = await app.student()
  const { key, appId } = await app.key(student)
  const receiver = await startReceiver(t)
  const [nobodysPort] = await freePorts(1)
  // A receiver that does not exist, so that failures are logged too; then one that exists.
  const webhook = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: `http://127.0.0.1:${nobodysPort}/siri-ya-kwanza` },
  })
  await app.call('GET', `/developers/apps/${appId}/webhook`, { token: student.token })
  const page = await app.page(student, { title: 'Ada ya Kwanza', description: 'Kwa Neema Komba', amount: 90_000 })
  await app.checkout(page.slug, { phone_number: '0754123049' })
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url: receiver.url } })
  const rotated = await app.call('POST', `/developers/apps/${appId}/webhook/rotate`, { token: student.token })
  const checkout = await app.checkout(page.slug)
  const { reference, checkout_token } = checkout.body.data
  await app.settled(reference)
  await eventually('the webhook came', () => receiver.headers.length > 0)
  const deliveries = `/developers/apps/${appId}/webhook/deliveries`
  const delivery = await eventually('the delivery is recorded', async () => {
    const { body } = await app.call('GET', deliveries, { token: student.token })
    return body.data.find(({ outcome }: { outcome: string }) => outcome === 'succeeded')
  })
  await app.call('GET', `${deliveries}/${delivery.id}`, { token: student.token })
  await app.call('POST', `${deliveries}/${delivery.id}/resend`, { token: student.token })
  await app.call('POST', `/v1/payments/${reference}/cancel`, { body: { checkout_token } })
  await app.call('POST', `/v1/payments/${reference}/resend`, { body: { checkout_token: `${checkout_token}x` } })
  await app.call('GET', `/v1/payments/${reference}/status?phone=0754123789`)
  await app.call('GET', '/v1/balance', { key: `${key}x` })
  // The hosted checkout, with the input of a payer.
  const form = await fetch(`${app.config.urls.checkout}/pay/${page.slug}?utm_source=gazeti-la-asubuhi`)
  const idempotencyKey = /name="idempotency_key"\s+value="([^"]*)"/.exec(await form.text())![1]!
  const typed = {
    idempotency_key: idempotencyKey,
    lang: 'sw',
    phone_number: '0754 456 789',
    customer_name: 'Mariamu Mfinanga',
    customer_email: 'mariamu@example.com',
  }
  const address = `${app.config.urls.checkout}/pay/${page.slug}`
  const headers = { origin: app.config.urls.checkout, 'content-type': 'application/x-www-form-urlencoded' }
  const sent = await fetch(address, { method: 'POST', headers, body: new URLSearchParams(typed), redirect: 'manual' })
  assert.equal(sent.status, 303)
  const token = /checkout_token=(ct_[\w-]+)/.exec(sent.headers.getSetCookie().join(' '))![1]!
  await fetch(new URL(sent.headers.get('location')!, address), { headers: { cookie: `checkout_token=${token}` } })
  // Payouts: paid at once, refused, and approved by an operator.
  const payOut = (fields: Record<string, unknown>, idempotency: string) =>
    app.call('POST', '/v1/payouts', {
      key,
      headers: { 'idempotency-key': idempotency },
      body: {
        amount: 6000,
        phone_number: '+255754777888',
        recipient_name: 'Zawadi Lyimo',
        narration: 'Kodi ya nyumba',
        ...fields,
      },
    })
  assert.equal((await payOut({}, 'malipo-ya-januari')).status, 201)
  assert.equal((await payOut({ phone_number: '+255754777089', reference: 'ankara-ya-siri' }, 'mara-ya-pili')).status, 201)
  assert.equal((await payOut({ amount: 6001 }, 'malipo-ya-januari')).status, 422)
  const large = await payOut({ amount: 30_000 }, 'kubwa')
  const admin = await app.admin()
  await app.call('POST', `/v1/admin/payouts/${large.body.data.id}/approve`, {
    token: admin.token,
    body: { note: 'Amepigiwa simu na Baraka' },
  })
  for (const q of ['0754123789', 'Mariamu']) await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q } })
  await app.call('GET', '/v1/merchant/payments?environment=test&q=Mariamu', { token: student.token })
  const suspended = { token: admin.token, body: { reason: 'Ulaghai wa tikiti' } }
  await app.call('POST', `/v1/admin/merchants/${student.userId}/suspend`, suspended)
  const rolled = await app.key(student)
  const successor = await app.call('POST', `/developers/keys/${rolled.keyId}/roll`, { token: student.token })

  const signature = String(receiver.headers[0]!['x-service-signature'])
  const pairs: [string, string][] = [
    ['the student’s e-mail', student.email],
    ['the student’s phone', student.phoneNumber.slice(4)],
    ['the student’s password', student.password],
    ['the access token', student.token.split('.')[2]!],
    ['the refresh token', student.refreshToken.slice(4)],
    ['the payer’s name', 'Juma'],
    ['the payer’s e-mail', 'juma@example.com'],
    ['the payer’s phone', '754123789'],
    ['another payer’s phone', '754123049'],
    ['the phone in a form', '754456789'],
    ['the phone in a form, as it was typed', '0754 456'],
    ['the name in a form', 'Mariamu'],
    ['the e-mail in a form', 'mariamu@example.com'],
    ['the campaign of a payer', 'gazeti-la-asubuhi'],
    ['the description of a page', 'Neema Komba'],
    ['the API key', key.slice(9)],
    ['a key that took another one’s place', successor.body.data.key.slice(9)],
    ['the webhook secret', webhook.body.data.secret.slice(6)],
    ['the new webhook secret', rotated.body.data.secret.slice(6)],
    ['the path of a webhook', 'njia-ya-siri'],
    ['the path of another webhook', 'siri-ya-kwanza'],
    ['the signature of a webhook', signature],
    ['what a receiver answered', 'Asante kwa taarifa'],
    ['the checkout token', checkout_token.slice(3)],
    ['the checkout token of a form', token.slice(3)],
    ['the key of a form', idempotencyKey],
    ['the recipient of a payout', 'Zawadi'],
    ['the recipient’s phone', '754777888'],
    ['the phone of a payout that failed', '754777089'],
    ['the narration of a payout', 'Kodi ya nyumba'],
    ['the merchant’s reference of a payout', 'ankara-ya-siri'],
    ['the idempotency key of a payout', 'malipo-ya-januari'],
    ['an operator’s note', 'Amepigiwa'],
    ['the reason of a suspension', 'Ulaghai'],
    ['the operator’s e-mail', admin.email],
    ['the operator’s password', admin.password],
    ['the operator’s recovery code', admin.recoveryCodes[0]!],
  ]
  for (const [what, value] of pairs) known.set(what, value)
  return { checkout, slug: page.slug }
}

async function showWhoOneIs({ app, known }: LoggedApp): Promise<void> {
  // A person who proves their identity, to an operator with a second factor; a file that is refused.
  const applicant = await app.student({ verified: false })
  const admin = await app.admin()
  assert.equal((await submitKyc(app, applicant)).status, 200)
  await app.call('GET', `/v1/admin/kyc/${applicant.userId}`, { token: admin.token })
  const view = await app.call('POST', `/v1/admin/kyc/${applicant.userId}/documents/national_id/view`, { token: admin.token })
  const opened = await fetch(view.body.data.view_url, { headers: { authorization: `Bearer ${admin.token}` } })
  assert.equal(opened.status, 200)
  assert.equal((await fetch(view.body.data.view_url)).status, 401)
  const decide = (body: unknown) => app.call('POST', `/v1/admin/kyc/${applicant.userId}/verify`, { token: admin.token, body })
  assert.equal((await decide({ status: 'rejected', reason: 'Picha ya kitambulisho haisomeki' })).status, 200)
  const refusedFile = await presign(app, applicant, '/v1/kyc', 'selfie', files.pdf())
  assert.equal((await send(refusedFile, Buffer.from('Juma Hamisi'))).status, 400)
  await app.call('POST', '/v1/kyc/documents/presign', {
    token: applicant.token,
    body: { filename: 'kitambulisho-cha-Halima.exe', content_type: 'image/png', purpose: 'selfie' },
  })
  await app.call('POST', '/v1/kyc', { token: applicant.token, body: { national_id_number: '19991231-54321-00009-98' } })
  assert.equal((await submitKyc(app, applicant)).status, 200)
  assert.equal((await decide({ status: 'verified' })).status, 200)
  const business = await registerBusiness(app, applicant)
  const submitted = await submitBusiness(app, applicant, business.id, await uploadFour(app, applicant, business.id))
  assert.equal(submitted.status, 200)
  const decided = await decideBusiness(app, admin, business.id, { status: 'rejected', reason: 'Leseni imekwisha muda' })
  assert.equal(decided.status, 200)
  const signatureIn = (url: string) => new URL(url).searchParams.get('signature')!
  const pairs: [string, string][] = [
    ['the applicant’s e-mail', applicant.email],
    ['the national identity number', '2003051712345'],
    ['the national identity number as it was written', '20030517-12345'],
    ['a national identity number that was refused', '54321-00009'],
    ['the date of birth', '2003-05-17'],
    ['the reason of a decision', 'haisomeki'],
    ['the reason of a decision on a business', 'Leseni imekwisha'],
    ['the name of a file', 'Halima'],
    ['the signature of an upload address', signatureIn(refusedFile.upload_url)],
    ['the signature of a view address', signatureIn(view.body.data.view_url)],
    ['the business’s name', business.legal_name],
    ['the business’s phone', business.phone.slice(4)],
    ['the business’s tax number', business.tax_identification_number],
    ['the business’s address', 'Bagamoyo'],
  ]
  for (const [what, value] of pairs) known.set(what, value)
}

async function signInInEveryWay({ app, known }: LoggedApp): Promise<void> {
  const student = await app.student()
  const say = (path: string, body: unknown, options: CallOptions = {}) =>
    app.call('POST', `/v1/auth/${path}`, { body, ...options })
  const { token } = student
  await say('login', { identifier: student.email, password: 'si-neno-lenyewe' })
  await say('login', { identifier: '0754 123 555', password: student.password })
  await say('register', { full_name: 'Rehema Shirima', email: 'rehema@', phone_number: '0754 987', password: 'fupi' })
  await app.call('GET', '/v1/me', { token: `${token}x` })
  await app.call('PATCH', '/v1/me', { token, body: { full_name: 'Jina Jipya la Siri' } })
  // A second factor, its codes, and a session in a cookie.
  const enrolled = await say('2fa/enroll', {}, { token })
  const { secret } = enrolled.body.data
  const wrongCode = String((Number(codeNow(secret)) + 123_457) % 1_000_000).padStart(6, '0')
  await say('2fa/confirm', { code: wrongCode }, { token })
  const rightCode = codeNow(secret)
  const confirmed = await say('2fa/confirm', { code: rightCode }, { token })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  const codes: string[] = confirmed.body.data.recovery_codes
  const asked = await say('login', { identifier: student.email, password: student.password })
  const challenge: string = asked.body.data.challenge_token
  const cookie = { headers: { origin: app.config.urls.api, 'x-session-cookie': 'merchant' } }
  const signedIn = await say('2fa/verify', { challenge_token: challenge, code: codes[0] }, cookie)
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
  const kept = /=(mrt_[\w-]+)/.exec(signedIn.headers.get('set-cookie')!)![1]!
  const refreshed = await app.call('POST', '/v1/auth/refresh', {
    headers: { ...cookie.headers, cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! },
  })
  assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
  await say('step-up', { code: codes[1] }, { token: refreshed.body.data.access_token })
  await say('2fa/disable', { code: codes[2] }, { token: refreshed.body.data.access_token })
  await say('refresh', { refresh_token: student.refreshToken })
  await say('refresh', { refresh_token: student.refreshToken.slice(0, -1) })
  // Codes that arrive by mail.
  await say('password/forgot', { email: student.email })
  await app.deps.backgroundDone()
  const mails = await readMails(app)
  const mailed = [
    ...new Set(
      mails
        .replaceAll('=\r\n', '')
        .replaceAll('=\n', '')
        .match(/^\d{6}$/gm) ?? [],
    ),
  ]
  assert.ok(mailed.length > 0, 'a code was mailed')
  for (const code of mailed) {
    await say('password/reset', { email: student.email, code, password: 'neno-jipya-la-siri' })
    await say('email/verify', { code }, { token: student.token })
  }
  await say('password/reset', { email: student.email, code: '000000', password: 'neno-jingine-la-siri' })
  const pairs: [string, string][] = [
    ['a person’s e-mail', student.email],
    ['a person’s password', student.password],
    ['a wrong password', 'si-neno-lenyewe'],
    ['a phone that was tried', '754 123 555'],
    ['the same phone', '754123555'],
    ['the name in a refused registration', 'Shirima'],
    ['the e-mail in a refused registration', 'rehema@'],
    ['the phone in a refused registration', '0754 987'],
    ['the password in a refused registration', 'fupi'],
    ['a new name', 'Jina Jipya'],
    ['the second factor’s secret', secret],
    ['a wrong code', wrongCode],
    ['a right code', rightCode],
    ['a challenge', challenge],
    ['a refresh token in a cookie', kept.slice(4)],
    ['an access token', refreshed.body.data.access_token.split('.')[2]],
    ['a refresh token', student.refreshToken.slice(4, -1)],
    ['a made-up code', 'f'.repeat(40)],
    ['a new password', 'neno-jipya'],
    ['another new password', 'neno-jingine'],
    ...codes.slice(0, 3).map((code, place): [string, string] => [`recovery code ${place}`, code]),
    ...mailed.map((code, place): [string, string] => [`mailed code ${place}`, code]),
  ]
  for (const [what, value] of pairs) known.set(what, value)
}

async function sendNonsense({ app, known }: LoggedApp): Promise<void> {
  await app.call('POST', '/v1/payments/checkout', {
    rawBody: '{"customer_name":"Salome Mrema"',
    headers: { 'content-type': 'application/json' },
  })
  await app.call('POST', '/v1/providers/snippe/test/webhook', {
    rawBody: '{"customer":"Salome Mrema"}',
    headers: { 'x-webhook-signature': 'a'.repeat(64), 'x-webhook-timestamp': '1' },
  })
  await app.call('POST', '/v1/providers/clickpesa/live/webhook', {
    rawBody: JSON.stringify({ event: 'PAYMENT RECEIVED', data: { customerPhone: '255754222333' }, checksum: 'b'.repeat(64) }),
    headers: { 'content-type': 'application/json' },
  })
  await app.call('GET', '/v1/pay/x%0a%7b%22level%22%3a%22error%22%7d')
  await app.call('GET', '/v1/pay/Salome-Mrema')
  await app.call('GET', '/Salome-Mrema?phone=255754222333')
  known.set('a name in nonsense', 'Salome').set('a phone in nonsense', '754222333').set('a forged signature', 'a'.repeat(40))
}

test('the log of a whole run holds no personal datum and no secret, and neither does a refusal [W27]', async (t) => {
  const logged = await startLoggedApp(t)
  const { app, known, lines, refusals } = logged
  const { checkout, slug } = await payAndBePaid(logged, t)
  await showWhoOneIs(logged)
  await signInInEveryWay(logged)
  await sendNonsense(logged)
  await readMails(app)
  await app.close()

  // Configured secrets: keys and passwords of every kind.
  const secretSettings = /SECRET|_KEYS?$|PEPPERS|CHECKSUM|CLIENT_ID/
  for (const [name, value] of Object.entries(app.settings)) {
    if (secretSettings.test(name)) known.set(`the setting ${name}`, value.replace(/^test:/, ''))
  }
  assert.ok(known.size > 80, `${known.size} things are looked for`)
  const log = lines.join('')
  for (const [what, value] of known) {
    assert.ok(value.length >= 4, `${what} is too short to be found: ${value}`)
    assert.ok(!log.includes(value), `${what} is in the log: ${lines.find((line) => line.includes(value))}`)
    // A user without a second factor gets a message about it; a refusal contains nothing that was sent and no secret.
    const refusal = refusals.find((one) => one.includes(value))
    assert.equal(refusal, undefined, `${what} is in a refusal`)
  }

  for (const line of lines) {
    const entry = JSON.parse(line)
    assert.ok(entry.level && entry.time && entry.event && entry.message, line)
    assert.ok(!line.trimEnd().includes('\n'), 'one line an entry')
  }
  const requests = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request.answered')
  const ofCheckout = requests.find(({ request_id }) => request_id === checkout.headers.get('x-request-id'))
  assert.deepEqual([ofCheckout.status, ofCheckout.route], [201, 'POST /v1/payments/checkout'])
  assert.ok(requests.every(({ route }) => !route.includes(slug) && !route.includes('pay_')))
})

test('the log of the database does not name the person who registers a second time', async (t) => {
  const app = await startTestApp(t)
  const asha = {
    full_name: 'Asha Mbaruku',
    student_id: 'T-1',
    institution: 'UDSM',
    email: 'asha.mbaruku@example.com',
    phone_number: '+255754611227',
  }
  const register = (fields: object) =>
    app.call('POST', '/v1/auth/register', { body: { ...asha, password: 'neno-refu-la-asha', ...fields } })
  assert.equal((await register({})).status, 201)
  assert.equal((await register({ phone_number: '+255754611228' })).body.error.code, 'already_registered')
  assert.equal((await register({ email: 'mbaruku.asha@example.com' })).body.error.code, 'already_registered')
  const { rows } = await app.owner.pool.query<{ log: string }>(`select pg_read_file('../postgres.log') as log`)
  const log = rows[0]!.log
  assert.match(log, /users_email_unique/)
  assert.match(log, /users_phone_unique/)
  assert.deepEqual(
    log.split('\n').filter((line) => /asha\.mbaruku|754611227/.test(line)),
    [],
  )
})
