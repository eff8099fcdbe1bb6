/** The settling statement on a real database: the state machine, and a seeded random run of messages that is compared with a model. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { paymentStatuses, type PaymentStatus } from '../../domain/payment.ts'
import { eventually, share, startTestApp, type TestApp } from '../../../test/app.ts'
import { createSettle, settleLanes } from './settle.ts'
import { settlementOf } from './settlement.ts'
import { endStatuses, transitions } from './payment.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import type { ChargeSnapshot } from '../../money/providers/provider.ts'

const sharedApp = share((ending) => startTestApp(ending))

test('the database holds the same transitions as the service, and marks those that end, credit or are late', async () => {
  const app = await sharedApp()
  const { rows } = await app.owner.pool.query(
    'select from_status, to_status, ends, credits, late from payment_transitions order by from_status, to_status',
  )
  const expected = paymentStatuses
    .flatMap((from) =>
      transitions[from].map((to) => ({
        from_status: from,
        to_status: to,
        ends: endStatuses.has(to),
        credits: to === 'completed',
        late: endStatuses.has(from),
      })),
    )
    .sort((a, b) => (a.from_status + a.to_status < b.from_status + b.to_status ? -1 : 1))
  assert.deepEqual(rows, expected)
})

const snapshot = (
  reference: string,
  status: ChargeSnapshot['status'],
  changes: Partial<ChargeSnapshot> = {},
): ChargeSnapshot => ({
  reference,
  ourReference: null,
  status,
  amount: 1500,
  currency: 'TZS',
  fee: 27,
  network: 'airtel',
  failure: status === 'failed' ? { code: 'wrong_pin', text: 'Wrong PIN' } : null,
  expiresAt: null,
  ...changes,
})

/** Payments that wait for a person at the provider, so that only this test decides their outcome. */
async function waitingPayments(app: TestApp, count: number): Promise<{ id: string; home: number; reference: string }[]> {
  const page = await app.page(await app.student())
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { body } = await app.checkout(page.slug, { phone_number: '0754000111', idempotency_key: `k${index}` })
      const id = fromWire('pay', body.data.reference)!
      const { rows } = await app.owner.pool.query('select provider_reference from provider_charges where payment_id = $1', [id])
      return { id, home: homeOfId(id), reference: rows[0].provider_reference as string }
    }),
  )
}

const sourceOf = ({ id, home }: { id: string; home: number }) => ({
  home,
  paymentId: id,
  environment: 'test' as const,
  provider: 'snippe',
  actor: 'test',
  requestId: 'req_test',
})

test('a success that differs in amount or currency credits nothing: its money is moved to suspense once, with a break', async () => {
  const app = await sharedApp()
  const [more, dollars] = await waitingPayments(app, 2)
  const { settle } = app.deps
  for (let time = 0; time < 2; time += 1) {
    assert.equal(
      (await settle(settlementOf(sourceOf(more!), snapshot(more!.reference, 'completed', { amount: 1501 }), 20))).verdict,
      time === 0 ? 'amount_differs' : 'held',
    )
  }
  await settle(settlementOf(sourceOf(dollars!), snapshot(dollars!.reference, 'completed', { currency: 'USD' }), 20))
  assert.equal((await settle(settlementOf(sourceOf(more!), snapshot(more!.reference, 'completed'), 20))).verdict, 'held')
  const { rows } = await app.owner.pool.query(`select
    (select array_agg(status order by id) from payments) as statuses,
    (select count(*)::integer from breaks where kind = 'amount_differs') as breaks,
    (select balance::integer from ledger_accounts where kind = 'suspense') as suspense,
    (select balance::integer from ledger_accounts where kind = 'wallet') as wallet`)
  assert.deepEqual(rows[0], { statuses: ['processing', 'processing'], breaks: 2, suspense: 1501, wallet: 0 })
})

