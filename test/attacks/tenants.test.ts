/** Attacks on data of another owner: by ids in bodies and queries, by fields that callers may not set, by counting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromWire } from '../../server/platform/ids.ts'
import { registerBusiness } from '../onboarding.ts'
import { attackAll, startAttackedApp, type Attack } from './attacked-app.ts'

test('ids of another owner in a body, a query or a cursor lead nowhere [A15]', async (t) => {
  const app = await startAttackedApp(t)
  const [owner, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const { id: business } = await registerBusiness(app, owner)
  const [owners, strangers] = [await app.key(owner), await app.key(stranger)]
  const page = await app.page(owner)
  for (let count = 0; count < 2; count += 1) await app.page(owner)
  const { next_cursor: cursor } = (await app.call('GET', '/v1/payment-pages?limit=1', { key: owners.key })).body
  const { token } = stranger
  const call = (method: string, path: string, body?: unknown) => () => app.call(method, path, { token, body })
  await attackAll(app, [
    {
      name: 'an app for another owner’s business',
      send: call('POST', '/developers/apps', { name: 'x', environment: 'test', business_id: business }),
      expects: '404 not_found',
    },
    {
      name: 'a key for another owner’s app',
      send: call('POST', '/developers/keys', { app_id: owners.appId, key_name: 'x', scopes: ['payouts:write'] }),
      expects: '404 not_found',
    },
    {
      name: 'the keys of another owner’s app',
      send: call('GET', `/developers/keys?app_id=${owners.appId}`),
      expects: '404 not_found',
    },
    {
      name: 'the wallet of another owner’s business',
      send: call('GET', `/v1/merchant/balance?business_id=${business}`),
      expects: '404 not_found',
    },
    {
      name: 'a page for another owner’s business',
      send: call('POST', `/v1/merchant/payment-pages?business_id=${business}`, { type: 'payment', title: 'x', amount: 500 }),
      expects: '404 not_found',
    },
    {
      name: 'another owner’s page by its id in a body',
      send: () => app.call('PATCH', '/v1/payment-pages', { key: strangers.key, body: { id: page.id, title: 'Mine' } }),
      expects: '404 not_found',
    },
    {
      name: 'another owner’s page by its slug in a body',
      send: () => app.call('PATCH', '/v1/payment-pages', { key: strangers.key, body: { slug: page.slug, title: 'Mine' } }),
      expects: '404 not_found',
    },
    {
      name: 'another owner’s cursor',
      send: () => app.call('GET', `/v1/payment-pages?cursor=${cursor}`, { key: strangers.key }),
      expects: '400 cursor_invalid',
    },
    {
      name: 'a forged cursor',
      send: () =>
        app.call('GET', `/v1/payment-pages?cursor=${Buffer.from('["2030-01-01",""]').toString('base64url')}.AAAAAAAAAAAAAAAA`, {
          key: strangers.key,
        }),
      expects: '400 cursor_invalid',
    },
  ])
  // A filter by another owner's object finds nothing, as a filter by an object that does not exist.
  for (const filter of [`payment_page_id=${page.id}`, `reference=pay_01jz8e6c9kf0x9v4m2n7q5t3ab`]) {
    const { status, body } = await app.call('GET', `/v1/transactions?${filter}`, { key: strangers.key })
    assert.deepEqual([status, body.data], [200, []])
  }
})

test('a caller cannot set protected fields: owner, status, balance, role [A17]', async (t) => {
  const app = await startAttackedApp(t)
  const owner = await app.student()
  const { key, appId, keyId } = await app.key(owner)
  const page = await app.page(owner)
  const business = await registerBusiness(app, owner)
  const { token } = owner
  const hostile: Record<string, unknown> = {
    owner: { type: 'personal', id: owner.userId },
    business_id: business.id,
    balance: 1_000_000,
    status: 'verified',
    role: 'admin',
    environment: 'live',
    paid_total: 1,
    kyc_status: 'verified',
    home: 1,
  }
  const endpoints: [string, string, object][] = [
    ['PATCH', `/v1/payment-pages/${page.id}`, { key }],
    ['PATCH', '/v1/payment-pages', { key }],
    ['POST', '/v1/payment-pages', { key }],
    ['PATCH', '/v1/me', { token }],
    ['PATCH', `/v1/businesses/${business.id}`, { token }],
    ['PATCH', `/developers/apps/${appId}`, { token }],
    ['PATCH', `/developers/keys/${keyId}`, { token }],
    ['POST', '/v1/auth/register', {}],
  ]
  for (const [method, path, credentials] of endpoints) {
    for (const [field, value] of Object.entries(hostile)) {
      const answer = await app.attack({
        name: `${method} ${path} with ${field}`,
        send: () => app.call(method, path, { ...credentials, body: { [field]: value } }),
        expects: '400 validation_error',
        isMistake: true,
      })
      const named: string[] = answer.body.error.errors.map(
        (error: { field: string; code: string }) => `${error.field} ${error.code}`,
      )
      assert.ok(
        named.some((one) => one.startsWith(`${field} `)),
        `${path} ${named.join()}`,
      )
    }
  }
  const rows: Attack[] = ['slug', 'type'].map((field) => ({
    name: `the ${field} of a page never changes`,
    send: () => app.call('PATCH', `/v1/payment-pages/${page.id}`, { key, body: { [field]: 'donation' } }),
    expects: '400 validation_error',
    isMistake: true,
  }))
  await attackAll(app, rows)
})

test('an id expects nothing about the next one [A65]', async (t) => {
  const app = await startAttackedApp(t)
  const page = await app.page(await app.student())
  const made = await Promise.all(Array.from({ length: 40 }, () => app.checkout(page.slug)))
  const tails = made.map(({ body }) => fromWire('pay', body.data.reference)!.replaceAll('-', '').slice(-15))
  assert.equal(new Set(tails).size, tails.length)
  // 60 of the 62 random bits: each of them is set about as often as not.
  for (let bit = 0; bit < 60; bit += 1) {
    const set = tails.filter((tail) => (BigInt(`0x${tail}`) >> BigInt(bit)) & 1n).length
    assert.ok(set > 4 && set < 36, `bit ${bit} is set in ${set} of ${tails.length}`)
  }
  await Promise.all(made.map(({ body }) => app.settled(body.data.reference)))
  const [reference] = made.map(({ body }) => body.data.reference as string)
  const last = reference!.at(-1)!
  const neighbours = '0123456789abcdefghjkmnpqrstvwxyz'
    .split('')
    .filter((one) => one !== last)
    .slice(0, 20)
  await attackAll(
    app,
    neighbours.map((one) => ({
      name: `the neighbour that ends in ${one}`,
      send: () => app.call('GET', `/v1/payments/${reference!.slice(0, -1)}${one}/status`),
      expects: '404 not_found',
      isMistake: true,
    })),
  )
})
