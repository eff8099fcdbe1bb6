/**
 * A decision names the evidence that it saw. When the provider shows something else later, the books are compared with what is booked, not
 * with the order: a break opens, with the decision before, until our books are what the provider shows.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/app.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { countBehind } from '../../collect/customers/count-customers.ts'
import { verify } from '../invariants/verify.ts'
import { repayReceivables } from '../../money/ledger/repay-receivables.ts'
import { fileOf, running } from '../../../test/fixtures/batches.ts'
import { settlementOf } from '../../collect/payments/settlement.ts'
import { ask, says, short, silentOf, silentRefund, type SilentPayout } from '../../../test/fixtures/payouts.ts'
import { checkLane } from '../../pay-out/payouts/send-payout.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import { newMoneyId } from '../../platform/ids.ts'
import { openBreaks, resolveOnly, startStage, type Stage } from '../../../test/fixtures/every-resolution.ts'

type Lie = NonNullable<ReturnType<Stage['lies']['get']>>

/** TZS of our clearing accounts, as the provider would count them. */
async function clearing({ app }: Stage): Promise<number> {
  const { rows } = await app.owner.pool.query(
    `select -sum(balance)::integer as ours from ledger_accounts where environment = 'test' and kind = 'provider_clearing'`,
  )
  return rows[0].ours
}

type Step = {
  /** What the provider shows now, in place of the truth. */
  shows: Lie | 'nothing' | 'the truth'
  /** The decision on the break that opens; none: no break opens. */
  resolution?: string
  /** The last decision on a break of the same kind, if it is not the last of all. */
  before?: string
  /** TZS by which our clearing accounts then differ from the truth. */
  off: number
}

type Case = {
  about: string
  arrange(stage: Stage): Promise<string>
  parameters?: (stage: Stage) => Record<string, string>
  steps: Step[]
}

const paidCharge = async (stage: Stage): Promise<string> => {
  const payment = await stage.charge(20_000)
  await stage.moveCharge(payment, 'complete')
  await stage.ask(payment)
  // The list names the fee.
  await stage.compare()
  return payment.there
}

const foundCharge = (stage: Stage): Promise<string> => stage.seed({ amount: 20_000, status: 'completed', phone: '255754000123' })

const unknownOrder = async (stage: Stage): Promise<string> => {
  const reference = await stage.sendUnknownOrder()
  await stage.movePayout(reference, 'complete')
  return reference
}

/** The payout of a batch with one row of 20,000, as the provider has it. */
async function batchRow({ app, payer }: Stage): Promise<SilentPayout> {
  await running(app, payer, fileOf(1, '123', 20_000))
  const lane = { provider: 'snippe', environment: 'test', isSent: false } as const
  const { payoutId, reference } = await eventually('the provider has it', async () => {
    await checkLane(app.deps, lane, 10)
    const { rows } = await app.owner.pool.query<{ payoutId: string; reference: string }>(
      `select payout_id as "payoutId", provider_reference as reference from provider_payouts where provider_reference is not null`,
    )
    return rows[0]
  })
  return silentOf(payoutId, reference)
}

/** A payout, refund or batch row of 20,000 whose money was returned before the provider paid it. */
async function paidAfterAll(stage: Stage, payout: SilentPayout): Promise<string> {
  await stage.movePayout(payout.reference, 'fail')
  await stage.receive(payout, 'failed')
  await stage.movePayout(payout.reference, 'pay_after_all')
  return payout.reference
}

/** A batch row that the provider has paid, while its outcome is unknown here. */
async function unknownRow(stage: Stage): Promise<string> {
  const { at, reference } = await batchRow(stage)
  await stage.movePayout(reference, 'complete')
  const { home, id: payoutId } = at
  const finding = { home, payoutId, environment: 'test', kind: 'payout_unknown', provider: 'snippe', reference } as const
  await openBreak(stage.app.db, { ...finding, details: { state: 'unknown' } }, newMoneyId(home))
  return reference
}

