/** Attacks with API keys: invented, stolen, with too few scopes, of the wrong environment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newKeyValue } from '../../server/accounts/developers/key.ts'
import { registerBusiness } from '../onboarding.ts'
import { attackAll, startAttackedApp, type Attack } from './attacked-app.ts'
import { share } from '../app.ts'

const sharedApp = share((ending) => startAttackedApp(ending))

test('a text that is not a valid key causes no query [A11]', async (t) => {
  const app = await startAttackedApp(t)
  const { key } = await app.key(await app.student())
  const isLetter = (character: string) => /[a-z]/i.test(character)
  const otherCase = key
    .split('')
    .map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()))
    .join('')
  const wrong: Record<string, string> = {
    'one character of the random part changed': key.slice(0, 20) + (isLetter(key[20]!) ? '7' : 'x') + key.slice(21),
    'one character of the checksum changed': key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'),
    'the last character missing': key.slice(0, -1),
    'the prefix missing': key.slice(9),
    'the other environment’s prefix': key.replace('svc_test_', 'svc_live_'),
    'other case': otherCase,
    'a character more': `${key}x`,
    'ten kilobytes': key + 'x'.repeat(10_000),
    SQL: `${key.slice(0, 9)}' or '1'='1`,
  }
  const queries: string[] = []
  const watched = new WeakSet<object>()
  app.db.pool.on('acquire', (client) => {
    if (watched.has(client)) return
    watched.add(client)
    const ask = client.query.bind(client) as (...all: unknown[]) => unknown
    Object.assign(client, {
      query(...all: unknown[]) {
        const text = JSON.stringify(all[0])
        if (text.includes('api_keys')) queries.push(text)
        return ask(...all)
      },
    })
  })
  await attackAll(
    app,
    Object.entries(wrong).map(([name, value]): Attack => ({
      name,
      send: () => app.call('GET', '/v1/balance', { key: value }),
      expects: '401 invalid_api_key',
    })),
  )
  assert.deepEqual(queries, [])
  // A text that could be a key is looked up, and the attempt is reported.
  await app.attack({
    name: 'a right checksum',
    send: () => app.call('GET', '/v1/balance', { key: newKeyValue('test') }),
    expects: '401 invalid_api_key',
  })
  assert.ok(queries.length > 0)
})

test('test and live never meet, and a business without verification has no live access [A12]', async () => {
  const app = await sharedApp()
  const owner = await app.student()
  const { id } = await registerBusiness(app, owner)
  const [live, testPage] = [await app.key(owner, 'live'), await app.page(owner)]
  const livePage = await app.page(owner, {}, 'live')
  const { key: testKey } = await app.key(owner)
  const shopApp = await app.call('POST', '/developers/apps', {
    token: owner.token,
    body: { name: 'Shop', environment: 'live', business_id: id },
  })
  const reads = (key: string, pageId: string) => () => app.call('GET', `/v1/payment-pages/${pageId}`, { key })
  const changes = (key: string, pageId: string) => () =>
    app.call('PATCH', `/v1/payment-pages/${pageId}`, { key, body: { active: false } })
  await attackAll(app, [
    { name: 'a test key reads a live page', send: reads(testKey, livePage.id), expects: '404 not_found' },
    { name: 'a test key changes a live page', send: changes(testKey, livePage.slug), expects: '404 not_found' },
    { name: 'a live key reads a test page', send: reads(live.key, testPage.id), expects: '404 not_found' },
    {
      name: 'a live key for an unverified business',
      send: () =>
        app.call('POST', '/developers/keys', {
          token: owner.token,
          body: { app_id: shopApp.body.data.id, key_name: 'k', scopes: ['pages:read'] },
        }),
      expects: '403 business_not_verified',
      isMistake: true,
    },
  ])
})

test('a key does what its scopes say and no more, scope by scope [A13]', async () => {
  const app = await sharedApp()
  const owner = await app.student()
  const routes: [scope: string, method: string, path: string][] = [
    ['profile:read', 'GET', '/v1/profile'],
    ['balance:read', 'GET', '/v1/balance'],
    ['transactions:read', 'GET', '/v1/transactions'],
    ['transactions:read', 'GET', '/v1/events'],
    ['pages:read', 'GET', '/v1/payment-pages'],
    ['pages:write', 'POST', '/v1/payment-pages'],
    ['pages:write', 'PATCH', '/v1/payment-pages/x'],
    ['payments:read', 'GET', '/v1/payments'],
    ['payments:read', 'GET', '/v1/payments/x'],
    ['payments:write', 'POST', '/v1/payments'],
    ['payouts:read', 'GET', '/v1/payouts'],
    ['payouts:write', 'POST', '/v1/payouts'],
    ['payouts:read', 'GET', '/v1/payout-batches'],
    ['payouts:write', 'POST', '/v1/payout-batches'],
  ]
  const scopes = [...new Set(routes.map(([scope]) => scope))]
  assert.equal(scopes.length, 9)
  for (const [scope, method, path] of routes) {
    const { key } = await app.key(
      owner,
      'test',
      scopes.filter((one) => one !== scope),
    )
    const answer = await app.attack({
      name: `${method} ${path} without ${scope}`,
      send: () => app.call(method, path, { key, ...(method !== 'GET' && { body: { nonsense: true } }) }),
      expects: '403 insufficient_scope',
    })
    assert.deepEqual(answer.body.error.details, { required_scope: scope })
  }
})

test('a key that was revoked, has expired or lost its app, and one that is used elsewhere [A14]', async () => {
  const app = await sharedApp()
  const owner = await app.student()
  const reads = (key: string) => () => app.call('GET', '/v1/balance', { key })
  const [revoked, orphan, elsewhere, expired] = [
    await app.key(owner),
    await app.key(owner),
    await app.key(owner),
    await app.key(owner),
  ]
  await app.call('DELETE', `/developers/keys/${revoked.keyId}`, { token: owner.token })
  await app.call('DELETE', `/developers/apps/${orphan.appId}`, { token: owner.token })
  const body = { allowed_ips: ['203.0.113.7'] }
  await app.call('PATCH', `/developers/keys/${elsewhere.keyId}`, { token: owner.token, body })
  await app.owner.pool.query(`update api_keys set expires_at = now() - interval '1 second' where last4 = $1`, [
    expired.key.slice(-4),
  ])
  await attackAll(app, [
    { name: 'revoked', send: reads(revoked.key), expects: '401 api_key_revoked' },
    { name: 'its app is deleted', send: reads(orphan.key), expects: '401 api_key_revoked' },
    { name: 'expired', send: reads(expired.key), expects: '401 api_key_expired' },
    { name: 'from somewhere else', send: reads(elsewhere.key), expects: '403 ip_not_allowed' },
    {
      name: 'from somewhere else, with a forged address',
      send: () => app.call('GET', '/v1/balance', { key: elsewhere.key, headers: { 'x-forwarded-for': '203.0.113.7' } }),
      expects: '403 ip_not_allowed',
    },
  ])
})
