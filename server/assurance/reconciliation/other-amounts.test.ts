/**
 * Signed messages whose amount or currency differs from the order, through both providers: nothing is booked before the provider's own
 * answer, and no one books more than that answer shows.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerNames, type ProviderName } from '../../domain/provider.ts'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { checkAll } from '../../../test/fixtures/books.ts'
import { checkCharges } from '../../collect/payments/check-charges.ts'
import { applySettlements } from '../../collect/payments/settle.sql.ts'
import { settlementOf, type SettlementSource } from '../../collect/payments/settlement.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire, homeOfId } from '../../platform/ids.ts'
import { richStudent, rowOf, running, header } from '../../../test/fixtures/batches.ts'
import { addMoney, ask, balance } from '../../../test/fixtures/payouts.ts'
import { checkLane } from '../../pay-out/payouts/send-payout.ts'
import { wrapProviders, type ChargeSnapshot, type PayoutSnapshot } from '../../money/providers/provider.ts'
import { decide, reconcileRecent, reconcileToday } from '../../../test/fixtures/reconciliation.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

/** Our queries: how many charges were asked about, and what the answers show instead of the provider's books. */
type Queries = {
  charge: (snapshot: ChargeSnapshot) => ChargeSnapshot
  payout: (snapshot: PayoutSnapshot) => PayoutSnapshot
  fetched: number
}

async function openApp(t: Parameters<typeof startTestApp>[0], name: ProviderName) {
  const queries: Queries = { charge: (snapshot) => snapshot, payout: (snapshot) => snapshot, fetched: 0 }
  const app = await startTestApp(t, {
    settings: { CHARGE_PROVIDER_TEST: name, PAYOUT_PROVIDER_TEST: name, PROVIDER_CIRCUIT_FAILURES: '1000' },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async fetchCharge(key, priority) {
          queries.fetched += 1
          const answer = await provider.fetchCharge(key, priority)
          return answer.kind === 'found' ? { kind: 'found', snapshot: queries.charge(answer.snapshot) } : answer
        },
        async fetchPayout(key, priority) {
          const answer = await provider.fetchPayout(key, priority)
          return answer.kind === 'found' ? { kind: 'found', snapshot: queries.payout(answer.snapshot) } : answer
        },
      })),
    }),
  })
  return { app, queries }
}