/** A batch row that the provider has paid, after an answer with another amount. */
async function rowOfOtherAmount(stage: Stage): Promise<string> {
  const payout = await batchRow(stage)
  await stage.movePayout(payout.reference, 'complete')
  await stage.receive(payout, 'completed', { amount: 19_000 })
  return payout.reference
}

async function paidOrder(stage: Stage, payout: SilentPayout): Promise<string> {
  await stage.movePayout(payout.reference, 'complete')
  await stage.receive(payout, 'completed')
  return payout.reference
}

const order = {
  payout: (stage: Stage) => stage.payout(),
  refund: ({ app, payer, fundedBy }: Stage) => silentRefund(app, payer.key, fundedBy.reference),
  'batch row': batchRow,
}

const fee = 399
const payoutFee = 1_500
const less: Lie = { amount: 15_000 }
const cases: Case[] = [
  {
    about: 'a credited charge that is shown with less, with less again, and whole',
    arrange: paidCharge,
    steps: [
      { shows: less, resolution: 'follow_provider', off: -5_000 },
      { shows: less, off: -5_000 },
      { shows: 'the truth', resolution: 'follow_provider', off: 0 },
      { shows: less, resolution: 'follow_provider', off: -5_000 },
      { shows: 'the truth', resolution: 'follow_provider', off: 0 },
    ],
  },
  {
    about: 'a credited charge that is shown as failed, with less, and whole',
    arrange: paidCharge,
    steps: [
      { shows: { status: 'failed' }, resolution: 'follow_provider', off: fee - 20_000 },
      { shows: { status: 'failed' }, off: fee - 20_000 },
      { shows: less, resolution: 'follow_provider', off: -5_000 },
      { shows: 'the truth', resolution: 'follow_provider', off: 0 },
    ],
  },
  {
    about: 'a credited charge that is missing, missing again, and shown',
    arrange: paidCharge,
    steps: [
      { shows: 'nothing', resolution: 'follow_provider', off: fee - 20_000 },
      { shows: 'nothing', off: fee - 20_000 },
      { shows: 'the truth', resolution: 'follow_provider', off: 0 },
    ],
  },
  {
    about: 'a charge that was right here when it was shown with less, and is shown with nothing',
    arrange: paidCharge,
    steps: [
      { shows: less, resolution: 'provider_was_wrong', off: 0 },
      { shows: less, off: 0 },
      { shows: { status: 'failed' }, resolution: 'follow_provider', off: fee - 20_000 },
      { shows: 'the truth', resolution: 'follow_provider', off: 0 },
    ],
  },
  {
    about: 'found money that is kept and then shown with less, as failed, and whole',
    arrange: foundCharge,
    steps: [
      { shows: 'the truth', resolution: 'keep_unallocated', off: 0 },
      { shows: less, resolution: 'keep_unallocated', off: -5_000 },
      { shows: { status: 'failed' }, off: fee - 20_000 },
      { shows: 'the truth', resolution: 'keep_unallocated', off: 0 },
    ],
  },
  ...(['debit_wallet', 'write_off'] as const).map((resolution): Case => ({
    about: `an unknown order that is resolved with ${resolution} and then shown with more, with less, as failed, and whole`,
    arrange: unknownOrder,
    parameters: ({ payer }) => ({ merchant_id: payer.merchantId }),
    steps: [
      { shows: 'the truth', resolution, off: 0 },
      { shows: { amount: 6_000 }, resolution, off: -1_000 },
      { shows: { amount: 4_000 }, resolution: 'keep_unallocated', off: 1_000 },
      { shows: { status: 'failed' }, resolution: 'keep_unallocated', off: 6_500 },
      { shows: 'the truth', resolution, off: 0 },
    ],
  })),
  ...(['payout', 'refund', 'batch row'] as const).map((kind): Case => ({
    about: `what was written off for a ${kind} with another amount than it is shown with later`,
    arrange: async (stage) => paidAfterAll(stage, await order[kind](stage)),
    steps: [
      { shows: { amount: 19_000 }, resolution: 'write_off', off: 1_000 },
      { shows: { amount: 19_000 }, off: 1_000 },
      { shows: { amount: 18_000 }, resolution: 'write_off', off: 2_000 },
      { shows: 'the truth', resolution: 'payout_paid_after_all', off: 0 },
      { shows: 'the truth', off: 0 },
    ],
  })),
  ...(['payout', 'refund', 'batch row'] as const).flatMap((kind): Case[] => [
    {
      about: `a completed ${kind} that is shown with less, with more, whole, and as reversed`,
      arrange: async (stage) => paidOrder(stage, await order[kind](stage)),
      steps: [
        { shows: { amount: 19_000 }, resolution: 'follow_provider', off: 1_000 },
        { shows: { amount: 19_000 }, off: 1_000 },
        { shows: { amount: 21_000 }, resolution: 'follow_provider', off: -1_000 },
        { shows: { amount: 21_000 }, off: -1_000 },
        { shows: 'the truth', resolution: 'follow_provider', off: 0 },
        { shows: { amount: 19_000 }, resolution: 'follow_provider', off: 1_000 },
        { shows: { amount: 19_000, status: 'reversed' }, off: 20_000 + payoutFee },
        { shows: 'the truth', resolution: 'payout_paid_after_all', off: 0 },
        { shows: { amount: 19_000 }, resolution: 'follow_provider', before: 'follow_provider', off: 1_000 },
        { shows: 'nothing', resolution: 'payout_returned', off: 20_000 + payoutFee },
      ],
    },
    {
      about: `a ${kind} in flight that is shown with more, and then whole`,
      async arrange(stage) {
        const payout = await order[kind](stage)
        await stage.movePayout(payout.reference, 'complete')
        await stage.receive(payout, 'completed', { amount: 21_000 })
        return payout.reference
      },
      steps: [
        { shows: { amount: 21_000 }, resolution: 'follow_provider', off: -1_000 },
        { shows: { amount: 21_000 }, off: -1_000 },
        { shows: 'the truth', resolution: 'follow_provider', off: 0 },
      ],
    },
    {
      about: `a completed ${kind} that was right here when it was shown with less, and is shown with less still`,
      arrange: async (stage) => paidOrder(stage, await order[kind](stage)),
      steps: [
        { shows: { amount: 19_000 }, resolution: 'provider_was_wrong', off: 0 },
        { shows: { amount: 19_000 }, off: 0 },
        { shows: { amount: 18_000 }, resolution: 'follow_provider', off: 2_000 },
        { shows: 'the truth', resolution: 'follow_provider', off: 0 },
      ],
    },
  ]),
  {
    about: 'a batch row that is unknown and resolved as not paid, and then shown as paid, as reversed, and as paid',
    arrange: unknownRow,
    steps: [
      { shows: 'nothing', resolution: 'payout_not_paid', off: 20_000 + payoutFee },
      { shows: 'nothing', off: 20_000 + payoutFee },
      { shows: 'the truth', resolution: 'payout_paid_after_all', off: 0 },
      { shows: { status: 'reversed' }, resolution: 'payout_returned', off: 20_000 + payoutFee },
      { shows: 'the truth', resolution: 'payout_paid_after_all', off: 0 },
    ],
  },
  {
    about: 'a batch row that is written off, and then shown as reversed and as paid',
    arrange: async (stage) => paidAfterAll(stage, await batchRow(stage)),
    steps: [
      { shows: 'the truth', resolution: 'write_off', off: 0 },
      { shows: { status: 'reversed' }, resolution: 'payout_returned', off: 20_000 + payoutFee },
      { shows: { status: 'reversed' }, off: 20_000 + payoutFee },
      { shows: 'the truth', resolution: 'write_off', off: 0 },
    ],
  },
  {
    about: 'a batch row that is shown with another amount and resolved as not paid, and then shown as completed',
    arrange: rowOfOtherAmount,
    steps: [
      { shows: { amount: 19_000 }, resolution: 'payout_not_paid', off: 20_000 + payoutFee },
      { shows: { amount: 19_000 }, resolution: 'write_off', off: 1_000 },
      { shows: 'the truth', resolution: 'payout_paid_after_all', off: 0 },
      { shows: 'the truth', off: 0 },
    ],
  },
]

