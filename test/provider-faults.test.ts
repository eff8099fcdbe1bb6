/** A provider that is slow, silent, or sends false messages, and a payer who leaves: nothing is lost, doubled or believed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderProxy, type ProviderAnswer } from './faults/provider-proxy.ts'
import { startTcpProxy } from './faults/tcp-proxy.ts'
import { eventually, startTestApp, type TestApp } from './app.ts'

const order = (slug: string, changes: Record<string, unknown> = {}) => ({
  slug,
  phone_number: '0754123789',
  customer_name: 'Juma',
  customer_email: 'juma@example.com',
  idempotency_key: 'order-1',
  ...changes,
})

const sums = async (app: TestApp) => {
  const { rows } = await app.owner.pool.query(
    `select (select count(*) from payments)::integer as payments,
       (select count(*) from ledger_transfers where kind = 'payment')::integer as credits,
       (select count(*) from ledger_transfers where kind = 'suspense')::integer as suspended,
       (select coalesce(array_agg(kind order by kind), '{}') from breaks where resolved_at is null) as breaks`,
  )
  return rows[0] as { payments: number; credits: number; suspended: number; breaks: string[] }
}

const statusOf = async (app: TestApp): Promise<string> =>
  (await app.owner.pool.query('select status from payments')).rows[0].status

test('a payer who leaves while the provider is called loses nothing: the work continues, and the same request finds it [F05]', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  await app.control('PATCH', '/switches', { latencyMs: 400 })
  const leaving = new AbortController()
  const left = fetch(`${app.config.urls.api}/v1/payments/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order(page.slug)),
    signal: leaving.signal,
  })
  await eventually('the payment is stored', async () => (await sums(app)).payments === 1)
  leaving.abort()
  await assert.rejects(left)
  const again = await app.checkout(page.slug, order(page.slug))
  assert.equal(again.status, 200, JSON.stringify(again.body))
  assert.equal((await app.settled(again.body.data.reference)).status, 'completed')
  const { charges } = await app.truth()
  assert.deepEqual([charges.length, charges[0].create_calls, (await sums(app)).credits], [1, 1, 1])
})

test('the same key with another amount, phone or name is refused, moves nothing and shows nothing of the first [F07]', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { allow_custom_amount: true, amount: null })
  const first = await app.checkout(page.slug, order(page.slug, { amount: 1500 }))
  assert.equal(first.status, 201)
  const before = await app.settled(first.body.data.reference)
  for (const change of [{ amount: 1600 }, { phone_number: '0754123780' }, { customer_name: 'Asha' }]) {
    const other = await app.checkout(page.slug, order(page.slug, { amount: 1500, ...change }))
    assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_key_reused'])
    assert.ok(!JSON.stringify(other.body).includes(first.body.data.reference.slice(4)))
  }
  assert.deepEqual(await app.settled(first.body.data.reference), before)
  assert.deepEqual(await sums(app), { payments: 1, credits: 1, suspended: 0, breaks: [] })
  assert.equal((await app.truth()).charges.length, 1)
})

const patience = { PROVIDER_TIMEOUT_MS: '400', CHARGE_CLAIM_LEASE_SECONDS: '1', PAYMENT_CHECK_DELAYS_SECONDS: '0.3' }

test('no answer, and the charge was never made: it stays open, and is made once, under the same key, when the connection works again [F10]', async (t) => {
  let simulatorPort = 0
  const line = await startTcpProxy(t, () => ({ port: simulatorPort }))
  const app = await startTestApp(t, {
    worker: true,
    settings: { ...patience, SNIPPE_TEST_BASE_URL: `http://127.0.0.1:${line.port}`, PROVIDER_CIRCUIT_FAILURES: '100' },
  })
  simulatorPort = Number(new URL(app.simulatorUrl).port)
  const page = await app.page(await app.student())
  line.partition('to_server')
  const { status, body } = await app.checkout(page.slug, order(page.slug))
  assert.deepEqual([status, body.data.status], [201, 'processing'])
  await eventually('it was asked about more than once', () => line.connections() > 2)
  assert.deepEqual((await app.truth()).charges, [])
  assert.deepEqual(await sums(app), { payments: 1, credits: 0, suspended: 0, breaks: [] })
  // Blocked data is lost with its connection.
  line.cut()
  line.heal()
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
  const { charges } = await app.truth()
  assert.deepEqual([charges.length, charges[0].prompts], [1, 1])
  assert.equal((await sums(app)).credits, 1)
})

test('no answer, and the charge was made: one credit, by the provider’s message or by our query [F11]', async (t) => {
  for (const webhookLost of [0, 1]) {
    let simulatorPort = 0
    const line = await startTcpProxy(t, () => ({ port: simulatorPort }))
    const app = await startTestApp(t, {
      worker: true,
      settings: { ...patience, SNIPPE_TEST_BASE_URL: `http://127.0.0.1:${line.port}`, PROVIDER_CIRCUIT_FAILURES: '100' },
    })
    simulatorPort = Number(new URL(app.simulatorUrl).port)
    await app.control('PATCH', '/faults', { rates: { webhookLost } })
    const page = await app.page(await app.student())
    line.partition('to_client')
    const { status, body } = await app.checkout(page.slug, order(page.slug))
    assert.equal(status, 201)
    await eventually('the payer has paid', async () => (await app.truth()).charges[0]?.money_moved)
    if (webhookLost === 1) {
      assert.equal(await statusOf(app), 'processing')
      line.cut()
      line.heal()
    }
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
    assert.deepEqual(await sums(app), { payments: 1, credits: 1, suspended: 0, breaks: [] })
    assert.equal((await app.truth()).charges.length, 1)
    line.heal()
    await app.close()
  }
})

const changed = (answer: ProviderAnswer, change: (data: any) => void): ProviderAnswer => {
  const body = JSON.parse(answer.body)
  change(body.data)
  return { ...answer, body: JSON.stringify(body) }
}

test('the first answer of a provider names another payment, amount or currency as paid: no credit, and the case is escalated to operators [F13]', async (t) => {
  let upstream = ''
  const proxy = await startProviderProxy(t, () => upstream)
  const app = await startTestApp(t, { settings: { PAYMENT_CHECK_DELAYS_SECONDS: '300', SNIPPE_TEST_BASE_URL: proxy.url } })
  upstream = app.simulatorUrl
  const page = await app.page(await app.student())
  const answers: [change: (data: any) => void, isHeld: boolean][] = [
    [(data) => Object.assign(data, { status: 'completed', amount: { value: 1400, currency: 'TZS' } }), true],
    [(data) => Object.assign(data, { status: 'completed', amount: { value: 1500, currency: 'USD' } }), true],
    [(data) => Object.assign(data, { metadata: { malipo_payment: 'pay_01kc3v5r2hf0m8e5w9x2y3z4a5' } }), false],
  ]
  for (const [index, [change]] of answers.entries()) {
    proxy.change((method, _path, answer) => (method === 'POST' ? changed(answer, change) : answer))
    const { status } = await app.checkout(
      page.slug,
      order(page.slug, { phone_number: '0754000111', idempotency_key: `lie-${index}` }),
    )
    assert.equal(status, 201)
  }
  await app.deps.backgroundDone()
  assert.deepEqual(await sums(app), {
    payments: 3,
    credits: 0,
    suspended: 1,
    breaks: ['amount_differs', 'amount_differs', 'reference_conflict'],
  })
})
