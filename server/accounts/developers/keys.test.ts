/** The life of keys: rolling with a grace period, allowed addresses, changes, search, and the audit log. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { byCommandLine } from '../../base/audit/audit.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { sql } from '../../platform/db/db.ts'
import { createHttp } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { confirmKey, requireKey } from './authenticate-key.ts'
import { revokeLeaked } from './revoke-leaked.ts'
import { eventually } from '../../../test/app.ts'
import { startPeopleApi, type Answer, type Person, type PeopleApi } from '../../../test/fixtures/people.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => {
  app = await startPeopleApi()
  app.http.get('/probe', { onRequest: requireKey(app, 'pages:read') }, async (request) => ({ data: request.keyCaller }))
  app.http.get('/probe-write', { onRequest: requireKey(app, 'pages:write') }, async () => ({ data: {} }))
})
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
const probe = (key: string) => call('GET', '/probe', { key })
const daySeconds = 86_400

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

type KeyRecord = { id: string; key: string; status: string; expires_at: string | null } & Record<string, unknown>

async function createApp(person: Person, environment = 'test'): Promise<string> {
  const { body } = await call('POST', '/developers/apps', { token: person.access, body: { name: 'Campus shop', environment } })
  return body.data.id
}

async function createKey(person: Person, appId: string, body: Record<string, unknown> = {}): Promise<KeyRecord> {
  const wanted = { app_id: appId, key_name: 'Server', scopes: ['pages:read'], ...body }
  const answer = await call('POST', '/developers/keys', { token: person.access, body: wanted })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data
}

const roll = (person: Pick<Person, 'access'>, id: string, body?: unknown) =>
  call('POST', `/developers/keys/${id}/roll`, { token: person.access, body })

async function rolled(person: Pick<Person, 'access'>, id: string, body?: unknown): Promise<KeyRecord> {
  const answer = await roll(person, id, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.headers['cache-control'], 'no-store')
  return answer.body.data
}

/** An access token is valid for minutes: after a jump of the clock a new one is needed. */
async function signedInAgain(person: Person): Promise<Person> {
  return { ...person, access: (await app.signIn(person)).body.data.access_token }
}

async function listed(person: Person, id: string): Promise<KeyRecord> {
  const { body } = await call('GET', '/developers/keys?limit=100', { token: person.access })
  return body.data.find((key: KeyRecord) => key.id === id)
}

const inSeconds = (seconds: number) => new Date(app.clock.now() + seconds * 1000).toISOString()

function assertAbout(moment: string | null, expected: string): void {
  assert.ok(Math.abs(Date.parse(moment!) - Date.parse(expected)) < 5000, `${moment} is not about ${expected}`)
}

test('a rolled key works beside its successor for a day, then only the successor works', async () => {
  const asha = await app.register()
  const old = await createKey(asha, await createApp(asha), {
    allowed_ips: ['127.0.0.0/8'],
    scopes: ['pages:read', 'payouts:read'],
  })
  const { key: value, id, created_at, last4, ...facts } = await rolled(asha, old.id)
  const { key: oldValue, id: oldId, created_at: _, last4: __, ...oldFacts } = old
  assert.match(value, /^svc_test_[0-9A-Za-z]{38}$/)
  assert.notEqual(value, oldValue)
  assert.notEqual(id, oldId)
  assert.equal(last4, value.slice(-4))
  assert.ok(created_at)
  assert.deepEqual(facts, oldFacts)

  const ending = await listed(asha, oldId)
  assert.equal(ending.status, 'expiring')
  assertAbout(ending.expires_at, inSeconds(daySeconds))
  assert.equal((await listed(asha, id)).status, 'active')
  assert.deepEqual([(await probe(oldValue)).status, (await probe(value)).status], [200, 200])
  await app.moveClock(daySeconds - 10)
  assert.deepEqual([(await probe(oldValue)).status, (await probe(value)).status], [200, 200])
  await app.moveClock(11)
  assertRefused(await probe(oldValue), 401, 'api_key_expired')
  assert.equal((await probe(value)).status, 200)
  assert.equal((await listed(await signedInAgain(asha), oldId)).status, 'expired')
})