for (const { about, arrange, parameters, steps } of cases) {
  test(`${about}: judged again`, async (t) => {
    const stage = await startStage(t)
    const { app } = stage
    const reference = await arrange(stage)
    let before: string | undefined
    for (const [index, { shows, resolution, off, before: ofKind }] of steps.entries()) {
      stage.hidden.delete(reference)
      stage.lies.delete(reference)
      if (shows === 'nothing') stage.hidden.add(reference)
      else if (shows !== 'the truth') stage.lies.set(reference, shows)
      await stage.compare()
      const step = `step ${index}`
      const [found, ...others] = await openBreaks(stage)
      assert.deepEqual([found === undefined, others.length], [resolution === undefined, 0], step)
      if (found) {
        const { rows } = await app.owner.pool.query('select details from breaks where resolved_at is null')
        assert.equal(rows[0].details.decided_before, ofKind ?? before, step)
      }
      const named = resolution === 'debit_wallet' ? parameters?.(stage) : undefined
      if (resolution !== undefined) assert.equal(await resolveOnly(stage, resolution as 'write_off', named), '200', step)
      before = resolution ?? before
      const { opening_balance: opening, expected_balance: balance } = (await app.truth()).accounts.test
      assert.equal((await clearing(stage)) - (balance - opening), off, step)
      assert.deepEqual(await verify(app.db), [], step)
    }
  })
}

