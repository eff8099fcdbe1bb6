/** One row is locked for seconds: payments of other homes do not wait for it, and its own payments settle when it is released. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import type { NewPayment } from './payment.sql.ts'
import { acceptanceOf, newPayment, openShop, sentPayments } from '../../../test/fixtures/payments.ts'
import { settlementOf } from './settlement.ts'

const settle = (app: TestApp, { home, id, providerKey }: NewPayment) =>
  app.deps.settle(
    settlementOf(
      { home, paymentId: id, environment: 'test', provider: 'snippe', actor: 'test', requestId: 'req_test' },
      {
        reference: `ref-${providerKey}`,
        ourReference: null,
        status: 'completed',
        amount: 1500,
        currency: 'TZS',
        fee: 27,
        network: 'mpesa',
        failure: null,
        expiresAt: null,
      },
      600,
    ),
  )

async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work
  return performance.now() - startedAt
}

const heldMs = 3_000

for (const [row, lock] of [
  ['payment', `select 1 from payments where home = $1 and id = $2 for update`],
  ['charge', `select 1 from provider_charges where home = $1 and payment_id = $2 for update`],
  [
    'page',
    `select 1 from payment_pages g where home = $1 and exists (select from payments p where p.id = $2 and p.page_id = g.id) for update`,
  ],
  ['account', `select 1 from ledger_accounts where home = $1 and $2::uuid is not null for update`],
] as const) {
  test(`while a ${row} row is locked for seconds, payments and checkouts of other homes take less than a second, and its own settle after it`, async (t) => {
    const app = await startTestApp(t, { settings: { RATE_LIMITS: 'off' } })
    const [held, ...others] = await Promise.all([6, 7, 8, 9, 10].map((home) => openShop(app, home)))
    const ours = await sentPayments(app, held!, 10)
    // The accounts of a home are created with its first payment.
    await settle(app, ours.shift()!)
    const free = (await Promise.all(others.map((shop) => sentPayments(app, shop, 25)))).flat()
    const holder = await app.owner.pool.connect()
    await holder.query('begin')
    await holder.query(lock, [held!.home, ours[0]!.id])

    const waiting: Promise<{ verdict: string }>[] = []
    const times: Promise<number>[] = []
    const unbound = newPayment(app, held!)
    const inserting = app.deps.insertPayment(unbound).then(
      () => app.deps.recordAcceptance(acceptanceOf(unbound)),
      () => undefined,
    )
    // A charge that is already bound is not bound again, but the statement still waits for a locked row.
    const accepting = app.deps.recordAcceptance(acceptanceOf(ours[0]!)).catch(() => undefined)
    const startedAt = performance.now()
    let slowest = Infinity
    try {
      for (const [index, payment] of free.entries()) {
        if (index % 12 === 0 && ours.length > 0) waiting.push(settle(app, ours.shift()!))
        times.push(timed(settle(app, payment)))
        if (index % 10 === 5) {
          const checkout = app.checkout(others[index % others.length]!.slug)
          times.push(timed(checkout.then(({ status }) => assert.equal(status, 201))))
        }
        const dueMs = (index * heldMs) / free.length - (performance.now() - startedAt)
        if (dueMs > 0) await sleep(dueMs)
      }
      slowest = Math.max(...(await Promise.all(times)))
      t.diagnostic(`the slowest of ${times.length}: ${Math.round(slowest)} ms`)
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    const verdicts = (await Promise.all(waiting)).map(({ verdict }) => verdict)
    await Promise.all([inserting, accepting])
    assert.deepEqual(verdicts, Array(9).fill('applied'))
    assert.ok(slowest < 1_000, `${slowest} ms`)
  })
}