test('without a grace period the old key has ended with the answer; with the longest one it is expiring at once', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const [leaked, slow] = [await createKey(asha, appId), await createKey(asha, appId)]
  const successor = await rolled(asha, leaked.id, { grace_seconds: 0 })
  assertRefused(await probe(leaked.key), 401, 'api_key_expired')
  assert.equal((await probe(successor.key)).status, 200)
  assert.equal((await listed(asha, leaked.id)).status, 'expired')
  await rolled(asha, slow.id, { grace_seconds: 604_800 })
  const ending = await listed(asha, slow.id)
  assert.equal(ending.status, 'expiring')
  assertAbout(ending.expires_at, inSeconds(7 * daySeconds))
})

test('a key that was rolled without a grace period is refused also in a transaction that began before', async () => {
  const asha = await app.register()
  const key = await createKey(asha, await createApp(asha))
  const keyCaller = (await probe(key.key)).body.data
  await app.owner.tx(async (early) => {
    // The time of a transaction is that of its first statement.
    await early.rows(sql`select pg_sleep(0.01)`)
    await rolled(asha, key.id, { grace_seconds: 0 })
    await assert.rejects(confirmKey(early, { keyCaller, ip: '127.0.0.1' }), { code: 'api_key_expired' })
  })
})

test('a grace period does not gain a fraction of a millisecond', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const [leaked, slow] = [await createKey(asha, appId), await createKey(asha, appId)]
  // The clock stands still, most of a millisecond after a whole one.
  const now = inSeconds(0).replace('Z', '7Z')
  await app.owner.script(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select timestamptz '${now}' $$`,
  )
  await rolled(asha, leaked.id, { grace_seconds: 0 })
  await rolled(asha, slow.id, { grace_seconds: 604_800 })
  assertRefused(await probe(leaked.key), 401, 'api_key_expired')
  assert.deepEqual([(await listed(asha, leaked.id)).status, (await listed(asha, slow.id)).status], ['expired', 'expiring'])
  await app.moveClock(0)
})

test('a grace period does not prolong the old key, and the successor has the old key’s original lifetime', async () => {
  const asha = await app.register()
  const key = await createKey(asha, await createApp(asha), { expires_at: inSeconds(30 * daySeconds) })
  await app.moveClock(30 * daySeconds - 3600)
  const later = await signedInAgain(asha)
  const successor = await rolled(later, key.id, { grace_seconds: 7 * daySeconds })
  assert.equal((await listed(later, key.id)).expires_at, key.expires_at)
  assertAbout(successor.expires_at, inSeconds(30 * daySeconds))
  await app.moveClock(3605)
  assertRefused(await probe(key.key), 401, 'api_key_expired')
  assert.equal((await probe(successor.key)).status, 200)

  // No date is after the year 9999, and the longest key ends there.
  const evenLater = await signedInAgain(asha)
  const longest = await createKey(evenLater, await createApp(evenLater), { expires_at: '9999-12-31T23:59:59.999Z' })
  assert.equal((await rolled(evenLater, longest.id)).expires_at, '9999-12-31T23:59:59.999Z')
})

test('a rolled, revoked or expired key cannot be rolled', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const keys = [
    await createKey(asha, appId),
    await createKey(asha, appId),
    await createKey(asha, appId, { expires_at: inSeconds(60) }),
  ]
  const [first, revoked, expired] = keys
  const successor = await rolled(asha, first!.id)
  await call('DELETE', `/developers/keys/${revoked!.id}`, { token: asha.access })
  await app.moveClock(61)
  for (const key of [first, revoked, expired]) assertRefused(await roll(asha, key!.id), 409, 'invalid_state')
  // A successor may be rolled again.
  await rolled(asha, successor.id)
  assert.equal((await call('GET', '/developers/keys', { token: asha.access })).body.data.length, 5)
  assert.equal((await app.auditOf(first!.id)).filter(({ action }) => action === 'key.rolled').length, 1)
})

test('of many parallel rolls one succeeds', async () => {
  const asha = await app.register()
  const { id } = await createKey(asha, await createApp(asha))
  const answers = await Promise.all(Array.from({ length: 5 }, () => roll(asha, id)))
  assert.deepEqual(
    answers.map(({ status }) => status).sort((one, other) => one - other),
    [200, 409, 409, 409, 409],
  )
  assert.equal((await call('GET', '/developers/keys', { token: asha.access })).body.data.length, 2)
})

test('the database itself refuses a second successor, and a rolled key without an end', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const [one, two] = [await createKey(asha, appId), await createKey(asha, appId)]
  const successor = await rolled(asha, one.id)
  const id = (key: KeyRecord) => fromWire('key', key.id)
  await assert.rejects(app.owner.rows(sql`update api_keys set replaces = ${id(one)} where id = ${id(two)}`), {
    constraint: 'api_keys_replaced_once',
  })
  await assert.rejects(app.owner.rows(sql`update api_keys set rolled_at = clock_now() where id = ${id(successor)}`), {
    constraint: 'api_keys_rolled_end',
  })
})

test('a roll in parallel with a revocation or a deletion of its app creates no key', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const { id } = await createKey(asha, appId)
  const revoked = sql`update api_keys set revoked_at = clock_now() where id = ${fromWire('key', id)}`
  assertRefused(await app.during(revoked, () => roll(asha, id)), 409, 'invalid_state')
  const second = await createKey(asha, appId)
  const deleted = sql`update apps set deleted_at = clock_now() where id = ${fromWire('app', appId)}`
  assertRefused(await app.during(deleted, () => roll(asha, second.id)), 404, 'not_found')
  const rows = await app.owner.rows(sql`select 1 from api_keys where app_id = ${fromWire('app', appId)}`)
  assert.equal(rows.length, 2)
})

test('when the keys of a leaked app are revoked, a key that is being made or rolled is revoked, too', async () => {
  const asha = await app.register()
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const waits = (count: number) =>
    eventually(`${count} wait for a lock`, async () => (await app.owner.rows(waiting)).length >= count)
  for (const way of ['made', 'rolled']) {
    const appId = await createApp(asha)
    const { id } = await createKey(asha, appId)
    const { making, revoking } = await app.owner.tx(async (tx) => {
      await tx.rows(sql`select from audit_head for update`)
      const making = way === 'made' ? createKey(asha, appId) : rolled(asha, id)
      await waits(1)
      const revoking = revokeLeaked(app, { appId: fromWire('app', appId)! }, byCommandLine)
      await waits(2)
      return { making, revoking }
    })
    const { key } = await making
    assert.equal((await revoking).length, 2, way)
    assertRefused(await probe(key), 401, 'api_key_revoked')
  }
})

test('revoking a rolled key does not revoke its successor, or the other way round', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  for (const revokesOld of [true, false]) {
    const old = await createKey(asha, appId)
    const successor = await rolled(asha, old.id)
    const [revoked, other] = revokesOld ? [old, successor] : [successor, old]
    await call('DELETE', `/developers/keys/${revoked.id}`, { token: asha.access })
    assertRefused(await probe(revoked.key), 401, 'api_key_revoked')
    assert.equal((await probe(other.key)).status, 200)
  }
})

test('a live key of an owner that is no longer verified is not rolled, and that is checked before the body', async () => {
  const asha = await app.register()
  await setKycStatus(app, asha.email, 'verified')
  const { id } = await createKey(asha, await createApp(asha, 'live'))
  await setKycStatus(app, asha.email, 'rejected')
  assertRefused(await roll(asha, id), 403, 'kyc_required')
  assertRefused(await roll(asha, id, { grace_seconds: 'long' }), 403, 'kyc_required')
  await setKycStatus(app, asha.email, 'verified')
  assert.match((await rolled(asha, id)).key, /^svc_live_/)
})

test('a grace period is a whole number of seconds, at most a week', async () => {
  const asha = await app.register()
  const { id } = await createKey(asha, await createApp(asha))
  for (const grace of [-1, 604_801, 1.5, '60', null]) {
    assertRefused(await roll(asha, id, { grace_seconds: grace }), 400, 'validation_error')
  }
  assertRefused(await roll(asha, id, { key_name: 'New' }), 400, 'validation_error')
  assert.equal((await listed(asha, id)).status, 'active')
})

const from = async (key: string, remoteAddress: string, headers: Record<string, string> = {}, url = '/probe') => {
  const response = await app.http.inject({ url, remoteAddress, headers: { 'x-api-key': key, ...headers } })
  return { status: response.statusCode, body: response.json<Record<string, never>>(), headers: response.headers }
}

test('a key works only from the addresses of its list', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const { key, id, allowed_ips } = await createKey(asha, appId, {
    allowed_ips: ['203.0.113.0/24', '2001:DB8::1', '203.0.113.0/24'],
  })
  assert.deepEqual(allowed_ips, ['203.0.113.0/24', '2001:db8::1'])
  assert.deepEqual((await listed(asha, id)).allowed_ips, ['203.0.113.0/24', '2001:db8::1'])
  for (const address of ['203.0.113.200', '::ffff:203.0.113.200', '2001:db8::1']) {
    assert.equal((await from(key, address)).status, 200, address)
  }
  for (const address of ['203.0.114.1', '::ffff:203.0.114.1', '2001:db8::2', '127.0.0.1']) {
    assertRefused(await from(key, address), 403, 'ip_not_allowed')
  }
  // Forwarding headers are trusted only from our own proxies, and there are none here.
  const lies = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' }
  assertRefused(await from(key, '198.51.100.1', lies), 403, 'ip_not_allowed')
  const open = await createKey(asha, appId)
  assert.equal((await from(open.key, '198.51.100.1')).status, 200)
})

test('behind one trusted proxy the address is the one that this proxy saw', async (t) => {
  const asha = await app.register()
  const { key } = await createKey(asha, await createApp(asha), { allowed_ips: ['203.0.113.7'] })
  const http = await createHttp({
    log: app.log,
    security: app.security,
    trustedProxies: 1,
    dashboardOrigins: [],
    isPublicPath: () => false,
    swahiliOf: () => undefined,
    bodyLimitBytes: 1000,
    maxEventLoopDelayMs: 60_000,
    docUrl: '',
    isDraining: () => false,
  })
  t.after(() => http.close())
  http.decorateRequest('keyCaller')
  http.get('/probe', { onRequest: requireKey(app, 'pages:read') }, async () => ({ data: {} }))
  const statusFor = async (seen: string): Promise<number> =>
    (await http.inject({ url: '/probe', headers: { 'x-api-key': key, 'x-forwarded-for': seen } })).statusCode
  assert.equal(await statusFor('203.0.113.7'), 200)
  assert.equal(await statusFor('203.0.113.7, 198.51.100.1'), 403)
  assert.equal(await statusFor('198.51.100.1, 203.0.113.7'), 200)
})

test('the address is checked after the key itself and before its scopes', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const elsewhere = { allowed_ips: ['203.0.113.7'] }
  const [revoked, expired, wrong] = [
    await createKey(asha, appId, elsewhere),
    await createKey(asha, appId, { ...elsewhere, expires_at: inSeconds(60) }),
    await createKey(asha, appId, elsewhere),
  ]
  await call('DELETE', `/developers/keys/${revoked.id}`, { token: asha.access })
  await app.moveClock(61)
  assertRefused(await probe(revoked.key), 401, 'api_key_revoked')
  assertRefused(await probe(expired.key), 401, 'api_key_expired')
  assertRefused(await call('GET', '/probe-write', { key: wrong.key }), 403, 'ip_not_allowed')
  assertRefused(await from(wrong.key, '203.0.113.7', {}, '/probe-write'), 403, 'insufficient_scope')
  const refused = app.warnings.filter(({ fields }) => fields['actor'] === wrong.id)
  assert.deepEqual(
    refused.map(({ fields }) => fields['code']),
    ['ip_not_allowed', 'insufficient_scope'],
  )
  assert.equal((await listed(asha, wrong.id)).last_used_at, null)
})

test('name and addresses of a key change at once, and other fields do not change', async () => {
  const asha = await app.register()
  const { key, id, ...before } = await createKey(asha, await createApp(asha))
  const patch = (body?: unknown) => call('PATCH', `/developers/keys/${id}`, { token: asha.access, body })
  const changed = await patch({ key_name: ' Backup ', allowed_ips: ['203.0.113.7/32'] })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.body.data, { ...before, id, key_name: 'Backup', allowed_ips: ['203.0.113.7'] })
  assertRefused(await probe(key), 403, 'ip_not_allowed')
  assert.deepEqual((await patch({ allowed_ips: [] })).body.data, { ...before, id, key_name: 'Backup' })
  assert.equal((await probe(key)).status, 200)
  for (const body of [undefined, {}, { key_name: 'Backup', allowed_ips: [] }]) assert.equal((await patch(body)).status, 200)
  for (const body of [
    { scopes: ['pages:write'] },
    { expires_at: null },
    { status: 'active' },
    { allowed_ips: ['x'] },
    { key_name: '' },
  ]) {
    assertRefused(await patch(body), 400, 'validation_error')
  }
  const entries = (await app.auditOf(id)).filter(({ action }) => action === 'key.changed')
  assert.deepEqual(
    entries.map((entry) => [entry.before, entry.after]),
    [
      [{ allowed_ips: [] }, { renamed: true, allowed_ips: ['203.0.113.7'] }],
      [{ allowed_ips: ['203.0.113.7'] }, { allowed_ips: [] }],
    ],
  )
})

test('keys are filtered by app, status and environment', async () => {
  const asha = await app.register()
  await setKycStatus(app, asha.email, 'verified')
  const [testApp, liveApp] = [await createApp(asha), await createApp(asha, 'live')]
  const active = await createKey(asha, testApp)
  const expiring = await createKey(asha, testApp, { expires_at: inSeconds(daySeconds) })
  const expired = await createKey(asha, testApp, { expires_at: inSeconds(60) })
  const revoked = await createKey(asha, testApp)
  const live = await createKey(asha, liveApp)
  const old = await createKey(asha, liveApp)
  const successor = await rolled(asha, old.id)
  await call('DELETE', `/developers/keys/${revoked.id}`, { token: asha.access })
  await app.moveClock(61)
  const found = async (query: string): Promise<string[]> =>
    (await call('GET', `/developers/keys?${query}`, { token: asha.access })).body.data.map((key: KeyRecord) => key.id)
  const ids = (...keys: KeyRecord[]) => keys.map(({ id }) => id)
  assert.deepEqual(await found('status=active'), ids(successor, live, active))
  assert.deepEqual(await found('status=expiring'), ids(old, expiring))
  assert.deepEqual(await found('status=expired'), ids(expired))
  assert.deepEqual(await found('status=revoked'), ids(revoked))
  assert.deepEqual(await found('environment=live'), ids(successor, old, live))
  assert.deepEqual(await found(`app_id=${testApp}&environment=live`), [])
  assert.deepEqual(await found(`app_id=${liveApp}&status=expiring&environment=live`), ids(old))
  const first = await call('GET', '/developers/keys?status=active&limit=1', { token: asha.access })
  assert.equal(first.body.has_more, true)
  const { next_cursor } = first.body
  assert.deepEqual(await found(`status=active&cursor=${next_cursor}`), ids(live, active))
  assertRefused(await call('GET', `/developers/keys?cursor=${next_cursor}`, { token: asha.access }), 400, 'cursor_invalid')
  assertRefused(await call('GET', '/developers/keys?status=old', { token: asha.access }), 400, 'validation_error')
})

test('each action on apps and keys is in the audit log once, without the value of a key', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const old = await createKey(asha, appId, { allowed_ips: ['127.0.0.1'] })
  const successor = await rolled(asha, old.id)
  for (const _ of [1, 2]) await call('DELETE', `/developers/keys/${old.id}`, { token: asha.access })
  await probe(successor.key)
  await call('DELETE', `/developers/apps/${appId}`, { token: asha.access })
  const entriesOf = async (id: string) =>
    (await app.auditOf(id)).map(({ actor, ip, action, after }) => ({ actor, ip, action, after }))
  const by = { actor: asha.id, ip: '127.0.0.1' }
  assert.deepEqual(await entriesOf(appId), [
    { ...by, action: 'app.created', after: { environment: 'test' } },
    { ...by, action: 'app.deleted', after: { keys_revoked: 1 } },
  ])
  const [created, rolledEntry, revoked, ...others] = await entriesOf(old.id)
  assert.deepEqual(
    [created!.action, rolledEntry!.action, revoked!.action, others],
    ['key.created', 'key.rolled', 'key.revoked', []],
  )
  assert.deepEqual(created!.after, {
    app_id: appId,
    scopes: ['pages:read'],
    waiting_scopes: [],
    allowed_ips: ['127.0.0.1'],
    expires_at: null,
    last4: old.key.slice(-4),
  })
  assert.deepEqual([rolledEntry!.after!.new_key_id, rolledEntry!.after!.new_last4], [successor.id, successor.key.slice(-4)])
  // The roll created it, and it was used: neither has a separate entry.
  assert.deepEqual(await entriesOf(successor.id), [])
  const [dump] = await app.owner.rows<{ text: string }>(sql`select string_agg(a::text, '') as text from audit_log a`)
  for (const { key } of [old, successor]) assert.ok(!dump!.text.includes(key.slice(9, 41)))
})
