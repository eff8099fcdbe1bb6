/** Pairs about breaks: the confirmation of each resolution that moves money, with the same by another operator and with the news that it waits for. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Owner } from '../../server/accounts/identity/merchant.ts'
import { insertPayments } from '../../server/collect/payments/payment.sql.ts'
import { newPayment } from '../fixtures/payments.ts'
import { openBreak } from '../../server/money/breaks/break.sql.ts'
import type { Resolution } from '../../server/money/breaks/break.ts'
import { settlementOf } from '../../server/collect/payments/settlement.ts'
import type { ChargeSnapshot } from '../../server/money/providers/provider.ts'
import { homeOfId, newMoneyId, toWire } from '../../server/platform/ids.ts'
import { payoutIdOf } from '../../server/pay-out/payouts/payout.ts'
import { checkPayouts } from '../../server/pay-out/payouts/send-payout.ts'
import type { Payment as StagePayment } from '../fixtures/every-resolution.ts'
import { decided, openBreakOf, proposed, type Proposed } from './decision.ts'
import { pair, type Met, type Pair, type UseCase } from './pair.ts'
import type { Rich, World } from './world.ts'

type Charged = Met & { payment: StagePayment }

const chargedFor = (world: World, payment: StagePayment): Charged => ({ merchantId: world.stageMerchantId, payment })

/** What the provider's message or answer says of the charge now. */
const says =
  (status: ChargeSnapshot['status'], amount = 10_000): UseCase<Charged> =>
  async ({ deps }, { payment }) => {
    const source = { home: payment.home, paymentId: payment.paymentId, environment: 'test', provider: 'snippe' } as const
    const snapshot = { reference: payment.there, ourReference: null, status, amount, currency: 'TZS', fee: null, network: null }
    const item = settlementOf({ ...source, actor: 'test', requestId: 'r' }, { ...snapshot, failure: null, expiresAt: null }, 60)
    return (await deps.settle(item)).verdict
  }

/** 9,900 were paid for 10,000, and wait for a decision. */
async function differing(world: World, resolution: 'credit_payment' | 'return_to_payer'): Promise<Charged & Proposed> {
  const { stage } = world
  const payment = await stage.charge()
  await stage.moveCharge(payment, 'complete', 9_900)
  await says('completed', 9_900)(world.sides[0], chargedFor(world, payment))
  return { ...chargedFor(world, payment), ...(await proposed(world, await openBreakOf(world, payment.paymentId), resolution)) }
}

/** A charge that the provider does not answer for: operators were asked whether there is one. */
async function unanswered(world: World): Promise<Charged & Proposed> {
  const one = chargedFor(world, await world.stage.charge())
  const { home, paymentId } = one.payment
  const finding = { home, paymentId, environment: 'test', kind: 'charge_unknown', provider: 'snippe', details: {} } as const
  await openBreak(world.app.db, finding, newMoneyId(home))
  return { ...one, ...(await proposed(world, await openBreakOf(world, paymentId), 'not_charged')) }
}

/** Credited with 10,000 in our books, while the provider shows another amount, or a failure. */
async function contradicted(world: World, amountThere: number): Promise<Charged & Proposed> {
  const { stage } = world
  const payment = await world.pooled(`credited, ${amountThere} there`, async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => stage.charge()))
    for (const one of made) {
      await stage.settleCredit(one, {})
      await (amountThere === 0 ? stage.moveCharge(one, 'fail') : stage.moveCharge(one, 'complete', amountThere))
    }
    await stage.compare()
    return made
  })
  const breakId = await openBreakOf(world, payment.paymentId)
  return { ...chargedFor(world, payment), ...(await proposed(world, breakId, 'follow_provider')) }
}

/** Money that only the provider knew. */
async function found(world: World): Promise<string> {
  const { app, stage } = world
  return world.pooled('found money', async () => {
    const references = new Set<string>()
    for (let count = 0; count < 12; count += 1)
      references.add(await stage.seed({ amount: 10_000, status: 'completed', phone: '255754000123' }))
    await stage.compare()
    const { rows } = await app.owner.pool.query<{ id: string }>(
      `select id from breaks where kind = 'unknown_at_provider' and resolved_at is null and provider_reference = any($1)`,
      [[...references]],
    )
    assert.equal(rows.length, references.size)
    return rows.map(({ id }) => id)
  })
}

/** Found money is to be credited to a payment that has failed. */
async function foundFor(world: World): Promise<Charged & Proposed> {
  const breakId = await found(world)
  const payment = await world.stage.charge()
  const one = chargedFor(world, payment)
  await says('failed')(world.sides[0], one)
  return { ...one, ...(await proposed(world, breakId, 'credit_to_payment', { payment_reference: payment.reference })) }
}