test('an unknown payout without a reference is opened again with the decision before', async (t) => {
  const stage = await startStage(t)
  const { home, id: payoutId } = (await stage.payout()).at
  const finding = { home, payoutId, environment: 'test', kind: 'payout_unknown', details: { state: 'unknown' } } as const
  for (const before of [undefined, 'ask_again']) {
    assert.equal(await openBreak(stage.app.db, finding, newMoneyId(home)), true)
    const { rows } = await stage.app.owner.pool.query('select details from breaks where resolved_at is null')
    assert.equal(rows[0].details.decided_before, before)
    assert.equal(await resolveOnly(stage, 'ask_again'), '200')
  }
})

test('a payout with the same other amount, after it was asked again, waits for operators again', async (t) => {
  const stage = await startStage(t)
  const payout = await stage.payout()
  for (const before of [undefined, 'ask_again']) {
    await stage.receive(payout, 'completed', { amount: 19_000 })
    const { rows } = await stage.app.owner.pool.query('select details from breaks where resolved_at is null')
    assert.deepEqual([rows.length, rows[0]?.details.decided_before], [1, before])
    assert.equal(await resolveOnly(stage, 'ask_again'), '200')
  }
})

/** What the wallet has, and what its merchant owes. */
async function wallet({ app, payer }: Stage): Promise<[number, number]> {
  const { available, receivable } = (await app.call('GET', '/v1/balance', { key: payer.key })).body.data
  return [available, receivable]
}

/** Shows a completed payout or refund with this amount, and follows the provider. */
async function follow(stage: Stage, { reference }: SilentPayout, amount: number): Promise<void> {
  stage.lies.set(reference, { amount })
  await stage.compare()
  assert.equal(await resolveOnly(stage, 'follow_provider'), '200')
  assert.deepEqual(await verify(stage.app.db), [])
}

