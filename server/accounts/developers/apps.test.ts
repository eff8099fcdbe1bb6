/** Developer apps and API keys over HTTP, and the rights of a key. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requireVerified } from '../identity/merchant.ts'
import { setVerificationStatus } from '../identity/merchant.sql.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire, homeOfMerchant, newId, toWire } from '../../platform/ids.ts'
import { requireKey } from './authenticate-key.ts'
import { scopes, type Scope } from '../../domain/scope.ts'
import { hashOfKey, newKeyValue } from './key.ts'
import { startPeopleApi, type Answer, type Person, type PeopleApi } from '../../../test/fixtures/people.ts'

// A colon would begin a parameter of the route.
const probePath = (scope: Scope) => `/probe/${scope.replace(':', '-')}`

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => {
  app = await startPeopleApi()
  // Routes as in a slice with keyed routes; they answer with their caller.
  for (const scope of scopes) {
    app.http.get(probePath(scope), { onRequest: requireKey(app, scope) }, async (request) => ({ data: request.keyCaller }))
  }
})
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
const probe = (key: string, scope: Scope = 'pages:read') => call('GET', probePath(scope), { key })

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

function problemsOf(answer: Answer): string[] {
  return answer.body.error.errors.map((error: { field: string; code: string }) => `${error.field}: ${error.code}`)
}

async function createApp(person: Person, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await call('POST', '/developers/apps', {
    token: person.access,
    body: { name: 'Campus shop', environment: 'test', ...body },
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data.id
}

const wantKey = (person: Person, appId: string, body: Record<string, unknown> = {}) =>
  call('POST', '/developers/keys', {
    token: person.access,
    body: { app_id: appId, key_name: 'Server', scopes: ['pages:read'], ...body },
  })

async function createKey(
  person: Person,
  appId: string,
  body: Record<string, unknown> = {},
): Promise<{ id: string; key: string }> {
  const answer = await wantKey(person, appId, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data
}

test('without credentials every route of apps and keys answers 401, for any body', async () => {
  const routes = [
    ['POST', '/developers/apps'],
    ['GET', '/developers/apps'],
    ['GET', `/developers/apps/${toWire('app', newId())}`],
    ['PATCH', `/developers/apps/${toWire('app', newId())}`],
    ['DELETE', `/developers/apps/${toWire('app', newId())}`],
    ['POST', '/developers/keys'],
    ['GET', '/developers/keys'],
    ['PATCH', `/developers/keys/${toWire('key', newId())}`],
    ['POST', `/developers/keys/${toWire('key', newId())}/roll`],
    ['DELETE', `/developers/keys/${toWire('key', newId())}`],
  ] as const
  for (const [method, url] of routes) {
    assertRefused(await call(method, url), 401, 'authentication_required')
    if (method !== 'GET') assertRefused(await call(method, url, { body: '{"not json' }), 401, 'authentication_required')
    // A key cannot manage keys.
    assertRefused(await call(method, url, { key: newKeyValue('test') }), 401, 'authentication_required')
  }
})

test("a stranger's app or key answers exactly like one that does not exist, before the body is looked at", async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const appId = await createApp(juma)
  const { id: keyId, key } = await createKey(juma, appId)
  const token = asha.access
  for (const id of [appId, toWire('app', newId()), 'app_x', appId.replace('app_', 'key_')]) {
    assertRefused(await call('GET', `/developers/apps/${id}`, { token }), 404, 'not_found')
    assertRefused(await call('PATCH', `/developers/apps/${id}`, { token, body: { owner: 1 } }), 404, 'not_found')
    assertRefused(await call('PATCH', `/developers/apps/${id}`, { token, body: { name: 'Mine' } }), 404, 'not_found')
    assertRefused(await call('DELETE', `/developers/apps/${id}`, { token }), 404, 'not_found')
    assertRefused(await call('GET', `/developers/keys?app_id=${id}`, { token }), 404, 'not_found')
    assertRefused(await wantKey(asha, id), 404, 'not_found')
    assertRefused(await wantKey(asha, id, { scopes: 'all' }), 404, 'not_found')
  }
  for (const id of [keyId, toWire('key', newId()), 'key_x']) {
    assertRefused(await call('DELETE', `/developers/keys/${id}`, { token }), 404, 'not_found')
    for (const body of [{}, { owner: 1 }]) {
      assertRefused(await call('PATCH', `/developers/keys/${id}`, { token, body }), 404, 'not_found')
      assertRefused(await call('POST', `/developers/keys/${id}/roll`, { token, body }), 404, 'not_found')
    }
  }
  assertRefused(
    await call('POST', '/developers/apps', { token, body: { business_id: toWire('biz', newId()) } }),
    404,
    'not_found',
  )
  assert.deepEqual((await call('GET', '/developers/apps', { token })).body.data, [])
  assert.deepEqual((await call('GET', '/developers/keys', { token })).body.data, [])
  assert.equal((await probe(key)).status, 200)
})

test('an app is created, read, changed and deleted', async () => {
  const asha = await app.register()
  const { access: token } = asha
  const created = await call('POST', '/developers/apps', {
    token,
    body: { name: ' Campus shop ', description: 'Sells\npens', environment: 'live', business_id: null },
  })
  assert.equal(created.status, 201)
  const { id, created_at, ...facts } = created.body.data
  assert.deepEqual(facts, {
    name: 'Campus shop',
    description: 'Sells\npens',
    business_id: null,
    environment: 'live',
    status: 'active',
  })
  assert.match(created_at, /\.\d{3}Z$/)
  const url = `/developers/apps/${id}`
  assert.deepEqual((await call('GET', url, { token })).body.data, created.body.data)

  const changed = await call('PATCH', url, { token, body: { name: 'Pens', description: null } })
  assert.deepEqual([changed.body.data.name, changed.body.data.description], ['Pens', null])
  assert.equal((await call('PATCH', url, { token })).body.data.name, 'Pens')

  const deleted = await call('DELETE', url, { token })
  assert.deepEqual([deleted.status, deleted.body.data.status], [200, 'deleted'])
  assertRefused(await call('GET', url, { token }), 404, 'not_found')
  assertRefused(await call('DELETE', url, { token }), 404, 'not_found')
})

test('fixed and unknown fields of an app are refused by name', async () => {
  const asha = await app.register()
  const id = await createApp(asha)
  for (const field of ['environment', 'business_id', 'owner', 'id', 'status']) {
    const answer = await call('PATCH', `/developers/apps/${id}`, { token: asha.access, body: { name: 'X', [field]: 'live' } })
    assertRefused(answer, 400, 'validation_error')
    assert.deepEqual(problemsOf(answer), [`${field}: unknown_field`])
  }
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, ['name: required', 'environment: required']],
    [{ name: '', environment: 'test' }, ['name: invalid']],
    [{ name: 'a'.repeat(121), environment: 'test' }, ['name: invalid']],
    [{ name: 'a', environment: 'production' }, ['environment: invalid']],
    [{ name: 'a', environment: 'test', description: 'a'.repeat(1001) }, ['description: invalid']],
    [{ name: 'a', environment: 'test', balance: 5 }, ['balance: unknown_field']],
  ]
  for (const [body, expected] of cases) {
    const answer = await call('POST', '/developers/apps', { token: asha.access, body })
    assertRefused(answer, 400, 'validation_error')
    assert.deepEqual(problemsOf(answer), expected)
  }
})

test('apps and keys are listed newest first in pages, each once', async () => {
  const asha = await app.register()
  const appIds: string[] = []
  for (let number = 0; number < 5; number += 1) appIds.push(await createApp(asha, { name: `App ${number}` }))
  const keyIds: string[] = []
  for (let number = 0; number < 5; number += 1) keyIds.push((await createKey(asha, appIds[number % 2]!)).id)

  const listAll = async (url: string): Promise<string[]> => {
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await call('GET', `${url}limit=2${cursor}`, { token: asha.access })
      seen.push(...body.data.map((item: { id: string }) => item.id))
      if (!body.has_more) return seen
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  assert.deepEqual(await listAll('/developers/apps?'), appIds.toReversed())
  assert.deepEqual(await listAll('/developers/keys?'), keyIds.toReversed())
  assert.deepEqual(await listAll(`/developers/keys?app_id=${appIds[0]}&`), [keyIds[4], keyIds[2], keyIds[0]])

  const { next_cursor } = (await call('GET', '/developers/apps?limit=1', { token: asha.access })).body
  assertRefused(await call('GET', `/developers/keys?cursor=${next_cursor}`, { token: asha.access }), 400, 'cursor_invalid')
  assertRefused(await call('GET', '/developers/apps?limit=101', { token: asha.access }), 400, 'validation_error')
  for (const [from, status] of [
    ['0000-01-01T00:00:00Z', 400],
    ['9999-12-31T23:59:59-01:00', 400],
    ['2026-02-30T00:00:00Z', 400],
    ['0001-01-02T00:00:00%2B23:59', 200],
  ] as const) {
    assert.equal((await call('GET', `/developers/apps?created_from=${from}`, { token: asha.access })).status, status, from)
  }
  const later = new Date(app.clock.now() + 1000).toISOString()
  assert.deepEqual((await call('GET', `/developers/apps?created_from=${later}`, { token: asha.access })).body.data, [])
  assert.equal((await call('GET', `/developers/apps?created_to=${later}`, { token: asha.access })).body.data.length, 5)
})

test('apps are filtered by merchant and by environment', async () => {
  const [asha, stranger] = [await app.register(), await app.register()]
  const id = newId()
  await app.owner.pool.query(
    `insert into merchants (id, home, kind, user_id, display_name, verification_status) values ($1, 5, 'business', $2, 'Duka', 'verified')`,
    [id, asha.id && fromWire('usr', asha.id)],
  )
  const business = toWire('biz', id)
  const own = await createApp(asha, { name: 'Own' })
  const ofBusiness = await createApp(asha, { name: 'Shop', business_id: business })
  const live = await createApp(asha, { name: 'Shop live', business_id: business, environment: 'live' })
  const listed = async (query: string): Promise<string[]> => {
    const { body } = await call('GET', `/developers/apps?${query}`, { token: asha.access })
    return body.data.map((shopApp: { id: string }) => shopApp.id)
  }
  assert.deepEqual(await listed(''), [live, ofBusiness, own])
  assert.deepEqual(await listed('owner=personal'), [own])
  assert.deepEqual(await listed(`owner=${business}`), [live, ofBusiness])
  assert.deepEqual(await listed(`owner=${business}&environment=test`), [ofBusiness])
  assert.deepEqual(await listed('environment=live'), [live])
  for (const owner of [business, 'biz_x', 'me', '']) {
    assertRefused(await call('GET', `/developers/apps?owner=${owner}`, { token: stranger.access }), 404, 'not_found')
  }
})

test('the value of a key is shown once and is nowhere in the database', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const created = await wantKey(asha, appId, { environment: 'test', scopes: ['pages:read', 'pages:write', 'pages:read'] })
  assert.equal(created.headers['cache-control'], 'no-store')
  const { key, id, created_at, ...facts } = created.body.data
  assert.match(key, /^svc_test_[0-9A-Za-z]{38}$/)
  assert.deepEqual(facts, {
    app_id: appId,
    key_name: 'Server',
    environment: 'test',
    scopes: ['pages:read', 'pages:write'],
    waiting_scopes: [],
    unkept_since: null,
    key_prefix: 'svc_test_',
    last4: key.slice(-4),
    status: 'active',
    expires_at: null,
    allowed_ips: [],
    last_used_at: null,
  })
  assert.ok(created_at)
  const [listed] = (await call('GET', '/developers/keys', { token: asha.access })).body.data
  assert.deepEqual([listed.id, 'key' in listed], [id, false])
  const [dump] = await app.owner.rows<{ text: string }>(sql`select string_agg(k::text, '') as text from api_keys k`)
  assert.ok(!dump!.text.includes(key.slice(9, 41)))
})

test('each error in a new key is named', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const past = new Date(app.clock.now() - 1000).toISOString()
  const cases: [Record<string, unknown>, string[]][] = [
    [{ scopes: [] }, ['scopes: invalid']],
    [{ scopes: ['pages:read', 'everything'] }, ['scopes.1: invalid']],
    [{ scopes: 'pages:read' }, ['scopes: invalid']],
    [{ key_name: ' ' }, ['key_name: invalid']],
    [{ key_name: undefined }, ['key_name: required']],
    [{ environment: 'live' }, ['environment: invalid']],
    [{ expires_at: past }, ['expires_at: invalid']],
    [{ expires_at: '9999-12-31T23:59:59-01:00' }, ['expires_at: invalid']],
    [{ expires_at: 'tomorrow' }, ['expires_at: invalid']],
    [{ allowed_ips: ['203.0.113.7', '10.0.0.1/8'] }, ['allowed_ips.1: invalid']],
    [{ owner: 'x' }, ['owner: unknown_field']],
  ]
  for (const [body, expected] of cases) {
    const answer = await wantKey(asha, appId, body)
    assertRefused(answer, 400, 'validation_error')
    assert.deepEqual(problemsOf(answer), expected)
  }
  const noApp = await call('POST', '/developers/keys', { token: asha.access, body: { key_name: 'x', scopes: ['pages:read'] } })
  assert.deepEqual(problemsOf(noApp), ['app_id: required'])
  assert.deepEqual((await call('GET', '/developers/keys', { token: asha.access })).body.data, [])
})

test('a live key needs a verified owner, a test key does not', async () => {
  const asha = await app.register()
  const [testApp, liveApp] = [await createApp(asha), await createApp(asha, { environment: 'live' })]
  assert.match((await createKey(asha, testApp)).key, /^svc_test_/)
  for (const status of ['unsubmitted', 'pending', 'rejected'] as const) {
    await setVerificationStatus(app.db, fromWire('usr', asha.id)!, status)
    assertRefused(await wantKey(asha, liveApp), 403, 'kyc_required')
    // The permission check comes before the schema check.
    assertRefused(await wantKey(asha, liveApp, { scopes: 'all', owner: 1 }), 403, 'kyc_required')
  }
  await setKycStatus(app, asha.email, 'verified')
  const live = await createKey(asha, liveApp)
  assert.match(live.key, /^svc_live_/)
  const { owner } = (await probe(live.key)).body.data
  assert.deepEqual([owner.environment, owner.merchant.id], ['live', fromWire('usr', asha.id)])
})

test('a key identifies its caller: merchant, environment, app, key, scopes', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const { id, key } = await createKey(asha, appId, { scopes: ['pages:read', 'payouts:read'] })
  const userId = fromWire('usr', asha.id)!
  assert.deepEqual((await probe(key)).body.data, {
    owner: {
      merchant: {
        id: userId,
        home: homeOfMerchant(userId),
        kind: 'personal',
        userId,
        displayName: 'Asha Mwinyi',
        suspendedAt: null,
        suspensionReason: null,
        verificationStatus: 'unsubmitted',
      },
      environment: 'test',
    },
    appId: fromWire('app', appId),
    appName: 'Campus shop',
    keyId: fromWire('key', id),
    keyName: 'Server',
    scopes: ['pages:read', 'payouts:read'],
    expiresAt: null,
    payoutsFrom: null,
    createdBy: userId,
  })
})

test('each scope opens only its own routes, and the refusal names the missing scope', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  for (const scope of scopes) {
    const { key } = await createKey(asha, appId, { scopes: [scope] })
    for (const wanted of scopes) {
      const answer = await probe(key, wanted)
      if (wanted === scope) assert.equal(answer.status, 200)
      else {
        assertRefused(answer, 403, 'insufficient_scope')
        assert.deepEqual(answer.body.error.details, { required_scope: wanted })
      }
    }
  }
})

test('a text that cannot be a key is refused without a query', async () => {
  const asha = await app.register()
  const { key } = await createKey(asha, await createApp(asha))
  const typo = key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21)
  const wrong = [
    typo,
    key.slice(0, -1),
    key.toLowerCase(),
    `${key} x`,
    key.replace('test', 'live'),
    `${key},${key}`,
    'x'.repeat(10_000),
    "' or 1=1",
  ]
  const before = app.queryCount()
  for (const text of wrong) assertRefused(await probe(text), 401, 'invalid_api_key')
  assertRefused(await call('GET', probePath('pages:read')), 401, 'authentication_required')
  assertRefused(await call('GET', probePath('pages:read'), { key: '' }), 401, 'authentication_required')
  assertRefused(await call('GET', probePath('pages:read'), { token: asha.access }), 401, 'authentication_required')
  assert.equal(app.queryCount(), before)
  assertRefused(await probe(newKeyValue('test')), 401, 'invalid_api_key')
  assert.equal(app.queryCount(), before + 1)
})

test('a revoked key, and every key of a deleted app, stops at the next request', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const [first, second] = [await createKey(asha, appId), await createKey(asha, appId)]
  const revoke = () => call('DELETE', `/developers/keys/${first.id}`, { token: asha.access })
  const revoked = await revoke()
  assert.deepEqual([revoked.status, revoked.body.data.status, 'key' in revoked.body.data], [200, 'revoked', false])
  assert.equal((await revoke()).status, 200)
  assertRefused(await probe(first.key), 401, 'api_key_revoked')
  assert.equal((await probe(second.key)).status, 200)

  await call('DELETE', `/developers/apps/${appId}`, { token: asha.access })
  assertRefused(await probe(second.key), 401, 'api_key_revoked')
  assertRefused(await call('DELETE', `/developers/keys/${second.id}`, { token: asha.access }), 404, 'not_found')
  assertRefused(await wantKey(asha, appId), 404, 'not_found')
  assert.deepEqual((await call('GET', '/developers/keys', { token: asha.access })).body.data, [])
})

test('no key is created in an app that is being deleted', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const deleted = sql`update apps set deleted_at = clock_now() where id = ${fromWire('app', appId)}`
  assertRefused(await app.during(deleted, () => wantKey(asha, appId)), 404, 'not_found')
})

test('a key ends when it expires, and shows that for seven days before', async () => {
  const asha = await app.register()
  const inDays = (days: number) => new Date(app.clock.now() + days * 86_400_000).toISOString()
  const appId = await createApp(asha)
  const { id, key } = await createKey(asha, appId, { expires_at: inDays(8) })
  const statusOf = async (): Promise<string> =>
    (await call('GET', `/developers/keys?app_id=${appId}`, { token: (await login(asha)).access_token })).body.data.find(
      (item: { id: string }) => item.id === id,
    ).status
  assert.equal(await statusOf(), 'active')
  await app.moveClock(2 * 86_400)
  assert.equal(await statusOf(), 'expiring')
  assert.equal((await probe(key)).status, 200)
  await app.moveClock(6 * 86_400 + 5)
  assert.equal(await statusOf(), 'expired')
  assertRefused(await probe(key), 401, 'api_key_expired')
})

async function login(person: Person): Promise<{ access_token: string }> {
  return (await call('POST', '/v1/auth/login', { body: { identifier: person.email, password: person.password } })).body.data
}

test('the key of a disabled person stops working', async () => {
  const asha = await app.register()
  const { key } = await createKey(asha, await createApp(asha))
  await app.owner.rows(sql`update users set disabled_at = clock_now() where email = ${asha.email}`)
  assertRefused(await probe(key), 401, 'api_key_revoked')
})

test('keys under an older pepper of the keyring still work', async () => {
  const asha = await app.register()
  const { id, key } = await createKey(asha, await createApp(asha))
  const older = app.config.keys.peppers[1]!
  await app.owner.rows(sql`
    update api_keys set key_hash = ${hashOfKey(older, key)}, pepper_id = ${older.id} where id = ${fromWire('key', id)}`)
  assert.equal((await probe(key)).status, 200)
})

test('the last use of a key is recorded at most once a minute', async () => {
  const asha = await app.register()
  const appId = await createApp(asha)
  const { key } = await createKey(asha, appId)
  const lastUsed = async (): Promise<string | null> =>
    (await call('GET', `/developers/keys?app_id=${appId}`, { token: asha.access })).body.data[0].last_used_at
  const changedFrom = async (earlier: string | null): Promise<string | null> => {
    // The request does not wait for the note.
    for (const deadline = Date.now() + 5000; Date.now() < deadline;) if ((await lastUsed()) !== earlier) break
    return lastUsed()
  }
  await probe(key)
  const first = await changedFrom(null)
  assert.notEqual(first, null)
  await probe(key)
  await probe(key)
  assert.equal(await lastUsed(), first)
  await app.moveClock(61)
  await probe(key)
  assert.notEqual(await changedFrom(first), first)
})

test('a live key of a business that lost its verification is refused, a test key still works', async () => {
  const asha = await app.register()
  const userId = fromWire('usr', asha.id)!
  const businessId = newId()
  const insert = async (environment: 'test' | 'live'): Promise<string> => {
    const value = newKeyValue(environment)
    const [appId, pepper] = [newId(), app.config.keys.peppers[0]!]
    await app.owner.rows(sql`
      insert into apps (id, merchant_id, environment, name) values (${appId}, ${businessId}, ${environment}, 'Shop')`)
    await app.owner.rows(sql`
      insert into api_keys (id, app_id, merchant_id, environment, key_name, scopes, key_hash, pepper_id, last4, created_by)
      values (${newId()}, ${appId}, ${businessId}, ${environment}, 'Server', ${['pages:read']}, ${hashOfKey(pepper, value)},
        ${pepper.id}, ${value.slice(-4)}, ${userId})`)
    return value
  }
  await app.owner.rows(sql`
    insert into merchants (id, home, kind, user_id, display_name, verification_status)
    values (${businessId}, ${homeOfMerchant(businessId)}, 'business', ${userId}, 'Duka', 'verified')`)
  const [testKey, liveKey] = [await insert('test'), await insert('live')]
  assert.equal((await probe(liveKey)).body.data.owner.merchant.kind, 'business')
  await app.owner.rows(sql`update merchants set verification_status = 'rejected' where id = ${businessId}`)
  assertRefused(await probe(liveKey), 403, 'business_not_verified')
  assertRefused(await probe(liveKey, 'pages:write'), 403, 'insufficient_scope')
  assert.equal((await probe(testKey)).status, 200)
  const { data: apps } = (await call('GET', '/developers/apps', { token: asha.access })).body
  assert.deepEqual(
    apps.map((shopApp: { business_id: string }) => shopApp.business_id),
    [toWire('biz', businessId), toWire('biz', businessId)],
  )
})

test('a setting can relax verification only for the test environment', () => {
  const merchant = {
    id: newId(),
    home: 0,
    kind: 'personal',
    userId: newId(),
    displayName: 'A',
    verificationStatus: 'pending',
    suspendedAt: null,
    suspensionReason: null,
  } as const
  const relaxed = { testWritesBeforeVerification: true }
  requireVerified({ merchant, environment: 'test' }, relaxed)
  assert.throws(() => requireVerified({ merchant, environment: 'live' }, relaxed), { httpStatus: 403, code: 'kyc_required' })
  assert.throws(() => requireVerified({ merchant, environment: 'test' }, { testWritesBeforeVerification: false }))
})
