/** Attacks on sessions: forged and stolen tokens, guessed passwords and codes, ways around the second factor. */
import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { newId, toWire } from '../../server/platform/ids.ts'
import { codeNow, share, type Student } from '../app.ts'
import { attackAll, startAttackedApp, type Attack, type AttackedApp } from './attacked-app.ts'

const sharedApp = share((ending) => startAttackedApp(ending))

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())

type Changes = { header?: Record<string, unknown>; claims?: Record<string, unknown> }

/** A copy of the token with `changes`, signed correctly or by `signer`. */
function forge(app: AttackedApp, token: string, changes: Changes, signer = app.config.keys.signing[0]!.privateKey): string {
  const [header, payload] = token.split('.') as [string, string]
  const text = `${encode({ ...decode(header), ...changes.header })}.${encode({ ...decode(payload), ...changes.claims })}`
  return `${text}.${sign(null, Buffer.from(text), signer).toString('base64url')}`
}

const reads = (app: AttackedApp, token: string) => () => app.call('GET', '/v1/me', { token })

const refused = (app: AttackedApp, tokens: Record<string, string>, expects = '401 invalid_token'): Attack[] =>
  Object.entries(tokens).map(([name, token]) => ({ name, send: reads(app, token), expects }))

/** A key server of an attacker; it counts its requests. */
async function keyServer(t: TestContext): Promise<{ url: string; asked(): number }> {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.end('{"keys":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`, asked: () => asked }
}

test('a token without a signature, under another algorithm or with our public key as its secret is rejected [A01, A02]', async () => {
  const app = await sharedApp()
  const { token } = await app.student()
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const { id, privateKey } = app.config.keys.signing[0]!
  const unsigned = (alg: string) => encode({ alg, typ: 'at+jwt', kid: id })
  const publicKey = createPublicKey(privateKey)
  const hs256 = (secret: string | Buffer) => {
    const text = `${unsigned('HS256')}.${payload}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  await attackAll(
    app,
    refused(app, {
      'alg none': `${unsigned('none')}.${payload}.`,
      'alg none with a signature': `${unsigned('none')}.${payload}.${signature}`,
      'alg None': `${unsigned('None')}.${payload}.`,
      'alg NONE': `${unsigned('NONE')}.${payload}.`,
      'an empty signature': `${header}.${payload}.`,
      'no signature at all': `${header}.${payload}`,
      'HS256 with our public key as PEM': hs256(publicKey.export({ format: 'pem', type: 'spki' })),
      'HS256 with its bytes': hs256(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')),
      'HS256 with its DER': hs256(publicKey.export({ format: 'der', type: 'spki' })),
      'claims changed, signature kept': `${header}.${encode({ ...decode(payload), sub: toWire('usr', newId()) })}.${signature}`,
    }),
  )
})

test('a token chooses no key, and the service fetches no key for it [A03, A04]', async (t) => {
  const app = await sharedApp()
  const { token } = await app.student()
  const server = await keyServer(t)
  const stranger = generateKeyPairSync('ed25519')
  const jwk = stranger.publicKey.export({ format: 'jwk' })
  const withHeader = (header: Record<string, unknown>, signer = stranger.privateKey) => forge(app, token, { header }, signer)
  const ours = app.config.keys.signing[0]!.privateKey
  await attackAll(
    app,
    refused(app, {
      'kid is a path': withHeader({ kid: '../../../../etc/passwd' }, ours),
      'kid is a device': withHeader({ kid: '/dev/null' }),
      'kid is SQL': withHeader({ kid: "' union select 'secret' --" }, ours),
      'kid is unknown': withHeader({ kid: 'unknown' }, ours),
      'kid of a key that was retired': withHeader({ kid: 'test-2020' }, stranger.privateKey),
      'kid is a name of prototypes': withHeader({ kid: '__proto__' }, ours),
      'kid is no text': withHeader({ kid: { id: 'test' } }, ours),
      'no kid': withHeader({ kid: undefined }, ours),
      jku: withHeader({ jku: server.url }),
      'jku, signed by us': withHeader({ jku: server.url }, ours),
      x5u: withHeader({ x5u: server.url }),
      jwk: withHeader({ jwk }),
      'jwk, signed by us': withHeader({ jwk }, ours),
      x5c: withHeader({ x5c: ['MIIB'] }, ours),
      'an extension that we do not know': withHeader({ crit: ['exp2'], exp2: 1 }, ours),
    }),
  )
  assert.equal(server.asked(), 0)
})

test('a token for another audience, of another kind or with a session of another user is refused [A06]', async () => {
  const app = await sharedApp()
  const [asha, juma] = [await app.student(), await app.student()]
  const changed = (changes: Changes) => forge(app, asha.token, changes)
  await attackAll(app, [
    ...refused(app, {
      'another audience': changed({ claims: { aud: 'malipo-admin' } }),
      'several audiences': changed({ claims: { aud: ['malipo', 'malipo-operators'] } }),
      'another issuer': changed({ claims: { iss: 'https://evil.example' } }),
      'no audience': changed({ claims: { aud: undefined } }),
      'no typ': changed({ header: { typ: undefined } }),
      'typ of an id token': changed({ header: { typ: 'JWT' } }),
      'no session': changed({ claims: { sid: undefined } }),
      'a refresh token as an access token': asha.refreshToken,
    }),
    ...refused(
      app,
      {
        'another person in one’s own session': changed({ claims: { sub: juma.userId } }),
        'a session that does not exist': changed({ claims: { sid: toWire('ses', newId()) } }),
      },
      '401 session_inactive',
    ),
    {
      name: 'an access token as a refresh token',
      send: () => app.call('POST', '/v1/auth/refresh', { body: { refresh_token: asha.token } }),
      expects: '401 invalid_token',
    },
    {
      name: 'an access token that has expired is no attack',
      send: reads(app, changed({ claims: { exp: Math.floor(Date.now() / 1000) - 60 } })),
      expects: '401 invalid_token',
      isMistake: true,
    },
  ])
})

test('a token that we signed for too long, for the other audience or for later is refused [A85]', async (t) => {
  const app = await startAttackedApp(t)
  const [asha, admin] = [await app.student(), await app.admin()]
  const now = Math.floor(Date.now() / 1000)
  const year = 365 * 86_400
  const asks = (path: string, token: string) => () => app.call('GET', path, { token })
  const ofStudent = (claims: Record<string, unknown>) => forge(app, asha.token, { claims })
  await attackAll(app, [
    ...refused(app, {
      'a hundred years': ofStudent({ iat: now, exp: now + 100 * year }),
      'a second longer than the longest': ofStudent({ iat: now, exp: now + 901 }),
      'begun a year ago and not over': ofStudent({ iat: now - year, exp: now + 60 }),
      'issued in an hour': ofStudent({ iat: now + 3600, exp: now + 3700 }),
      'a student’s for operators': ofStudent({ aud: 'malipo-operators' }),
      'an operator’s for students': forge(app, admin.token, { claims: { aud: 'malipo' } }),
    }),
    {
      name: 'an operator’s for students on a route of operators',
      send: asks('/v1/admin/breaks', forge(app, admin.token, { claims: { aud: 'malipo' } })),
      expects: '401 invalid_token',
    },
  ])
  assert.equal((await asks('/v1/admin/breaks', admin.token)()).status, 200)
})

test('two credentials in one request are refused, and a credential in a query, a cookie or a body does not count [A84]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const raw =
    (path: string, ...headers: string[]) =>
    () =>
      app.sendRaw(['GET ' + path + ' HTTP/1.1', 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n'))
  const bearer = `Authorization: Bearer ${student.token}`
  const two = '400 ambiguous_credentials'
  await attackAll(app, [
    { name: 'two Authorization headers', send: raw('/v1/me', bearer, bearer), expects: two },
    { name: 'two that differ in case', send: raw('/v1/me', bearer, 'aUTHORIZATION: Bearer x'), expects: two },
    { name: 'two keys', send: raw('/v1/balance', `X-API-Key: ${key}`, `X-API-Key: ${key}`), expects: two },
    { name: 'a token and a key', send: () => app.call('GET', '/v1/balance', { key, token: student.token }), expects: two },
    {
      name: 'a token and a key at a page that asks for neither',
      send: raw('/v1/networks', bearer, `X-API-Key: ${key}`),
      expects: two,
    },
  ])
  const none = '401 authentication_required'
  await attackAll(app, [
    { name: 'a key in the query', send: raw(`/v1/balance?api_key=${key}&x-api-key=${key}`), expects: none, isMistake: true },
    { name: 'a token in the query', send: raw(`/v1/me?access_token=${student.token}`), expects: none, isMistake: true },
    { name: 'a key in a cookie', send: raw('/v1/balance', `Cookie: x-api-key=${key}`), expects: none, isMistake: true },
    {
      name: 'a key in the body',
      send: () => app.call('POST', '/v1/payouts', { body: { 'x-api-key': key, api_key: key } }),
      expects: none,
      isMistake: true,
    },
  ])
})

test('two idempotency keys or content types in one request are refused, and nothing is paid', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const body = JSON.stringify({ amount: 5_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' })
  const send =
    (path: string, ...headers: string[]) =>
    () =>
      app.sendRaw(
        [
          `POST ${path} HTTP/1.1`,
          'Host: x',
          'Connection: close',
          `X-API-Key: ${key}`,
          'Content-Type: application/json',
          `Content-Length: ${Buffer.byteLength(body)}`,
          ...headers,
          '',
          body,
        ].join('\r\n'),
      )
  const expects = '400 header_duplicated'
  const twice = ['Idempotency-Key: one', 'idempotency-key: two']
  await attackAll(app, [
    { name: 'two keys of a payout', send: send('/v1/payouts', ...twice), expects },
    { name: 'the same key twice', send: send('/v1/payouts', twice[0]!, twice[0]!), expects },
    { name: 'two keys of a payment', send: send('/v1/payments', ...twice), expects },
    { name: 'two content types', send: send('/v1/payouts', 'Idempotency-Key: one', 'Content-Type: text/csv'), expects },
  ])
  const answer = await send('/v1/payouts', ...twice)()
  assert.deepEqual(answer.body.error.details, { header: 'Idempotency-Key' })
})

test('operators’ routes: not for students, not by password alone, not by a session that has ended [A07]', async (t) => {
  const app = await startAttackedApp(t)
  const [student, promoted] = [await app.student(), await app.student()]
  await app.owner.pool.query(`update users set role = 'admin' where email = $1`, [promoted.email])
  const { email: identifier, password } = promoted
  const login = await app.call('POST', '/v1/auth/login', { body: { identifier, password } })
  const byPassword = { token: login.body.data.access_token as string }
  const ended = await app.admin()
  await app.call('POST', '/v1/auth/logout', { token: ended.token })
  const list = (token: string) => () => app.call('GET', '/v1/admin/businesses', { token })
  const claims = { amr: ['pwd', 'otp', 'mfa'], role: 'admin' }
  await attackAll(app, [
    { name: 'a student', send: list(student.token), expects: '403 admin_required', changes: ['audit_head', 'audit_log'] },
    {
      name: 'a student whose token expects mfa',
      send: list(forge(app, student.token, { claims })),
      expects: '403 admin_required',
    },
    { name: 'an operator by password', send: list(byPassword.token), expects: '403 two_factor_required' },
    {
      name: 'an operator by password whose token expects mfa',
      send: list(forge(app, byPassword.token, { claims })),
      expects: '403 two_factor_required',
    },
    { name: 'an ended session with a second factor', send: list(ended.token), expects: '401 session_inactive' },
  ])
})

test('a disabled or deleted person is signed out within one request [A08]', async () => {
  const app = await sharedApp()
  const asha = await app.student()
  const { key } = await app.key(asha)
  assert.equal((await reads(app, asha.token)()).status, 200)
  await app.owner.pool.query('update users set disabled_at = now() where email = $1', [asha.email])
  await attackAll(app, [
    { name: 'a disabled person', send: reads(app, asha.token), expects: '401 session_inactive' },
    {
      name: 'their refresh token',
      send: () => app.call('POST', '/v1/auth/refresh', { body: { refresh_token: asha.refreshToken } }),
      expects: '401 session_inactive',
    },
    {
      name: 'their password',
      send: () => app.call('POST', '/v1/auth/login', { body: { identifier: asha.email, password: asha.password } }),
      expects: '401 invalid_credentials',
    },
    { name: 'their API key', send: () => app.call('GET', '/v1/balance', { key }), expects: '401 api_key_revoked' },
    {
      name: 'a person who never was',
      send: reads(app, forge(app, asha.token, { claims: { sub: toWire('usr', newId()) } })),
      expects: '401 session_inactive',
    },
  ])
})

test('an old refresh token used again ends its session, and its owner is notified [A09]', async () => {
  const app = await sharedApp()
  const asha = await app.student()
  const refresh = (refreshToken: string) => app.call('POST', '/v1/auth/refresh', { body: { refresh_token: refreshToken } })
  const second = (await refresh(asha.refreshToken)).body.data
  const third = (await refresh(second.refresh_token)).body.data
  await attackAll(app, [
    {
      name: 'the grandparent',
      send: () => refresh(asha.refreshToken),
      expects: '401 invalid_token',
      changes: ['audit_head', 'audit_log', 'mails', 'sessions'],
    },
    { name: 'the newest of the family', send: () => refresh(third.refresh_token), expects: '401 session_inactive' },
    { name: 'its access token', send: reads(app, third.access_token), expects: '401 session_inactive' },
  ])
  const { rows } = await app.owner.pool.query(`select kind from mails where recipient = $1 order by created_at`, [asha.email])
  assert.equal(rows.at(-1).kind, 'session_ended')
})

const signsIn = (app: AttackedApp, identifier: string, password: string) => () =>
  app.call('POST', '/v1/auth/login', { body: { identifier, password } })

test('passwords cannot be guessed: every caller gets the same answer and five tries, SQL has no effect, and long texts are refused [A50]', async () => {
  const app = await sharedApp()
  const asha = await app.student()
  const wrong = 'wrong horse battery'
  const known = await app.attack({
    name: 'a wrong password',
    send: signsIn(app, asha.email, wrong),
    expects: '401 invalid_credentials',
  })
  const unknown = await app.attack({
    name: 'an unknown account',
    send: signsIn(app, 'unknown@nowhere.example', wrong),
    expects: '401 invalid_credentials',
  })
  const errorOf = ({ body }: typeof known) => ({ ...body.error, request_id: undefined })
  assert.deepEqual(errorOf(known), errorOf(unknown))
  await attackAll(app, [
    { name: 'SQL for a name', send: signsIn(app, "' or 1=1 --", wrong), expects: '401 invalid_credentials' },
    { name: 'SQL for a password', send: signsIn(app, asha.email, "' or '1'='1"), expects: '401 invalid_credentials' },
    {
      name: 'a password of a megabyte',
      send: signsIn(app, asha.email, 'x'.repeat(1_000_000)),
      expects: '413 payload_too_large',
      isMistake: true,
    },
    {
      name: 'a password of ten thousand characters',
      send: signsIn(app, asha.email, 'x'.repeat(10_000)),
      expects: '400 validation_error',
      isMistake: true,
    },
  ])
  for (let turn = 0; turn < 3; turn += 1) await signsIn(app, asha.email, wrong)()
  await app.attack({ name: 'after five tries', send: signsIn(app, asha.email, wrong), expects: '429 rate_limited' })
  await app.attack({ name: 'the right one then', send: signsIn(app, asha.email, asha.password), expects: '429 rate_limited' })
})

test('wrong passwords do not say which phone numbers have an account, or which address belongs to which number [A50]', async () => {
  const app = await sharedApp()
  const asha = await app.student()
  const wrong = 'wrong horse battery'
  const left = async (identifier: string): Promise<string> => {
    const answer = await signsIn(app, identifier, wrong)()
    assert.equal(answer.body.error.code, 'invalid_credentials')
    return /"sign-in";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')![1]!
  }
  const { rows } = await app.owner.pool.query(`select phone_number from users where email = $1`, [asha.email])
  const known: string = rows[0].phone_number
  const spellings = (phone: string) => [phone, phone.replace('+255', '0'), `${phone.slice(0, 4)} ${phone.slice(4)}`]
  const counts = async (phone: string) => [
    await left(spellings(phone)[0]!),
    await left(spellings(phone)[1]!),
    await left(spellings(phone)[2]!),
  ]
  assert.deepEqual(await counts('+255754999321'), ['4', '3', '2'])
  assert.deepEqual(await counts(known), ['4', '3', '2'])
  assert.equal(await left(asha.email), '4', 'the address is counted by itself')
})

/** A student with a second factor, and a sign-in that waits for its code. */
async function withFactor(
  app: AttackedApp,
): Promise<Student & { secret: string; recoveryCodes: string[]; challenge(): Promise<string> }> {
  const student = await app.student()
  const { secret } = (await app.call('POST', '/v1/auth/2fa/enroll', { token: student.token })).body.data
  const confirmed = await app.call('POST', '/v1/auth/2fa/confirm', { token: student.token, body: { code: codeNow(secret) } })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  return {
    ...student,
    secret,
    recoveryCodes: confirmed.body.data.recovery_codes,
    async challenge() {
      const { body } = await signsIn(app, student.email, student.password)()
      return body.data.challenge_token
    },
  }
}

test('a code is guessed five times, however many try at once, and then even the right one is refused [A54]', async (t) => {
  const app = await startAttackedApp(t)
  const asha = await withFactor(app)
  const challenge = await asha.challenge()
  const verify = (code: string) => app.call('POST', '/v1/auth/2fa/verify', { body: { challenge_token: challenge, code } })
  await app.attack({
    name: 'a wrong code',
    send: () => verify('000000'),
    expects: '401 invalid_code',
    changes: ['second_factors'],
  })
  const refused = await verify('000001')
  assert.match(refused.body.error.message_sw, /hakikisha saa ya simu inajiweka yenyewe/)
  const codes = Array.from({ length: 100 }, (_, turn) => String(100_000 + turn))
  const answers = await Promise.all(codes.map(verify))
  const counted = answers.filter(({ status }) => status === 401).length
  assert.deepEqual([counted, answers.filter(({ status }) => status === 429).length], [3, 97])
  await app.attack({ name: 'the right code then', send: () => verify(codeNow(asha.secret)), expects: '429 rate_limited' })
  const recoveries = await Promise.all(codes.map((code) => verify(`aaaa-bbbb-cccc-dddd-eeee-${code}`)))
  assert.equal(recoveries.filter(({ status }) => status === 401).length, 5)
  await app.attack({ name: 'a recovery code then', send: () => verify(asha.recoveryCodes[0]!), expects: '429 rate_limited' })
  await app.attack({
    name: 'an unknown challenge',
    send: () => app.call('POST', '/v1/auth/2fa/verify', { body: { challenge_token: 'c'.repeat(64), code: '000000' } }),
    expects: '401 invalid_challenge',
  })
})

test('a forgotten password reveals no accounts, and a new password still requires the second factor [A55]', async () => {
  const app = await sharedApp()
  const asha = await withFactor(app)
  const forgot = (email: string) => app.call('POST', '/v1/auth/password/forgot', { body: { email } })
  const [known, unknown] = [await forgot(asha.email), await forgot('unknown@nowhere.example')]
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
  await app.attack({
    name: 'a made-up code',
    send: () =>
      app.call('POST', '/v1/auth/password/reset', {
        body: { email: asha.email, code: '000000', password: 'a new long password' },
      }),
    expects: '400 token_invalid',
    // A wrong code counts as a try.
    changes: ['mailed_tokens'],
  })
  await app.attack({
    name: 'an account is not created twice, and only its owner is notified',
    send: () =>
      app.call('POST', '/v1/auth/register', {
        body: {
          full_name: 'Another Name',
          email: asha.email,
          phone_number: '0754999888',
          password: 'a long enough one',
          student_id: 'x',
          institution: 'y',
        },
      }),
    expects: '409 already_registered',
    isMistake: true,
    changes: ['mails', 'users'],
  })
  const { body } = await signsIn(app, asha.email, asha.password)()
  assert.equal(body.data.two_factor_required, true)
  assert.equal(body.data.access_token, undefined)
})

test('no caller learns what cannot be decrypted, or why [A66]', async () => {
  const app = await sharedApp()
  const asha = await app.student()
  const { appId } = await app.key(asha)
  const webhook = `/developers/apps/${appId}/webhook`
  const url = 'http://127.0.0.1:8999/hook'
  assert.equal((await app.call('POST', webhook, { token: asha.token, body: { url } })).status, 201)
  const bodies: unknown[] = []
  for (const sealed of [
    `set secret_sealed = regexp_replace(secret_sealed, '^v1\\.[^.]+', 'v1.gone')`,
    `set secret_sealed = 'nonsense'`,
  ]) {
    await app.owner.pool.query(`update webhook_endpoints ${sealed}`)
    const { body } = await app.attack({
      name: sealed,
      send: () => app.call('GET', webhook, { token: asha.token }),
      expects: '503 overloaded',
      isMistake: true,
    })
    bodies.push({ ...body.error, request_id: undefined })
  }
  assert.deepEqual(bodies[0], bodies[1])
})