/** The same, and a payment without a reference, which a message can name as the owner of that record. */
async function foundAndUnbound(
  world: World,
  resolution: 'credit_to_payment' | 'keep_unallocated' | 'return_to_payer',
): Promise<Charged & Proposed> {
  const { app, shop } = world
  const breakId = await found(world)
  const payment = newPayment(app, shop, 10_000)
  await insertPayments(app.db, [payment])
  await app.owner.pool.query(`update provider_charges set state = 'unknown' where payment_id = $1`, [payment.id])
  const { rows } = await app.owner.pool.query('select provider_reference from breaks where id = $1', [breakId])
  const failed = await world.stage.charge()
  await says('failed')(world.sides[0], chargedFor(world, failed))
  const parameters = resolution === 'credit_to_payment' ? { payment_reference: failed.reference } : undefined
  return {
    merchantId: shop.merchantId,
    payment: { ...failed, paymentId: payment.id, home: payment.home, there: rows[0].provider_reference },
    ...(await proposed(world, breakId, resolution, parameters)),
  }
}

/** The payer of a credited payment was charged a second time. */
async function chargedTwice(world: World): Promise<Charged & Proposed> {
  const { stage } = world
  const payment = await world.pooled('charged twice', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => stage.charge()))
    for (const one of made) {
      await stage.settleCredit(one, {})
      await stage.moveCharge(one, 'complete')
      await stage.seed({ amount: 10_000, status: 'completed', metadata: { malipo_payment: one.reference } })
    }
    await stage.compare()
    return made
  })
  return {
    ...chargedFor(world, payment),
    ...(await proposed(world, await openBreakOf(world, payment.paymentId), 'refund_second_charge')),
  }
}

type UnknownOrder = Rich & Proposed & { idempotencyKey: string }

/** The provider has paid an order that our books do not know, and that a merchant asks for again under its key. */
async function unknownOrder(world: World, resolution: 'debit_wallet' | 'write_off'): Promise<UnknownOrder> {
  const { app, stage } = world
  const merchant = await world.funded(200_000)
  const { rows } = await app.owner.pool.query<{ home: number }>('select home from merchants where id = $1', [merchant.merchantId])
  const owner = { merchant: { id: merchant.merchantId, home: rows[0]!.home }, environment: 'test' } as Owner
  const { idempotencyKey, reference } = await world.pooled('unknown orders', async () => {
    const made: { idempotencyKey: string; reference: string }[] = []
    for (let count = 0; count < 8; count += 1) {
      const idempotencyKey = randomUUID()
      const there = await stage.sendUnknownOrder({ id: toWire('po', payoutIdOf(owner, idempotencyKey)) })
      await stage.movePayout(there, 'complete')
      made.push({ idempotencyKey, reference: there })
    }
    await stage.compare()
    return made
  })
  const { rows: breaks } = await app.owner.pool.query<{ id: string }>(
    `select id from breaks where kind = 'unknown_at_provider' and provider_reference = $1 and resolved_at is null`,
    [reference],
  )
  const parameters = resolution === 'debit_wallet' ? { merchant_id: toWire('usr', merchant.merchantId) } : undefined
  return { ...merchant, idempotencyKey, ...(await proposed(world, breaks[0]!.id, resolution, parameters)) }
}

const askAgain: UseCase<UnknownOrder> = (side, { key, idempotencyKey }) =>
  side.call('POST', '/v1/payouts', {
    key,
    idempotencyKey,
    body: { amount: 5_000, phone_number: '+255754000123', recipient_name: 'X' },
  })

type FoundMoney = Met & Proposed

const foundAnd =
  (resolution: 'keep_unallocated' | 'return_to_payer') =>
  async (world: World): Promise<FoundMoney> => ({
    merchantId: world.stageMerchantId,
    ...(await proposed(world, await found(world), resolution)),
  })

/** Another operator's proposal takes the place of the one that is confirmed. */
const proposeInstead =
  (resolution: Resolution): UseCase<Proposed & Met> =>
  (side, { breakId, operators }) =>
    side.call('POST', `/v1/admin/breaks/${toWire('brk', breakId)}/propose`, {
      token: operators[2]!,
      body: { resolution, note: 'Another letter.' },
    })

/** The return of a break's money is sent, or asked for. */
const sendReturn: UseCase<Proposed & Met> = async ({ deps }, { breakId }) => {
  const { rows } = await deps.db.pool.query<{ id: string }>('select id from payouts where break_id = $1', [breakId])
  let count = 0
  for (const { id } of rows) count += await checkPayouts(deps, 1, { home: homeOfId(id), id })
  return String(count)
}

