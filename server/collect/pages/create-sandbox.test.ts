/** A new account, and a new business, can test at once: its key reads and receives webhooks, and its page takes payments, before any verification. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { businessFacts } from '../../../test/onboarding.ts'
import { scopes } from '../../domain/scope.ts'
import { fromWire } from '../../platform/ids.ts'

const shared = share((ending) => startTestApp(ending, { worker: true }))

const person = () => ({
  full_name: 'Asha Mwinyi',
  email: `${randomBytes(6).toString('hex')}@example.com`,
  phone_number: `+25571${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`,
  password: 'correct horse battery',
  student_id: '1',
  institution: 'UDSM',
})

async function register() {
  const app = await shared()
  const { status, body } = await app.call('POST', '/v1/auth/register', { body: person() })
  assert.equal(status, 201, JSON.stringify(body))
  return { app, ...body.data }
}

/** A new business of a new person, with its own sandbox; it stays unverified. */
async function registerBusiness() {
  const { app, access_token: token } = await register()
  const { status, headers, body } = await app.call('POST', '/v1/businesses', { token, body: businessFacts })
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal(headers.get('cache-control'), 'no-store')
  return { app, access_token: token, id: body.data.id, sandbox: body.data.sandbox }
}

const newMerchants = {
  account: async () => ({ ...(await register()), id: null }),
  business: registerBusiness,
}

for (const [kind, make] of Object.entries(newMerchants)) {
  test(`a new ${kind} has one test app, one test key with every scope, and one test page`, async () => {
    const { app, sandbox, access_token: token, id } = await make()
    const owner = id ?? 'personal'
    const apps = (await app.call('GET', `/developers/apps?owner=${owner}`, { token })).body.data
    assert.deepEqual(
      apps.map(({ id: appId, environment, business_id }: any) => ({ id: appId, environment, business_id })),
      [{ id: sandbox.app_id, environment: 'test', business_id: id }],
    )
    const keys = (await app.call('GET', `/developers/keys?app_id=${sandbox.app_id}`, { token })).body.data
    assert.equal(keys.length, 1)
    assert.deepEqual([keys[0].scopes, keys[0].last4], [[...scopes], sandbox.key.slice(-4)])
    assert.ok(!('key' in keys[0]), 'the key is shown once')
    const pages = (await app.call('GET', '/v1/payment-pages', { key: sandbox.key })).body.data
    assert.deepEqual(
      pages.map(({ slug, url, amount, min_amount, allow_custom_amount }: any) => ({
        slug,
        url,
        amount,
        min_amount,
        allow_custom_amount,
      })),
      [{ slug: sandbox.page_slug, url: sandbox.page_url, amount: null, min_amount: 500, allow_custom_amount: true }],
    )
    assert.equal((await fetch(sandbox.page_url)).status, 200)
    const business = id === null ? '' : `&business_id=${id}`
    const live = await app.call('GET', `/v1/merchant/payment-pages?environment=live${business}`, { token })
    assert.deepEqual(live.body.data, [])
  })

  test(`the sandbox of a new ${kind} takes a payment, credits the test wallet and sends an event, without any verification`, async () => {
    const { app, sandbox } = await make()
    const paid = await app.checkout(sandbox.page_slug, { amount: 500 })
    assert.equal(paid.status, 201, JSON.stringify(paid.body))
    assert.equal((await app.settled(paid.body.data.reference)).status, 'completed')
    const { key } = sandbox
    const balance = (await app.call('GET', '/v1/balance', { key })).body.data
    assert.deepEqual([balance.available, balance.environment], [500, 'test'])
    const events = await eventually('the event is stored', async () => {
      const { body } = await app.call('GET', '/v1/events?type=payment.completed', { key })
      return body.data.length > 0 && body.data
    })
    assert.equal(events[0].data.reference, paid.body.data.reference)
  })

  test(`the sandbox does not replace the verification of a new ${kind}: other pages and payouts are refused, also in test`, async () => {
    const { app, sandbox, id } = await make()
    const { key } = sandbox
    const page = await app.call('POST', '/v1/payment-pages', { key, body: { type: 'payment', title: 'Chai', amount: 1000 } })
    const changed = await app.call('PATCH', `/v1/payment-pages/${sandbox.page_slug}`, { key, body: { title: 'Chai' } })
    const payout = await app.call('POST', '/v1/payouts', {
      key,
      headers: { 'idempotency-key': 'one' },
      body: { amount: 5000, phone_number: '+255754123789', recipient_name: 'Juma' },
    })
    for (const answer of [page, changed, payout]) {
      assert.equal(answer.status, 403, JSON.stringify(answer.body))
      assert.equal(answer.body.error.code, id === null ? 'kyc_required' : 'business_not_verified')
      assert.match(answer.body.error.message, /dashboard/)
    }
  })
}

