/** Sessions of the dashboards: kept in a cookie, usable only from our pages, and separate for each dashboard. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPeopleApi, type Answer, type Person } from '../../../test/fixtures/people.ts'
import { sql } from '../../platform/db/db.ts'
import { createKnownDevices } from './known-device.ts'
import { createSessionCookies } from './session-cookie.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => void (app = await startPeopleApi()))
after(() => app.stop())

type Face = 'merchant' | 'admin'

const ours = 'http://127.0.0.1:3000'

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

/** The request of a browser on one of our pages. */
function post(path: string, face: Face, options: { body?: unknown; cookie?: string; origin?: string; token?: string } = {}) {
  const { body, cookie, origin = ours, token } = options
  return app.call('POST', path, {
    token,
    body,
    headers: { 'x-session-cookie': face, origin, ...(cookie !== undefined && { cookie }) },
  })
}

const signIn = ({ email, password }: Pick<Person, 'email' | 'password'>, face: Face) =>
  post('/v1/auth/login', face, { body: { identifier: email, password } })

const refresh = (cookie: string, face: Face = 'merchant') => post('/v1/auth/refresh', face, { cookie })

const cookiesOf = (answer: Answer): string[] => [answer.headers['set-cookie'] ?? []].flat().map(String)

/** The session cookie of an answer, as the browser sends it back. */
function cookieOf(answer: Answer): string {
  const [header = ''] = cookiesOf(answer)
  return header.slice(0, header.indexOf(';'))
}

async function operator(): Promise<Person> {
  const person = await app.register()
  await app.owner.rows(sql`update users set role = 'admin' where email = ${person.email}`)
  return person
}

test('a dashboard’s sign-in puts the refresh token into a cookie that scripts cannot read, and into no body', async () => {
  const asha = await app.register()
  const answer = await signIn(asha, 'merchant')
  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.body.data), ['access_token', 'token_type', 'expires_in'])
  assert.match(cookiesOf(answer)[0]!, /^malipo_merchant_3000=mrt_[\w-]{70}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal((await app.call('GET', '/v1/me', { token: answer.body.data.access_token })).body.data.id, asha.id)
})

test('a sign-in with the usual user agent, but without the cookie of a known device and from an unknown network, is mailed once', async () => {
  const asha = await app.register()
  const body = { identifier: asha.email, password: asha.password }
  const device = cookiesOf(await signIn(asha, 'merchant')).find((cookie) => cookie.startsWith('malipo_devices'))!
  const from = (ip: string, cookie?: string) =>
    app.call('POST', '/v1/auth/login', {
      ip,
      body,
      headers: { 'x-session-cookie': 'merchant', origin: ours, ...(cookie !== undefined && { cookie }) },
    })
  const mails = async () => (await app.mailsTo(asha.email)).filter(({ kind }) => kind === 'new_device').length
  assert.equal((await from('127.0.0.1')).status, 200)
  assert.equal((await from('41.59.7.7', device.slice(0, device.indexOf(';')))).status, 200)
  assert.equal(await mails(), 0, 'a known network, and the phone of the owner elsewhere')
  assert.equal((await from('203.0.113.50')).status, 200)
  assert.equal(await mails(), 1)
  assert.equal((await from('203.0.113.50')).status, 200)
  assert.equal(await mails(), 1, 'the network is known now')
})

