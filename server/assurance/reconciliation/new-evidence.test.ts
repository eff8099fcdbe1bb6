/** Evidence that arrives while a run closes its break, or after operators have proposed a decision: it is never lost, and never decided unseen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, type TestApp } from '../../../test/app.ts'
import { openBreaks, resolveOnly, startStage, type Payment, type Stage } from '../../../test/fixtures/every-resolution.ts'
import { says, short } from '../../../test/fixtures/payouts.ts'
import { reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { checkoutToken } from '../../collect/payments/checkout-token.ts'
import { createSettle } from '../../collect/payments/settle.ts'
import { settlementOf } from '../../collect/payments/settlement.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import { messagesOf } from '../../views/web/checkout/messages.ts'
import { verify } from '../invariants/verify.ts'

type Turn = () => Promise<unknown>

/** Lets each turn come to the row of the open break while another connection holds it: they go on one after the other. */
async function meetAtBreak(app: TestApp, turns: readonly Turn[]): Promise<void> {
  const holder = await app.owner.pool.connect()
  await holder.query('begin; select from breaks where resolved_at is null for update')
  const playing: Promise<unknown>[] = []
  try {
    for (const turn of turns) {
      playing.push(turn())
      await eventually('it waits for the break', async () => {
        const { rows } = await app.owner.pool.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        return rows.length === playing.length
      })
    }
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  await Promise.all(playing)
}

/** A failed payment with an open break, because a message had claimed another amount. Returns the news of its late success. */
async function failedPayment(stage: Stage): Promise<{ payment: Payment; news: Turn }> {
  const { app } = stage
  const payment = await stage.charge(10_000)
  const { home, paymentId, there: reference } = payment
  const source = { home, paymentId, environment: 'test', provider: 'snippe', actor: 'test', requestId: 'r' } as const
  const blank = { ourReference: null, fee: null, network: null, failure: null, expiresAt: null }
  const success = (amount: number) => ({ ...blank, reference, status: 'completed', amount, currency: 'TZS' }) as const
  const claimed = await app.deps.settle(settlementOf({ ...source, confirmAbove: 1_000 }, success(90_000), 60))
  assert.equal(claimed.verdict, 'amount_to_confirm')
  await stage.moveCharge(payment, 'fail')
  await stage.ask(payment)
  // Its pool lets a statement wait for the break.
  const settle = createSettle({ db: app.db, log: app.deps.log })
  return { payment, news: () => settle(settlementOf(source, success(9_000), 60)) }
}

/** What the browser that started the payment reads at its address. */
async function readByPayer({ app }: Stage, { slug, reference, paymentId }: Payment, under = '') {
  const headers = { cookie: `checkout_token=${checkoutToken(app.deps, paymentId)}` }
  return app.api.checkout.inject({ method: 'GET', url: `/pay/${slug}/${reference}${under}?lang=en`, headers })
}

const { noMoneyTaken, closedSafe, confirmingTitle, failedTitle, voidedTitle, moneyHeld, moneyReturned, moneyLeft } = messagesOf.en
const safeToPayAgain = [noMoneyTaken, closedSafe, '/again?']

test('while money of a failed payment is under review its payer is not told to pay again, and then that it was returned', async (t) => {
  const stage = await startStage(t)
  const { app } = stage
  const { payment, news } = await failedPayment(stage)
  const failed = await readByPayer(stage, payment)
  for (const said of safeToPayAgain) assert.ok(failed.payload.includes(said), said)
  await news()

  const held = await readByPayer(stage, payment)
  for (const untrue of safeToPayAgain) assert.ok(!held.payload.includes(untrue), untrue)
  for (const said of [confirmingTitle, moneyHeld]) assert.ok(held.payload.includes(said), said)
  const again = await readByPayer(stage, payment, '/again')
  assert.deepEqual([again.statusCode, again.headers.location], [303, `/pay/${payment.slug}/${payment.reference}?lang=en`])
  const status = async () => (await app.call('GET', `/v1/payments/${payment.reference}/status`)).body.data
  const { failure } = await status()
  assert.deepEqual([failure.message, failure.retryable], [moneyHeld, false])

  assert.equal(await resolveOnly(stage, 'return_to_payer'), '200')
  await stage.payAll()
  await reconcileToday(app, 'payouts')
  assert.deepEqual(await openBreaks(stage), [])
  const returned = await readByPayer(stage, payment)
  for (const said of [failedTitle, moneyReturned, '/again?']) assert.ok(returned.payload.includes(said), said)
  for (const untrue of [noMoneyTaken, closedSafe]) assert.ok(!returned.payload.includes(untrue), untrue)
  assert.equal((await readByPayer(stage, payment, '/again')).statusCode, 200)
})

test('the payer of money in another currency is told that the network returns it', async (t) => {
  const stage = await startStage(t)
  const payment = await stage.charge(10_000)
  await stage.settleCredit(payment, { amount: 4, currency: 'USD' })
  assert.equal(await resolveOnly(stage, 'return_to_payer'), '200')
  const { payload } = await readByPayer(stage, payment)
  for (const untrue of [noMoneyTaken, closedSafe, voidedTitle, moneyReturned]) assert.ok(!payload.includes(untrue), untrue)
  assert.ok(payload.includes(moneyLeft))
})

/** The same for a payout that has completed. Returns the news that it was another amount. */
async function completedPayout(stage: Stage): Promise<{ news: Turn }> {
  const payout = await stage.payout()
  const claim = says(payout.reference, 'completed', { amount: 200_000 })
  const { verdict } = await settlePayout(stage.app.deps, payout.at, { ...payout.source, isReport: true }, claim)
  assert.equal(verdict, 'to_confirm')
  await stage.movePayout(payout.reference, 'complete')
  await stage.receive(payout, 'completed')
  return { news: () => stage.receive(payout, 'completed', { amount: 9_000 }) }
}

for (const [what, arrange, kind, otherSide] of [
  ['failed payment', failedPayment, 'amount_differs', 'payouts'],
  ['completed payout', completedPayout, 'payout_amount_differs', 'charges'],
] as const) {
  for (const first of ['run', 'news'] as const) {
    test(`news of another amount of a ${what} waits for operators when a run closes its break at the same time, the ${first} first`, async (t) => {
      const stage = await startStage(t)
      const { app, operators } = stage
      const { news } = await arrange(stage)
      const run = () => reconcileToday(app, otherSide)
      await meetAtBreak(app, first === 'run' ? [run, news] : [news, run])
      const waiting = (await app.call('GET', '/v1/admin/breaks?status=open', { token: operators[0].token })).body.data
      assert.deepEqual(
        waiting.map((one: { kind: string; evidence: { amount: number } }) => [one.kind, one.evidence.amount]),
        [[kind, 9_000]],
      )
      assert.deepEqual(await verify(app.db), [])
    })
  }

  test(`a run closes the break of a ${what} without such news`, async (t) => {
    const stage = await startStage(t)
    await arrange(stage)
    assert.equal((await openBreaks(stage)).length, 1)
    await reconcileToday(stage.app, otherSide)
    assert.deepEqual(await openBreaks(stage), [])
  })
}

/** A break about a second charge that only a message reports, with a proposal of the first operator. `prove`: the provider's own answer. */
async function secondCharge(stage: Stage, resolution: 'keep_unallocated' | 'already_settled') {
  const { app, operators } = stage
  const payment = await stage.charge()
  await stage.moveCharge(payment, 'fail')
  await stage.ask(payment)
  const { home, paymentId } = payment
  const reference = await stage.seed({ amount: 20_000, status: 'completed', phone: '255754000123' })
  const source = { home, paymentId, environment: 'test', provider: 'snippe', actor: 'test', requestId: 'r' } as const
  const second = { reference, ourReference: null, status: 'completed', amount: 20_000, currency: 'TZS' } as const
  const record = { ...second, fee: null, network: null, failure: null, expiresAt: null }
  const settle = createSettle({ db: app.db, log: app.deps.log })
  await settle(settlementOf({ ...source, confirmAbove: 1_000 }, record, 60))
  const [found] = await openBreaks(stage)
  assert.equal(found?.kind, 'reference_conflict')
  const path = `/v1/admin/breaks/${found.id}`
  const proposal = { resolution, note: 'Letter of 12 May.' }
  const { body } = await app.call('POST', `${path}/propose`, { token: operators[0].token, body: proposal })
  const { proposed_at } = body.data.proposal
  return {
    payment,
    prove: () => settle(settlementOf(source, record, 60)),
    confirm: () => app.call('POST', `${path}/confirm`, { token: operators[1].token, body: { resolution, proposed_at } }),
  }
}

test('a proposal about a second charge of a payment keeps no money that the provider proves only later', async (t) => {
  const stage = await startStage(t)
  const { prove, confirm } = await secondCharge(stage, 'keep_unallocated')
  await prove()
  assert.equal(short(await confirm()), '409 proposal_changed')
  assert.equal(await resolveOnly(stage, 'keep_unallocated'), '200')
})

test('the payer of a failed payment with a second charge is not told that no money was taken', async (t) => {
  const stage = await startStage(t)
  const { payment, prove } = await secondCharge(stage, 'already_settled')
  await prove()
  const { payload } = await readByPayer(stage, payment)
  for (const untrue of safeToPayAgain) assert.ok(!payload.includes(untrue), untrue)
  assert.ok(payload.includes(moneyHeld))
  assert.equal(await resolveOnly(stage, 'keep_unallocated'), '200')
})

test('a second charge that is proven while operators close its break is booked at once, and waits for them', async (t) => {
  const stage = await startStage(t)
  const { prove, confirm } = await secondCharge(stage, 'already_settled')
  await meetAtBreak(stage.app, [confirm, prove])
  assert.deepEqual(
    (await openBreaks(stage)).map(({ kind }) => kind),
    ['reference_conflict'],
  )
  // Refused without money in `unallocated`.
  assert.equal(await resolveOnly(stage, 'keep_unallocated'), '200')
})