/** The order was found at the provider before or after the decision about it: its money stays reserved until operators decide. */
const waitsForOperators = [
  ['break payout_reference_conflict open: +1', 'break payout_unknown open: +1'],
  [
    'payout merchant pending 5000 held approval none order claimed: +1',
    'payout merchant processing 5000 approval none order unknown: +1',
  ],
] as const

export const breakPairs: readonly Pair[] = [
  pair({
    name: 'credit-payment-twice',
    prepare: (world: World) => differing(world, 'credit_payment'),
    first: decided(1),
    second: decided(2),
  }),
  pair({
    name: 'credit-payment-settle',
    prepare: (world: World) => differing(world, 'credit_payment'),
    first: decided(1),
    second: says('completed', 9_900),
  }),
  pair({
    name: 'return-twice',
    prepare: (world: World) => differing(world, 'return_to_payer'),
    first: decided(1),
    second: decided(2),
  }),
  pair({
    name: 'return-settle',
    prepare: (world: World) => differing(world, 'return_to_payer'),
    first: decided(1),
    second: says('completed'),
  }),
  pair({
    name: 'return-send',
    prepare: (world: World) => differing(world, 'return_to_payer'),
    first: decided(1),
    second: sendReturn,
  }),
  pair({
    name: 'return-propose',
    prepare: (world: World) => differing(world, 'return_to_payer'),
    first: decided(1),
    second: proposeInstead('credit_payment'),
  }),
  pair({ name: 'follow-twice', prepare: (world: World) => contradicted(world, 9_000), first: decided(1), second: decided(2) }),
  pair({
    name: 'follow-settle',
    prepare: (world: World) => contradicted(world, 9_000),
    first: decided(1),
    second: says('completed', 9_000),
  }),
  pair({
    name: 'follow-failed-settle',
    prepare: (world: World) => contradicted(world, 0),
    first: decided(1),
    second: says('failed'),
  }),
  pair({ name: 'credit-to-payment-twice', prepare: foundFor, first: decided(1), second: decided(2) }),
  pair({ name: 'credit-to-payment-late', prepare: foundFor, first: decided(1), second: says('completed') }),
  pair({ name: 'credit-to-payment-failed', prepare: foundFor, first: decided(1), second: says('failed') }),
  pair({
    name: 'credit-to-payment-record',
    prepare: (world: World) => foundAndUnbound(world, 'credit_to_payment'),
    first: decided(1),
    second: says('completed'),
  }),
  pair({
    name: 'keep-unallocated-record',
    prepare: (world: World) => foundAndUnbound(world, 'keep_unallocated'),
    first: decided(1),
    second: says('completed'),
  }),
  pair({
    name: 'return-found-record',
    prepare: (world: World) => foundAndUnbound(world, 'return_to_payer'),
    first: decided(1),
    second: says('completed'),
  }),
  pair({
    name: 'debit-same-key',
    prepare: (world: World) => unknownOrder(world, 'debit_wallet'),
    first: decided(1),
    second: askAgain,
    alike: waitsForOperators,
  }),
  pair({
    name: 'write-off-same-key',
    prepare: (world: World) => unknownOrder(world, 'write_off'),
    first: decided(1),
    second: askAgain,
    alike: waitsForOperators,
  }),
  pair({
    name: 'debit-twice',
    prepare: (world: World) => unknownOrder(world, 'debit_wallet'),
    first: decided(1),
    second: decided(2),
  }),
  pair({
    name: 'write-off-found-twice',
    prepare: (world: World) => unknownOrder(world, 'write_off'),
    first: decided(1),
    second: decided(2),
  }),
  pair({ name: 'not-charged-twice', prepare: unanswered, first: decided(1), second: decided(2) }),
  pair({ name: 'not-charged-settle', prepare: unanswered, first: decided(1), second: says('completed') }),
  pair({ name: 'second-charge-twice', prepare: chargedTwice, first: decided(1), second: decided(2) }),
  pair({ name: 'second-charge-settle', prepare: chargedTwice, first: decided(1), second: says('completed') }),
  pair({ name: 'second-charge-send', prepare: chargedTwice, first: decided(1), second: sendReturn }),
  pair({ name: 'keep-unallocated-twice', prepare: foundAnd('keep_unallocated'), first: decided(1), second: decided(2) }),
  pair({ name: 'return-found-twice', prepare: foundAnd('return_to_payer'), first: decided(1), second: decided(2) }),
]