test('a payout that was paid with more than the wallet has is owed, and the merchant sees each correction', async (t) => {
  const stage = await startStage(t)
  const { app, payer } = stage
  const payout = await stage.payout()
  await paidOrder(stage, payout)
  const [left] = await wallet(stage)
  await follow(stage, payout, 20_000 + left + 3_000)
  assert.deepEqual(await wallet(stage), [0, 3_000])
  assert.equal(short(await ask(app, payer.key)), '409 payouts_on_hold')
  await follow(stage, payout, 19_000)
  await repayReceivables(app.deps, 10)
  assert.deepEqual(await wallet(stage), [left + 1_000, 0])
  await stage.compare()
  const { rows } = await app.owner.pool.query(
    `select by_network from reconciliation_runs where subject = 'payouts' and phase = 'ended' and kind = 'daily' order by ended_at desc limit 1`,
  )
  for (const { provider, credited } of Object.values<Record<string, number>>(rows[0].by_network)) assert.equal(credited, provider)
  const { timeline } = (await app.call('GET', `/v1/merchant/payouts/${payout.id}?environment=test`, { token: payer.token })).body
    .data
  const seen = timeline.flatMap(({ kind, direction, amount }: Record<string, unknown>) =>
    kind === 'payout_raised' || kind === 'payout_lowered' ? [[kind, direction, amount]] : [],
  )
  assert.deepEqual(seen, [
    ['payout_raised', 'debit', left],
    ['payout_lowered', 'credit', left + 4_000],
  ])
  const lines = (
    await app.call('GET', `/v1/transactions?type=adjustment&direction=all&payout_id=${payout.id}`, { key: payer.key })
  ).body.data
  assert.deepEqual(
    lines.map(({ amount }: { amount: number }) => amount),
    [left + 4_000, left],
  )
})

test('a payment has refunded what the provider paid for its refund: less, more than the payment, and nothing after it came back', async (t) => {
  const stage = await startStage(t, 'refund')
  const { app, payer, fundedBy } = stage
  const refunded = async (): Promise<number> =>
    (await app.call('GET', `/v1/payments/${fundedBy.reference}`, { key: payer.key })).body.data.refunded_amount
  const refund = await stage.payout()
  await paidOrder(stage, refund)
  for (const amount of [19_000, 1_000_500]) {
    await follow(stage, refund, amount)
    await countBehind(app.deps, 10)
    const { data } = (await app.call('GET', '/v1/merchant/customers?environment=test', { token: payer.token })).body
    assert.deepEqual([await refunded(), data[0].refunded_total], [amount, amount])
    assert.deepEqual(await verify(app.db), [])
  }
  await stage.receive(refund, 'reversed', { amount: 1_000_500 })
  assert.equal(await refunded(), 0)
  assert.deepEqual(await verify(app.db), [])
})

test('a return to a payer that was paid with another amount is at our expense, and comes back with what was paid', async (t) => {
  const stage = await startStage(t)
  const { app } = stage
  await foundCharge(stage)
  await stage.compare()
  assert.equal(await resolveOnly(stage, 'return_to_payer'), '200')
  await stage.payAll()
  const { rows } = await app.owner.pool.query('select payout_id, provider_reference from provider_payouts')
  const back = silentOf(rows[0].payout_id, rows[0].provider_reference)
  await stage.receive(back, 'completed')
  const losses = async (): Promise<number> =>
    (await app.owner.pool.query(`select balance::integer from ledger_accounts where kind = 'loss' and environment = 'test'`))
      .rows[0].balance
  await follow(stage, back, 21_000)
  assert.equal(await losses(), -1_000)
  await follow(stage, back, 20_500)
  assert.equal(await losses(), -500)
  stage.lies.set(back.reference, { amount: 20_500, status: 'reversed' })
  await stage.compare()
  assert.deepEqual([await losses(), (await openBreaks(stage)).map(({ kind }) => kind)], [0, ['unknown_at_provider']])
  assert.deepEqual(await verify(app.db), [])
})