test('a reference that belongs to another payment, or differs from the known one, moves nothing and opens a break', async (t) => {
  const app = await startTestApp(t)
  const [one, other] = await waitingPayments(app, 2)
  for (const reference of [other!.reference, 'made-up']) {
    assert.equal(
      (await app.deps.settle(settlementOf(sourceOf(one!), snapshot(reference, 'completed'), 20))).verdict,
      'reference_conflict',
    )
  }
  const inOtherEnvironment = { ...sourceOf(one!), environment: 'live' as const }
  assert.equal(
    (await app.deps.settle(settlementOf(inOtherEnvironment, snapshot(one!.reference, 'completed'), 20))).verdict,
    'reference_conflict',
  )
  const { rows } = await app.owner.pool.query(
    `select (select count(*)::integer from payments where status = 'pending') as pending, (select count(*)::integer from breaks) as breaks`,
  )
  assert.deepEqual(rows[0], { pending: 2, breaks: 1 })
})

test('a success without an amount proves nothing', async (t) => {
  const app = await startTestApp(t)
  const [payment] = await waitingPayments(app, 1)
  assert.equal(
    (await app.deps.settle(settlementOf(sourceOf(payment!), snapshot(payment!.reference, 'completed', { amount: null }), 20)))
      .verdict,
    'unproven',
  )
  const { rows } = await app.owner.pool.query('select status from payments')
  assert.equal(rows[0].status, 'pending')
})

/** Payments whose charge is not bound to a reference yet, as after a lost answer. */
async function unboundPayments(app: TestApp, count: number): Promise<{ id: string; home: number; reference: string }[]> {
  const payments = await waitingPayments(app, count)
  await app.owner.pool.query(`update provider_charges set state = 'unknown', provider_reference = null`)
  await app.owner.pool.query('delete from provider_references')
  return payments
}

test('one provider reference credits one payment, whichever statement runs first', async () => {
  const app = await sharedApp()
  const settlers = [app.deps.settle, createSettle({ db: app.db, log: app.deps.log })]
  const payments = await unboundPayments(app, 40)
  // Pairs that claim the same reference, in one batch and through two settlers at once.
  const verdicts = await Promise.all(
    payments.map(async (payment, index) => {
      const reference = `shared-${Math.floor(index / 2)}`
      return (
        await settlers[index % 4 < 2 ? 0 : index % 2]!(settlementOf(sourceOf(payment), snapshot(reference, 'completed'), 20))
      ).verdict
    }),
  )
  for (let pair = 0; pair < 20; pair += 1)
    assert.deepEqual(verdicts.slice(pair * 2, pair * 2 + 2).sort(), ['applied', 'reference_conflict'])
  // The twenty refused payments have a break and wait; the reference they were bound to is deleted, so the provider cannot be queried.
  await app.owner.pool.query(
    `update provider_charges set next_attempt_at = clock_now() - interval '1 second' where next_attempt_at is null and provider_reference is null`,
  )
})

test('a correct and a wrong success at the same time: the payment is either credited or held, never both', async (t) => {
  const app = await startTestApp(t)
  const other = createSettle({ db: app.db, log: app.deps.log })
  const payments = await unboundPayments(app, 30)
  await Promise.all(
    payments.flatMap((payment) => [
      app.deps.settle(settlementOf(sourceOf(payment), snapshot(payment.reference, 'completed', { amount: 999 }), 20)),
      other(settlementOf(sourceOf(payment), snapshot(payment.reference, 'completed'), 20)),
    ]),
  )
  const { rows } = await app.owner.pool.query(`select
    (select count(*)::integer from payments where held and status = 'completed') as both,
    (select count(*)::integer from payments where held or status = 'completed') as decided,
    (select count(*)::integer from provider_references) as bound`)
  assert.deepEqual(rows[0], { both: 0, decided: 30, bound: 30 })
})