test('a repeated registration of a business makes no second one, and does not show the key again', async () => {
  const { app, access_token: token } = await register()
  const send = () => app.call('POST', '/v1/businesses', { token, headers: { 'idempotency-key': 'my shop' }, body: businessFacts })
  const answers = await Promise.all([send(), send()])
  const first = answers.find(({ status }) => status === 201)
  assert.ok(first, JSON.stringify(answers))
  const { id, sandbox } = first.body.data
  const again = await send()
  assert.deepEqual([again.status, again.body.error.code, again.body.error.details], [409, 'already_created', { id }])
  assert.ok(!answers.some((answer) => answer !== first && JSON.stringify(answer.body).includes(sandbox.key)))
  const businesses = (await app.call('GET', '/v1/businesses', { token })).body.data
  assert.deepEqual(
    businesses.map((business: any) => business.id),
    [id],
  )
  assert.ok(!('sandbox' in businesses[0]))
  assert.equal((await app.call('GET', `/developers/apps?owner=${id}`, { token })).body.data.length, 1)
  const kept = await app.owner.pool.query('select body from idempotent_answers where object_id = $1', [id])
  assert.deepEqual(kept.rows, [{ body: null }])
})

test('the audit log names the service, not the person, as the maker of a sandbox', async () => {
  const { app, id } = await registerBusiness()
  const { rows } = await app.owner.pool.query('select action, actor from audit_log where merchant_id = $1 order by seq', [
    fromWire('biz', id),
  ])
  assert.deepEqual(
    rows.map(({ action, actor }: any) => `${action} ${actor === 'system' ? actor : 'person'}`),
    ['business.registered person', 'app.created system', 'key.created system'],
  )
})

for (const by of ['key', 'session'] as const) {
  test(`the sandbox refunds a payment by ${by}, without any verification [R18]`, async () => {
    const { app, sandbox, access_token: token } = await register()
    const reference = (await app.checkout(sandbox.page_slug, { amount: 5000 })).body.data.reference
    assert.equal((await app.settled(reference)).status, 'completed')
    // The fee of a refund comes from the wallet.
    await app.settled((await app.checkout(sandbox.page_slug, { amount: 5000, phone_number: '0784123789' })).body.data.reference)
    const asked = by === 'key' ? { key: sandbox.key } : { token }
    const prefix = by === 'key' ? '/v1' : '/v1/merchant'
    const refund = await app.call('POST', `${prefix}/payments/${reference}/refunds?${by === 'key' ? '' : 'environment=test'}`, {
      ...asked,
      headers: { 'idempotency-key': 'one' },
      body: {},
    })
    assert.equal(refund.status, 201, JSON.stringify(refund.body))
    await eventually('the payer has the refund', async () => {
      const { body } = await app.call('GET', `/v1/refunds/${refund.body.data.id}`, { key: sandbox.key })
      return body.data.status === 'completed'
    })
  })
}

test('a registration that is refused makes no sandbox', async () => {
  const app = await shared()
  const someone = person()
  assert.equal((await app.call('POST', '/v1/auth/register', { body: someone })).status, 201)
  const countOf = async () =>
    (await app.owner.pool.query('select (select count(*) from apps) as apps, (select count(*) from payment_page_slugs) as slugs'))
      .rows[0]
  const before = await countOf()
  const again = await app.call('POST', '/v1/auth/register', { body: { ...person(), email: someone.email } })
  assert.equal(again.body.error.code, 'already_registered')
  assert.ok(!JSON.stringify(again.body).includes('svc_test_'))
  assert.deepEqual(await countOf(), before)
})