test('with https the cookie has the prefix that only this host may set, and is sent over https only', () => {
  const urls = { ...app.config.urls, api: 'https://api.malipo.example' }
  const config = { ...app.config, urls }
  const devices = createKnownDevices({ clock: app.clock, config })
  const cookies = createSessionCookies({ config, devices })
  const given: string[] = []
  const reply = { header: (name: string, value: string) => name === 'set-cookie' && given.push(value) }
  const request = { headers: { 'x-session-cookie': 'admin', origin: urls.api } }
  cookies.issue(request, reply as never, { userId: 'u', accessToken: 'a', expiresInSeconds: 1, refreshToken: 'mrt_x' })
  assert.equal(given[0], '__Host-malipo_admin=mrt_x; Path=/; Max-Age=1800; HttpOnly; SameSite=Strict; Secure')
  assert.match(given[1]!, /^__Host-malipo_devices=\d+-[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict; Secure$/)
})

test('registration and the second step of a sign-in also keep the session in the cookie', async () => {
  const registered = await post('/v1/auth/register', 'merchant', {
    body: {
      full_name: 'Zuhura Said',
      email: 'zuhura@udsm.ac.tz',
      phone_number: '+255713000111',
      password: 'correct horse battery',
      student_id: '7',
      institution: 'UDSM',
    },
  })
  assert.equal(registered.status, 201)
  assert.ok(!('refresh_token' in registered.body.data))
  assert.equal((await refresh(cookieOf(registered))).status, 200)

  const { secret } = await app.enroll({ access: registered.body.data.access_token })
  const asked = await signIn({ email: 'zuhura@udsm.ac.tz', password: 'correct horse battery' }, 'merchant')
  assert.equal(asked.body.data.two_factor_required, true)
  assert.equal(asked.headers['set-cookie'], undefined)
  const { challenge_token } = asked.body.data
  const body = { challenge_token, code: await app.freshCode(secret) }
  const verified = await post('/v1/auth/2fa/verify', 'merchant', { body })
  assert.equal(verified.status, 200)
  assert.ok(!('refresh_token' in verified.body.data))
  assert.equal((await refresh(cookieOf(verified))).status, 200)
})

test('each refresh replaces the cookie; an old one ends the session, but not while two tabs refresh at once', async () => {
  const first = cookieOf(await signIn(await app.register(), 'merchant'))
  const answers = await Promise.all([refresh(first), refresh(first), refresh(first)])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  const second = cookieOf(answers[0]!)
  assert.notEqual(second, first)
  assert.deepEqual(new Set(answers.map(cookieOf)), new Set([second]))
  const third = cookieOf(await refresh(second))
  assertRefused(await refresh(first), 401, 'invalid_token')
  assertRefused(await refresh(third), 401, 'session_inactive')
})

test('another site cannot use the cookie: a foreign origin, none, or a missing header is refused and changes nothing', async () => {
  const answer = await signIn(await app.register(), 'merchant')
  const cookie = cookieOf(answer)
  for (const origin of ['https://evil.example', 'http://127.0.0.1:3001', 'null', `${ours}.evil.example`]) {
    for (const path of ['/v1/auth/refresh', '/v1/auth/logout', '/v1/auth/login', '/v1/auth/2fa/verify']) {
      const body = path.endsWith('login')
        ? { identifier: 'a@b.tz', password: 'x' }
        : path.endsWith('verify')
          ? { challenge_token: 'x', code: '1' }
          : {}
      const refused = await post(path, 'merchant', { cookie, origin, body })
      assertRefused(refused, 403, 'origin_not_allowed')
      assert.equal(refused.headers['set-cookie'], undefined)
    }
  }
  const withoutOrigin = await app.call('POST', '/v1/auth/refresh', { headers: { 'x-session-cookie': 'merchant', cookie } })
  assertRefused(withoutOrigin, 403, 'origin_not_allowed')
  // A form of another site can at most send the cookie, which is not enough.
  const withoutHeader = await app.call('POST', '/v1/auth/refresh', { headers: { cookie, origin: ours } })
  assertRefused(withoutHeader, 400, 'validation_error')
  assert.equal((await refresh(cookie)).status, 200)
})

test('a browser without a cookie, or with an invalid one, is not signed in', async () => {
  assertRefused(await post('/v1/auth/refresh', 'merchant'), 401, 'authentication_required')
  assertRefused(await refresh('other=1'), 401, 'authentication_required')
  assertRefused(await refresh('malipo_merchant_3000=mrt_x'), 401, 'invalid_token')
  const cookie = cookieOf(await signIn(await app.register(), 'merchant'))
  assert.equal((await refresh(`a=b; ${cookie}; c=d`)).status, 200)
  const both = await post('/v1/auth/refresh', 'merchant', { cookie, body: { refresh_token: 'mrt_x' } })
  assertRefused(both, 400, 'validation_error')
})

test('signing out ends the session and empties the cookie, also when the session had already ended', async () => {
  const answer = await signIn(await app.register(), 'merchant')
  const token = answer.body.data.access_token
  const out = await post('/v1/auth/logout', 'merchant', { token, cookie: cookieOf(answer) })
  assert.equal(out.status, 200)
  assert.match(String(out.headers['set-cookie']), /^malipo_merchant_3000=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/)
  assertRefused(await refresh(cookieOf(answer)), 401, 'session_inactive')
  const again = await post('/v1/auth/logout', 'merchant', { token })
  assertRefused(again, 401, 'session_inactive')
  assert.match(String(again.headers['set-cookie']), /^malipo_merchant_3000=;/)
})

test('the two dashboards share no cookie', async () => {
  const admin = await operator()
  const [merchants, admins] = [cookieOf(await signIn(admin, 'merchant')), cookieOf(await signIn(admin, 'admin'))]
  assertRefused(await refresh(merchants, 'admin'), 401, 'authentication_required')
  assertRefused(await refresh(admins, 'merchant'), 401, 'authentication_required')
  assert.match(cookieOf(await refresh(admins, 'admin')), /^malipo_admin_3000=mrt_/)
  assert.match(cookieOf(await refresh(merchants, 'merchant')), /^malipo_merchant_3000=mrt_/)
})

test('a non-operator gets no session of the operators’ dashboard, and the attempt is recorded', async () => {
  const asha = await app.register()
  const refused = await signIn(asha, 'admin')
  assertRefused(refused, 403, 'admin_required')
  assert.equal(refused.headers['set-cookie'], undefined)
  assert.deepEqual(
    (await app.auditOf(asha.id)).map(({ action, actor }) => [action, actor]),
    [['admin.turned_away', asha.id]],
  )
  // The merchants' cookie under the other name, and a challenge that began at the other dashboard, are refused too.
  const cookie = cookieOf(await signIn(asha, 'merchant'))
  assertRefused(await refresh(cookie.replace('merchant', 'admin'), 'admin'), 403, 'admin_required')
  assert.equal((await refresh(cookie)).status, 200)
  const { secret } = await app.enroll(asha)
  const { challenge_token } = (await signIn(asha, 'merchant')).body.data
  const body = { challenge_token, code: await app.freshCode(secret) }
  assertRefused(await post('/v1/auth/2fa/verify', 'admin', { body }), 403, 'admin_required')
  assert.equal((await post('/v1/auth/2fa/verify', 'merchant', { body })).status, 200)
})

test('a device is known to a person from its first sign-in on, beside others that share it, and to no other person', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const jar = new Map<string, string>()
  const sentBack = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const visit = async (person: Person) => {
    const answer = await post('/v1/auth/login', 'merchant', {
      cookie: sentBack(),
      body: { identifier: person.email, password: person.password },
    })
    for (const cookie of cookiesOf(answer)) {
      const [name, value] = cookie.split(';')[0]!.split('=') as [string, string]
      jar.set(name, value)
    }
    const [row] = await app.owner.rows<{ since: Date }>(sql`
      select device_since as since from sessions order by created_at desc, id desc limit 1`)
    return row!.since.getTime()
  }
  const isSame = (one: number, other: number) => Math.abs(one - other) < 2_000
  const first = await visit(asha)
  await app.moveClock(3600)
  assert.ok(isSame(await visit(asha), first))
  const jumas = await visit(juma)
  assert.ok(!isSame(jumas, first))
  assert.ok(isSame(await visit(asha), first))
  assert.ok(isSame(await visit(juma), jumas))
  const kept = jar.get('malipo_devices_3000')!
  jar.set('malipo_devices_3000', kept.replaceAll(/\d+-/g, '1000000000-'))
  assert.ok((await visit(asha)) > first + 3_000_000, 'a forged date is ignored')
})