/** Whether the provider answers our queries. */
async function answersQueries(app: TestApp, isHere: boolean): Promise<void> {
  const body = JSON.stringify({ rates: { getFails: isHere ? 0 : 1 } })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${app.simulatorUrl}/__control/faults`, { method: 'PATCH', headers, body })
  assert.ok(response.ok, await response.text())
}

const breaksOf = async (app: TestApp): Promise<Json[]> =>
  (await app.call('GET', '/v1/admin/breaks', { token: (await app.admin()).token })).body.data

/** The one break, once it has been opened. */
const opened = (app: TestApp): Promise<Json> => eventually('a break is opened', async () => (await breaksOf(app))[0])

const moved = async (app: TestApp): Promise<Json[]> =>
  (await app.owner.pool.query(`select kind, amount::integer from ledger_transfers where kind <> 'provider_fee' order by id`)).rows

const statusOf = async (app: TestApp, reference: string): Promise<string> =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status

async function pay(app: TestApp, phone: string): Promise<string> {
  const page = await app.page(await app.student(), { amount: 2_500 })
  return (await app.checkout(page.slug, { phone_number: phone })).body.data.reference
}

test('an answer that began before a message with another amount, and credits after it, ends the break', async (t) => {
  const { app } = await openApp(t, 'snippe')
  const reference = await pay(app, '0754000111')
  const paymentId = fromWire('pay', reference)!
  const { rows } = await app.owner.pool.query('select provider_reference from provider_charges')
  const news = (amount: number, from: Partial<SettlementSource> = {}) => {
    const source = {
      home: homeOfId(paymentId),
      paymentId,
      environment: 'test',
      provider: 'snippe',
      actor: 'test',
      requestId: 'r',
    } as const
    const paid = {
      reference: rows[0].provider_reference,
      ourReference: reference,
      status: 'completed',
      amount,
      currency: 'TZS',
    } as const
    return settlementOf({ ...source, ...from }, { ...paid, fee: null, network: null, failure: null, expiresAt: null }, 60)
  }
  await app.owner.tx(async (early) => {
    // The time of a transaction is that of its first statement: as of a batch that waits for the payment.
    await early.rows(sql`select pg_sleep(0.01)`)
    assert.equal((await app.deps.settle(news(9_000, { confirmAbove: 1_000 }))).verdict, 'amount_to_confirm')
    const [settled] = await applySettlements(early, [news(2_500)], null)
    assert.equal(settled!.verdict, 'applied')
  })
  await reconcileRecent(app)
  const found = (await breaksOf(app)).filter(({ kind }) => kind === 'amount_differs')
  assert.deepEqual(
    found.map((one) => [one.resolution, one.resolved_by]),
    [['already_settled', 'system']],
  )
})

async function checkChargesNow(app: TestApp): Promise<void> {
  await app.owner.pool.query('update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkCharges(app.deps, 10)
}

for (const name of providerNames) {
  test(`${name}: a currency in lower case is the same currency: the message credits, and no one is asked [R07]`, async (t) => {
    const { app, queries } = await openApp(t, name)
    await app.control('PATCH', '/switches', { webhookAmount: 'lower-case' })
    assert.equal((await app.settled(await pay(app, '0754000789'))).status, 'completed')
    assert.deepEqual([await moved(app), queries.fetched, await breaksOf(app)], [[{ kind: 'payment', amount: 2_500 }], 0, []])
    assert.deepEqual(await checkAll(app), [])
  })

  for (const form of ['hundredfold', 'dollars'] as const) {
    test(`${name}: a message with ${form} is asked back, and the provider’s own answer credits and ends the break`, async (t) => {
      const { app, queries } = await openApp(t, name)
      await app.control('PATCH', '/switches', { webhookAmount: form })
      assert.equal((await app.settled(await pay(app, '0754000789'))).status, 'completed')
      assert.deepEqual([await moved(app), queries.fetched], [[{ kind: 'payment', amount: 2_500 }], 1])
      await reconcileRecent(app)
      const [found, ...others] = await breaksOf(app)
      assert.deepEqual(
        [found.kind, found.resolution, found.resolved_by, others],
        ['amount_differs', 'already_settled', 'system', []],
      )
      assert.deepEqual(await checkAll(app), [])
    })

    test(`${name}: without an answer a message with ${form} books nothing: the payment stays processing with an open break`, async (t) => {
      const { app } = await openApp(t, name)
      await answersQueries(app, false)
      await app.control('PATCH', '/switches', { webhookAmount: form })
      const reference = await pay(app, '0754000789')
      const found = await opened(app)
      const claimed = form === 'dollars' ? [2_500, 'USD'] : [250_000, 'TZS']
      const { ordered, message_amount, message_currency, amount, currency, booked, difference } = found.evidence
      assert.deepEqual([ordered, message_amount, message_currency], [2_500, ...claimed])
      assert.deepEqual([amount, currency, booked, difference], [null, null, 0, null])
      await app.deps.backgroundDone()
      await checkChargesNow(app)
      await reconcileRecent(app)
      assert.deepEqual([await statusOf(app, reference), await moved(app)], ['processing', []])
      const two = [await app.admin(), await app.admin()] as const
      for (const resolution of ['credit_payment', 'return_to_payer']) {
        assert.equal((await decide(app, two, found.id, { resolution })).status, 400, resolution)
      }
      assert.equal((await decide(app, two, found.id, { resolution: 'already_settled' })).status, 409)
      assert.deepEqual([(await breaksOf(app))[0].resolutions, await checkAll(app)], [['not_charged', 'already_settled'], []])

      await answersQueries(app, true)
      await checkChargesNow(app)
      assert.deepEqual([await statusOf(app, reference), await moved(app)], ['completed', [{ kind: 'payment', amount: 2_500 }]])
      await reconcileToday(app)
      assert.deepEqual(
        (await breaksOf(app)).map(({ status }) => status),
        ['resolved'],
      )
    })
  }

  test(`${name}: the break shows message, answer, booked and difference, and no one credits more than the provider shows [R07]`, async (t) => {
    const { app, queries } = await openApp(t, name)
    await app.control('PATCH', '/switches', { webhookAmount: 'hundredfold' })
    // Its payer pays a hundred shillings less than ordered.
    await answersQueries(app, false)
    const reference = await pay(app, '0754000189')
    const unanswered = await opened(app)
    await app.deps.backgroundDone()
    const proposal = { resolution: 'not_charged', note: 'Letter of 12 May.' }
    const path = `/v1/admin/breaks/${unanswered.id}/propose`
    assert.equal((await app.call('POST', path, { token: (await app.admin()).token, body: proposal })).status, 200)
    await answersQueries(app, true)
    await checkChargesNow(app)
    const found = await opened(app)
    // The proposal had not seen the answer.
    assert.deepEqual([found.id, found.status], [unanswered.id, 'open'])
    const { ordered, message_amount, message_currency, amount, currency, booked, difference } = found.evidence
    assert.deepEqual([ordered, message_amount, message_currency], [2_500, 240_000, 'TZS'])
    assert.deepEqual([amount, currency, booked, difference], [2_400, 'TZS', 2_400, -100])
    assert.deepEqual([await moved(app), await statusOf(app, reference)], [[{ kind: 'suspense', amount: 2_400 }], 'processing'])

    const two = [await app.admin(), await app.admin()] as const
    queries.charge = (snapshot) => ({ ...snapshot, amount: 2_399 })
    assert.equal((await decide(app, two, found.id, { resolution: 'credit_payment' })).status, 409)
    await answersQueries(app, false)
    const silent = await decide(app, two, found.id, { resolution: 'credit_payment' })
    assert.deepEqual([silent.status, silent.body.error.code], [503, 'provider_unavailable'])
    assert.equal((await moved(app)).length, 1)
    await answersQueries(app, true)
    queries.charge = (snapshot) => snapshot
    assert.equal((await decide(app, two, found.id, { resolution: 'credit_payment' })).status, 200)
    const credited = await app.owner.pool.query('select amount_received::integer from payments')
    assert.deepEqual([credited.rows, await statusOf(app, reference)], [[{ amount_received: 2_400 }], 'completed'])
    assert.deepEqual(await checkAll(app), [])
  })
}

test('an amount as text or as a number without a currency is asked back, and books nothing without an answer [R07]', async (t) => {
  const { app } = await openApp(t, 'snippe')
  for (const webhookAmount of ['text', 'integer']) {
    await answersQueries(app, false)
    await app.control('PATCH', '/switches', { webhookAmount })
    const before = await moved(app)
    const reference = await pay(app, '0754000789')
    const settledMessages = async () =>
      (await app.owner.pool.query(`select from provider_inbox where body like '%' || $1 || '%'`, [reference])).rowCount
    await eventually('the message has arrived', async () => (await settledMessages()) === 1)
    await app.deps.backgroundDone()
    assert.deepEqual([await statusOf(app, reference), await moved(app)], ['pending', before])
    await answersQueries(app, true)
    await checkChargesNow(app)
    assert.equal(await statusOf(app, reference), 'completed')
  }
  assert.deepEqual(await checkAll(app), [])
})

for (const isHere of [true, false]) {
  test(`a second charge that a message reports is booked only with the provider’s own answer, which ${isHere ? 'comes' : 'is missing'}`, async (t) => {
    const { app } = await openApp(t, 'snippe')
    await app.control('PATCH', '/switches', { webhookAmount: 'hundredfold' })
    const reference = await pay(app, '0754000111')
    await answersQueries(app, isHere)
    const { charges } = await app.truth()
    // The payment is bound to another charge than the one that its messages name.
    await app.owner.pool.query(`update provider_references set reference = 'another'`)
    await app.owner.pool.query(`update provider_charges set provider_reference = 'another'`)
    await app.control('POST', `/charges/${charges[0].reference}/answer`, { action: 'complete' })
    assert.equal((await opened(app)).kind, 'reference_conflict')
    const booked = isHere ? [{ kind: 'unallocated_found', amount: 2_500 }] : []
    if (isHere) await eventually('the money is booked', async () => (await moved(app)).length > 0)
    await app.deps.backgroundDone()
    assert.deepEqual([await moved(app), await statusOf(app, reference)], [booked, 'pending'])
  })
}

/** Money of a merchant that leaves: alone, back to a payer, in a batch. */
const outgoing = ['payout', 'refund', 'batch row'] as const

async function send(app: TestApp, kind: (typeof outgoing)[number]): Promise<{ key: string; before: [number, number] }> {
  if (kind === 'batch row') {
    const payer = await richStudent(app, 100_000)
    const before = await balance(app, payer.key)
    await app.control('PATCH', '/switches', { webhookAmount: 'hundredfold' })
    await running(app, payer, [header, rowOf(1, '123', 20_000)].join('\n'))
    await checkPayoutsNow(app)
    return { key: payer.key, before }
  }
  const student = await app.student()
  const { key } = await app.key(student)
  await addMoney(app, student, 100_000)
  const before = await balance(app, key)
  await app.control('PATCH', '/switches', { webhookAmount: 'hundredfold' })
  if (kind === 'payout') assert.equal((await ask(app, key)).status, 201)
  else {
    const { body } = await app.call('GET', '/v1/payments', { key })
    const headers = { 'idempotency-key': 'rf-1' }
    const path = `/v1/payments/${body.data[0].reference}/refunds`
    const made = await app.call('POST', path, { key, headers, body: { amount: 20_000 } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
  }
  return { key, before }
}

const payoutOf = async (app: TestApp): Promise<Json> =>
  (await app.owner.pool.query('select id, status, held, amount::integer, fee::integer from payouts')).rows[0]

async function checkPayoutsNow(app: TestApp): Promise<void> {
  await app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null')
  const batches = providerNames.flatMap((provider) =>
    [false, true].map((isSent) => ({ provider, environment: 'test' as const, isSent })),
  )
  for (const lane of ['single' as const, ...batches]) await checkLane(app.deps, lane, 10)
}

for (const name of providerNames) {
  for (const kind of outgoing) {
    test(`${name}: a message about a ${kind} with another amount is asked back: without an answer nothing is booked`, async (t) => {
      const { app, queries } = await openApp(t, name)
      await answersQueries(app, false)
      const { key, before } = await send(app, kind)
      const found = await opened(app)
      const { message_amount, amount, booked, our_amount } = found.evidence
      assert.deepEqual([found.kind, message_amount, amount, booked], ['payout_amount_differs', our_amount * 100, null, 0])
      await app.deps.backgroundDone()
      await checkPayoutsNow(app)
      await reconcileRecent(app)
      const payout = await payoutOf(app)
      assert.deepEqual([payout.status, payout.held], ['processing', false])
      const takes = payout.amount + payout.fee
      assert.deepEqual(await balance(app, key), [before[0] - takes, before[1] + takes])
      assert.deepEqual([(await breaksOf(app)).map(({ status }) => status), await checkAll(app)], [['open'], []])

      // Its own answer has another amount: no one books more than it shows.
      await answersQueries(app, true)
      queries.payout = (snapshot) => ({ ...snapshot, amount: 19_000 })
      await checkPayoutsNow(app)
      const [shown] = await breaksOf(app)
      assert.deepEqual(
        [shown.evidence.message_amount, shown.evidence.amount, shown.evidence.booked, shown.evidence.difference],
        [our_amount * 100, 19_000, 0, -1_000],
      )
      const two = [await app.admin(), await app.admin()] as const
      assert.equal((await decide(app, two, shown.id, { resolution: 'payout_paid' })).status, 409)
      assert.deepEqual(await balance(app, key), [before[0] - takes, before[1] + takes])

      queries.payout = (snapshot) => snapshot
      assert.equal((await decide(app, two, shown.id, { resolution: 'ask_again' })).status, 200)
      await checkPayoutsNow(app)
      assert.deepEqual(await balance(app, key), [before[0] - takes, before[1]])
      assert.equal((await payoutOf(app)).status, 'completed')
      assert.deepEqual(await checkAll(app), [])
    })
  }

  test(`${name}: a message about a payout with another amount completes it by the provider’s own answer, and ends its break [R07]`, async (t) => {
    const { app } = await openApp(t, name)
    const { key, before } = await send(app, 'payout')
    await eventually('it is completed', async () => (await payoutOf(app)).status === 'completed')
    const { amount, fee } = await payoutOf(app)
    assert.deepEqual(await balance(app, key), [before[0] - amount - fee, before[1]])
    await reconcileRecent(app)
    const [found] = await breaksOf(app)
    assert.deepEqual([found.kind, found.resolved_by], ['payout_amount_differs', 'system'])
    assert.deepEqual(await checkAll(app), [])
  })
}