test('a message with the ordered amount of a payout that was paid with less is asked back, and cannot be followed', async (t) => {
  const stage = await startStage(t)
  const payout = await stage.payout()
  await paidOrder(stage, payout)
  await follow(stage, payout, 19_000)
  for (const [amount, expected] of [
    [19_000, 'unchanged'],
    [20_000, 'to_confirm'],
  ] as const) {
    const source = { ...payout.source, isReport: true }
    const { verdict } = await settlePayout(stage.app.deps, payout.at, source, says(payout.reference, 'completed', { amount }))
    assert.equal(verdict, expected)
  }
  // Only the provider's own answer can be followed.
  assert.equal(await resolveOnly(stage, 'follow_provider'), '409 invalid_state')
})

test('a message about a corrected payment is compared with the corrected credit: the old amount is asked back, the new one is no news', async (t) => {
  const stage = await startStage(t)
  const payment = await stage.charge(20_000)
  await stage.moveCharge(payment, 'complete')
  await stage.ask(payment)
  stage.lies.set(payment.there, less)
  await stage.compare()
  assert.equal(await resolveOnly(stage, 'follow_provider'), '200')
  const { home, paymentId, there } = payment
  const source = { home, paymentId, environment: 'test', provider: 'snippe', actor: 'provider:poll', requestId: 'r' } as const
  const success = { reference: there, ourReference: null, status: 'completed', currency: 'TZS' } as const
  const blank = { fee: null, network: null, failure: null, expiresAt: null }
  for (const [amount, expected] of [
    [15_000, 'unchanged'],
    [20_000, 'contradicts'],
  ] as const) {
    const news = settlementOf({ ...source, confirmAbove: 1_000 }, { ...success, ...blank, amount }, 60)
    assert.equal((await stage.app.deps.settle(news)).verdict, expected)
  }
  assert.deepEqual(await verify(stage.app.db), [])
})

test('a payment whose credit was partly taken back is refunded up to what was left of it', async (t) => {
  const stage = await startStage(t)
  const { app, payer } = stage
  const payment = await stage.charge()
  await stage.settleCredit(payment, {})
  await stage.moveCharge(payment, 'complete', 9_000)
  const read = async () =>
    (await app.call('GET', `/v1/payments/${payment.reference}`, { key: payer.key })).body.data as {
      fee: number
      net: number
      refundable: number
      timeline: { type: string; direction?: string; amount?: number }[]
    }
  const { fee: feeBefore, net } = await read()
  assert.equal(net, 10_000)
  await stage.compare()
  assert.equal(await resolveOnly(stage, 'follow_provider'), '200')
  const corrected = await read()
  assert.deepEqual([corrected.net, corrected.refundable, corrected.fee], [9_000, 9_000, feeBefore])
  const lines = corrected.timeline.filter(({ type }) => type === 'transaction')
  assert.deepEqual(
    lines.map(({ direction, amount }) => [direction, amount]),
    [
      ['credit', 10_000],
      ['debit', 1_000],
    ],
  )
  const found = await app.call('GET', `/v1/transactions?direction=all&reference=${payment.reference}`, { key: payer.key })
  assert.deepEqual(
    found.body.data.map(({ type, amount }: { type: string; amount: number }) => [type, amount]),
    [
      ['adjustment', 1_000],
      ['payment', 10_000],
    ],
  )
  const refund = (amount: number) =>
    app.call('POST', `/v1/payments/${payment.reference}/refunds`, {
      key: payer.key,
      headers: { 'idempotency-key': `refund-${amount}` },
      body: { amount },
    })
  const refused = await refund(9_500)
  assert.deepEqual([short(refused), refused.body.error.details], ['409 refund_exceeds_payment', { refundable: 9_000 }])
  assert.equal(short(await refund(9_000)), '201')
})