test('a fee that the crediting answer did not contain is booked once, when a later answer contains it', async (t) => {
  const app = await startTestApp(t)
  const [payment] = await waitingPayments(app, 1)
  const say = (fee: number | null) =>
    app.deps.settle(settlementOf(sourceOf(payment!), snapshot(payment!.reference, 'completed', { fee }), 20))
  await say(null)
  await Promise.all([say(27), say(27), say(27)])
  const { rows } = await app.owner.pool.query(
    `select kind, count(*)::integer, sum(amount)::integer as amount from ledger_transfers group by kind order by kind`,
  )
  assert.deepEqual(rows, [
    { kind: 'payment', count: 1, amount: 1500 },
    { kind: 'provider_fee', count: 1, amount: 27 },
  ])
})

test('an answer without a fee and a message with one at the same moment: the fee is booked, once', async (t) => {
  const app = await startTestApp(t)
  const other = createSettle({ db: app.db, log: app.deps.log })
  const payments = await waitingPayments(app, 80)
  // One pair after the other, so that both statements of a pair compete for their own row.
  for (const payment of payments) {
    const say = (settle: typeof other, fee: number | null) =>
      settle(settlementOf(sourceOf(payment), snapshot(payment.reference, 'completed', { fee }), 20))
    await Promise.all([say(app.deps.settle, null), say(other, 27)])
  }
  const { rows } = await app.owner.pool.query(
    `select kind, count(*)::integer, sum(amount)::integer as amount from ledger_transfers group by kind order by kind`,
  )
  assert.deepEqual(rows, [
    { kind: 'payment', count: 80, amount: 80 * 1500 },
    { kind: 'provider_fee', count: 80, amount: 80 * 27 },
  ])
})

test('an answer that names another payment of ours moves nothing', async () => {
  const app = await sharedApp()
  const [one, other] = await waitingPayments(app, 2)
  const answer = snapshot(one!.reference, 'completed', { ourReference: toWire('pay', other!.id) })
  assert.equal((await app.deps.settle(settlementOf(sourceOf(one!), answer, 20))).verdict, 'reference_conflict')
})

test('a success of another provider than the one of the charge credits nothing and opens a break', async (t) => {
  const app = await startTestApp(t)
  const [one] = await waitingPayments(app, 1)
  // No reference is known yet.
  await app.owner.pool.query('delete from provider_references')
  await app.owner.pool.query(`update provider_charges set state = 'unknown', provider_reference = null`)
  const source = { ...sourceOf(one!), provider: 'clickpesa' }
  const { verdict } = await app.deps.settle(settlementOf(source, snapshot('theirs', 'completed'), 20))
  assert.equal(verdict, 'reference_conflict')
  const { rows } = await app.owner.pool.query('select kind, provider, provider_reference from breaks')
  assert.deepEqual(rows, [{ kind: 'reference_conflict', provider: 'clickpesa', provider_reference: 'theirs' }])
})

test('a locked row delays only its own payment', async () => {
  const app = await sharedApp()
  const payments = await waitingPayments(app, 6)
  const lock = await app.owner.pool.connect()
  await lock.query('begin')
  await lock.query('select 1 from payments where id = $1 for update', [payments[0]!.id])
  const settling = payments.map((payment) =>
    app.deps.settle(settlementOf(sourceOf(payment), snapshot(payment.reference, 'completed'), 20)),
  )
  try {
    await Promise.all(settling.slice(1))
  } finally {
    await lock.query('rollback')
    lock.release()
  }
  assert.deepEqual(
    (await Promise.all(settling)).map(({ verdict }) => verdict),
    Array(6).fill('applied'),
  )
})

test('a locked payment delays no payment of other homes that are settled at the same time', async () => {
  assert.ok(settleLanes > 1)
  const app = await sharedApp()
  const [held] = await waitingPayments(app, 1)
  let free: typeof held
  do [free] = await waitingPayments(app, 1)
  while (free!.home % settleLanes === held!.home % settleLanes)
  const lock = await app.owner.pool.connect()
  await lock.query('begin')
  await lock.query('select 1 from payments where id = $1 for update', [held!.id])
  const settle = (payment: NonNullable<typeof held>) =>
    app.deps.settle(settlementOf(sourceOf(payment), snapshot(payment.reference, 'completed'), 20))
  const ends: string[] = []
  const waiting = settle(held!).finally(() => ends.push('held'))
  await settle(free!).finally(() => ends.push('free'))
  await lock.query('rollback')
  lock.release()
  await waiting
  assert.deepEqual(ends, ['free', 'held'])
})

