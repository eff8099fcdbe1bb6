/** Processes that die around the statement that ends a payment or a refund: its event exists once and arrives, whoever commits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, type TestApp } from '../app.ts'
import { startFleet } from '../fleet.ts'
import { startShop } from '../webhook-shop.ts'
import { askToPay } from './shop.ts'

const query = (app: TestApp, text: string) => app.owner.pool.query(text)

async function countOf(app: TestApp, type: string): Promise<number> {
  const { rows } = await app.owner.pool.query('select 1 from events where type = $1', [type])
  return rows.length
}

type Shop = Awaited<ReturnType<typeof startShop>>

/** The event exists once, and the receiver has it under one id. Beside it, it may have the completed payment. */
async function arrivesOnce(app: TestApp, { received }: Shop, type: string): Promise<void> {
  // The killed process may have claimed it. A claim of its successor may end too: then it arrives twice, under one id.
  await query(app, `update webhook_deliveries set lease_until = clock_now() - interval '1 second' where leased_by is not null`)
  await eventually('it is delivered', async () => {
    const { rows } = await query(app, `select 1 from webhook_deliveries where status <> 'delivered'`)
    return rows.length === 0 && received.some(({ body }) => body.includes(type))
  })
  assert.equal(await countOf(app, type), 1)
  const events = received.map(({ body }) => JSON.parse(body) as { id: string; type: string })
  const types = new Map(events.map((event) => [event.id, event.type]))
  assert.deepEqual(
    [...types.values()].filter((one) => one !== 'payment.completed'),
    [type],
  )
}

for (const step of ['before C4', 'after C4'] as const) {
  test(`kill -9 ${step.split(' ')[0]} a failed payment is committed: one payment.failed arrives`, async (t) => {
    // The poll is far away: the end comes from the stored message, or from the provider’s own retry of it.
    const simulator = { webhookDelaysMs: [0, 1_000, 1_000, 2_000, 4_000, 8_000] }
    const fleet = await startFleet(t, { PAYMENT_CHECK_DELAYS_SECONDS: '300' }, { simulator })
    const { app } = fleet
    const shop = await startShop(t, app, (response) => response.end(), ['payment.failed'])
    const dying = await fleet.api(step)
    const asked = await askToPay(dying.url, shop.page.slug, 'order', '0754123049')
    assert.equal(asked.status, 201)
    await dying.reached
    await dying.kill()
    assert.equal(await countOf(app, 'payment.failed'), step === 'after C4' ? 1 : 0)
    await fleet.api()
    await fleet.worker()
    await query(app, `update provider_inbox set next_attempt_at = clock_now() - interval '1 second' where state = 'received'`)
    await arrivesOnce(app, shop, 'payment.failed')
  })
}

for (const step of ['before S3', 'after S3'] as const) {
  test(`kill -9 ${step.split(' ')[0]} an expired payment is committed: one payment.expired arrives`, async (t) => {
    const fleet = await startFleet(t, { PAYMENT_CHECK_DELAYS_SECONDS: '300' })
    const { app } = fleet
    const shop = await startShop(t, app, (response) => response.end(), ['payment.expired'])
    const api = await fleet.api()
    assert.equal((await askToPay(api.url, shop.page.slug, 'order', '0754000111')).status, 201)
    const makeDue = () =>
      query(
        app,
        `update provider_charges set next_attempt_at = clock_now() - interval '1 second' where next_attempt_at is not null`,
      )
    await query(app, `update payments set expires_at = clock_now() - interval '1 second'`)
    await makeDue()
    const dying = await fleet.worker(step)
    await dying.reached
    await dying.kill()
    assert.equal(await countOf(app, 'payment.expired'), step === 'after S3' ? 1 : 0)
    await makeDue()
    await fleet.worker()
    await arrivesOnce(app, shop, 'payment.expired')
  })
}

for (const step of ['before P3', 'after P3'] as const) {
  test(`kill -9 ${step.split(' ')[0]} a completed refund is committed: one refund.completed arrives`, async (t) => {
    const fleet = await startFleet(t)
    const { app } = fleet
    const shop = await startShop(t, app, (response) => response.end(), ['refund.completed'])
    const page = await app.page(shop.student, { amount: 100_000 })
    const api = await fleet.api()
    // Its provider sends no messages about this phone: the worker learns the ends of payment and refund by asking.
    const paid = await askToPay(api.url, page.slug, 'order', '0754000139')
    assert.equal(paid.status, 201)
    const first = await fleet.worker()
    const isPaid = async () => (await query(app, `select 1 from payments where status = 'completed'`)).rows.length === 1
    await eventually('it is paid', isPaid)
    assert.equal(await first.stop(), 0)
    const { key } = await app.key(shop.student)
    const response = await fetch(`${api.url}/v1/payments/${paid.reference}/refunds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': 'refund' },
      body: JSON.stringify({ amount: 20_000 }),
      signal: AbortSignal.timeout(60_000),
    })
    assert.equal(response.status, 201, await response.text())
    const isSent = async () => (await query(app, `select 1 from payouts where status = 'processing'`)).rows.length === 1
    await eventually('it is at the provider', isSent)
    const isOver = async () => (await app.truth()).payouts[0]?.status === 'completed'
    await eventually('the provider has completed it', isOver)
    const makeDue = () =>
      query(app, `update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null`)
    await makeDue()
    const dying = await fleet.worker(step)
    await dying.reached
    await dying.kill()
    assert.equal(await countOf(app, 'refund.completed'), step === 'after P3' ? 1 : 0)
    await makeDue()
    await fleet.worker()
    await arrivesOnce(app, shop, 'refund.completed')
  })
}