for (const order of [
  ['completed', 'failed'],
  ['failed', 'completed'],
] as const) {
  test(`${order.join(' and then ')}, both waiting for the same row: it ends completed and is credited once`, async (t) => {
    const app = await startTestApp(t)
    // Both use a pool with a long statement timeout, so that they wait in their order.
    const settlers = [0, 1].map(() => createSettle({ db: app.db, log: app.deps.log }))
    const payments = await waitingPayments(app, 20)
    const lock = await app.owner.pool.connect()
    await lock.query('begin; select 1 from payments for update')
    const settling: Promise<unknown>[] = []
    for (const [index, status] of order.entries()) {
      settling.push(
        ...payments.map((payment) => settlers[index]!(settlementOf(sourceOf(payment), snapshot(payment.reference, status), 20))),
      )
      await eventually('the statement waits', async () => {
        const { rows } = await app.owner.pool.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        return rows.length === index + 1
      })
    }
    await lock.query('commit')
    lock.release()
    await Promise.all(settling)
    const { rows } = await app.owner.pool.query(`select status, late, count(*)::integer from payments group by status, late`)
    assert.deepEqual(rows, [{ status: 'completed', late: order[0] === 'failed', count: 20 }])
  })
}

/** mulberry32: small, seeded, good enough to shuffle. */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let value = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

test('a random run of contradicting messages through two settlers ends as the state machine says, to the shilling', async (t) => {
  const seed = Number(process.env['SEED'] ?? randomBytes(4).readUInt32BE(0))
  t.diagnostic(`seed ${seed} (repeat with SEED=${seed})`)
  const random = seeded(seed)
  const app = await startTestApp(t)
  const payments = await waitingPayments(app, 40)
  const settlers = [app.deps.settle, createSettle({ db: app.db, log: app.deps.log })]
  const statuses = ['pending', 'processing', 'completed', 'failed', 'voided', 'expired', 'unrecognised'] as const
  const messages = payments.flatMap((payment) =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () => ({
      payment,
      status: statuses[Math.floor(random() * statuses.length)]!,
    })),
  )
  messages.sort(() => random() - 0.5)
  await Promise.all(
    messages.map(({ payment, status }) =>
      settlers[random() < 0.5 ? 0 : 1]!(settlementOf(sourceOf(payment), snapshot(payment.reference, status), 300)),
    ),
  )

  const { rows } = await app.owner.pool.query<{ id: string; status: PaymentStatus }>('select id, status from payments')
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]))
  let completedCount = 0
  for (const { id } of payments) {
    const statuses = new Set(messages.filter(({ payment }) => payment.id === id).map(({ status }) => status))
    const ends = (['failed', 'voided', 'expired'] as const).filter((status) => statuses.has(status))
    // A success always wins; otherwise the first end that arrived; otherwise processing, if any message said so.
    if (statuses.has('completed')) {
      completedCount += 1
      assert.equal(statusOf.get(id), 'completed')
    } else if (ends.length > 0) assert.ok(ends.includes(statusOf.get(id) as (typeof ends)[number]))
    else assert.equal(statusOf.get(id), statuses.has('processing') ? 'processing' : 'pending')
  }
  const accounts = await app.owner.pool.query(
    `select kind, balance::integer from ledger_accounts where environment = 'test' and balance <> 0`,
  )
  assert.deepEqual(Object.fromEntries(accounts.rows.map(({ kind, balance }) => [kind, balance])), {
    provider_clearing: -completedCount * (1500 - 27),
    provider_fees: -completedCount * 27,
    wallet: completedCount * 1500,
  })
})
