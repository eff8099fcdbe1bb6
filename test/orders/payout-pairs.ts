/** Pairs about one payout or refund: its request, its order at the provider, its reports, and what may end the right to it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { reportUnknownPayout } from '../../server/assurance/reconciliation/unallocated-payout.ts'
import { openBreak } from '../../server/money/breaks/break.sql.ts'
import { freezeMerchantPayouts } from '../../server/money/controls/freeze-merchant.ts'
import { endComparedRestores, insertRestore, recordPlanned } from '../../server/money/controls/restore.sql.ts'
import type { PayoutSnapshot } from '../../server/money/providers/provider.ts'
import { erasePayer } from '../../server/operations/data-lifecycle/erase-payer.ts'
import { checkPayouts } from '../../server/pay-out/payouts/send-payout.ts'
import { settlePayout } from '../../server/pay-out/payouts/settle-payout.ts'
import { fromWire, homeOfId, newId, newMoneyId, toWire } from '../../server/platform/ids.ts'
import type { Resolution } from '../../server/money/breaks/break.ts'
import { says } from '../fixtures/payouts.ts'
import { decided, openBreakOf, proposed, type Proposed } from './decision.ts'
import { pair, type Pair, type UseCase } from './pair.ts'
import type { Rich, World } from './world.ts'

const recipient = { phone_number: '+255754000123', recipient_name: 'Asha Mushi' }

const pay =
  (amount: number, idempotencyKey?: string): UseCase<Rich & { phone?: string }> =>
  (side, { key, merchantId, round, phone = recipient.phone_number }) =>
    side.call('POST', '/v1/payouts', {
      key,
      // The same when the request is repeated, and another one for the other side.
      idempotencyKey: idempotencyKey ?? `${merchantId} ${round} ${side.name}`,
      body: { amount, ...recipient, phone_number: phone },
    })

/** A merchant of this order alone. */
const fresh = (amount: number) => (world: World) => world.rich(amount)

export type Asked = Rich & { payoutId: string; reference: string | null; at: { home: number; id: string; environment: 'test' } }

async function askedBy({ app }: World, payer: Rich, fields: Partial<typeof recipient & { amount: number }> = {}): Promise<Asked> {
  const { status, body } = await app.call('POST', '/v1/payouts', {
    key: payer.key,
    headers: { 'idempotency-key': randomUUID() },
    body: { amount: 20_000, ...recipient, ...fields },
  })
  assert.equal(status, 201, JSON.stringify(body))
  await app.deps.backgroundDone()
  const payoutId = fromWire('po', body.data.id)!
  const { rows } = await app.owner.pool.query('select provider_reference from provider_payouts where payout_id = $1', [payoutId])
  return {
    ...payer,
    payoutId,
    reference: rows[0].provider_reference,
    at: { home: homeOfId(payoutId), id: payoutId, environment: 'test' },
  }
}

/** A payout that the provider has. */
export const asked = async (world: World): Promise<Asked> => askedBy(world, await world.funded(200_000))

/** The same, of a merchant of this order alone: a contradiction holds all payouts of a merchant. */
const askedOfNew = async (world: World): Promise<Asked> => askedBy(world, await world.rich(200_000))

/** A payout that was not sent, and is due. */
export async function unsent(world: World, amount = 20_000): Promise<Asked> {
  const { orders } = world.stage
  orders.wait = true
  try {
    return await askedBy(world, await world.funded(200_000), { amount })
  } finally {
    orders.wait = false
  }
}

export const report =
  (status: PayoutSnapshot['status'], changes: Partial<PayoutSnapshot> = {}): UseCase<Asked> =>
  async ({ deps }, { at, reference }) =>
    (await settlePayout(deps, at, { provider: 'snippe', actor: 'test', requestId: 'r' }, says(reference!, status, changes)))
      .verdict

/** Sends it, or queries what was sent. */
export const send: UseCase<Asked> = async ({ deps }, { at }) => String(await checkPayouts(deps, 1, at))

const cancel: UseCase<Asked> = (side, { payoutId, key }) =>
  side.call('POST', `/v1/payouts/${toWire('po', payoutId)}/cancel`, { key, body: {} })

const freeze: UseCase<Rich> = async ({ deps }, { merchantId }) => {
  const { rows } = await deps.db.pool.query<{ home: number }>('select home from merchants where id = $1', [merchantId])
  await freezeMerchantPayouts(deps.db, { home: rows[0]!.home, id: merchantId }, 'test', 'The books are looked at.')
  return 'done'
}

type Refundable = Rich & { id: string }

async function refundable(world: World): Promise<Refundable> {
  const payer = await world.rich(100_000)
  const { rows } = await world.app.owner.pool.query('select id from payments where merchant_id = $1', [payer.merchantId])
  return { ...payer, id: rows[0].id }
}

const refund =
  (amount: number): UseCase<Refundable> =>
  (side, { id, key }) =>
    side.call('POST', `/v1/payments/${toWire('pay', id)}/refunds`, {
      key,
      idempotencyKey: `${id} ${side.name}`,
      body: { amount },
    })

/** The merchant gave the money back itself. */
const outside =
  (amount: number): UseCase<Refundable> =>
  (side, { id, token }) =>
    side.call('POST', `/v1/merchant/payments/${toWire('pay', id)}/refunds?environment=test`, {
      token,
      idempotencyKey: `${id} ${side.name}`,
      body: { amount, method: 'outside', reason: 'Cash' },
    })

type Withdrawn = Refundable & Proposed

/** A payment whose credit the provider no longer shows: a decision to take it back waits for its second operator. */
async function takenBack(world: World): Promise<Withdrawn> {
  const one = await refundable(world)
  const { home } = (await world.app.owner.pool.query('select home from payments where id = $1', [one.id])).rows[0]
  const finding = { home, paymentId: one.id, environment: 'test', kind: 'missing_at_provider', provider: 'snippe' } as const
  await openBreak(world.app.db, { ...finding, details: {} }, newMoneyId(home))
  return { ...one, ...(await proposed(world, await openBreakOf(world, one.id), 'follow_provider')) }
}

/** The provider says that this payout could not be carried out or asks to wait: operators decide. */
async function inDoubt(world: World, resolution: 'payout_paid' | 'payout_not_paid'): Promise<Asked & Proposed> {
  const one = await askedOfNew(world)
  const { home, id: payoutId } = one.at
  const finding = { home, payoutId, environment: 'test', kind: 'payout_unknown', provider: 'snippe' } as const
  await openBreak(world.app.db, { ...finding, reference: one.reference, details: { state: 'unknown' } }, newMoneyId(home))
  await world.app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where payout_id = $1', [payoutId])
  return { ...one, ...(await proposed(world, await openBreakOf(world, payoutId), resolution)) }
}

/** A payout that failed, went back to the wallet, and is reported as paid after all. */
async function paidAfterAll(world: World, resolution: 'payout_paid_after_all' | 'write_off'): Promise<Asked & Proposed> {
  const one = await askedOfNew(world)
  for (const status of ['failed', 'completed'] as const) await report(status)(world.sides[0], one)
  return { ...one, ...(await proposed(world, await openBreakOf(world, one.payoutId), resolution)) }
}

/** A completed payout whose money came back, or that took another amount or fee, by the provider's latest report. */
async function reportedAs(world: World, resolution: Resolution, ...reports: UseCase<Asked>[]): Promise<Asked & Proposed> {
  const one = await askedOfNew(world)
  for (const next of reports) await next(world.sides[0], one)
  return { ...one, ...(await proposed(world, await openBreakOf(world, one.payoutId), resolution)) }
}

const returned = (world: World) => reportedAs(world, 'payout_returned', report('completed'), report('failed'))
const paidLess = (world: World) => reportedAs(world, 'follow_provider', report('completed', { amount: 19_000 }))
const dearer = (world: World) => reportedAs(world, 'book_fee', report('completed', { fee: 3_000 }))

/** A payout that waits to be sent, while the provider has its order: a restored database has lost that it was sent. */
async function lost(world: World): Promise<Asked> {
  const one = await unsent(world, 5_000)
  const reference = await world.stage.sendUnknownOrder({ id: toWire('po', one.payoutId) })
  return { ...one, reference }
}

/** What the comparison with the provider's list records of that order. */
const compare: UseCase<Asked> = async ({ deps }, { payoutId, reference }) => {
  const there = {
    status_there: 'pending',
    amount_there: 5_000,
    currency_there: 'TZS',
    our_reference_there: toWire('po', payoutId),
  }
  const finding = {
    home: 0,
    environment: 'test',
    provider: 'snippe',
    kind: 'unknown_at_provider',
    reference: reference!,
  } as const
  const details = { subject: 'payout', ...there }
  await deps.db.tx((tx) => reportUnknownPayout(tx, { ...finding, details }, null, { actor: 'provider:list', requestId: 'r' }))
  await endComparedRestores(deps.db)
  return 'done'
}

/** Looks for the order that was lost. */
const lookUp: UseCase<Asked> = async (side, one) => {
  await send(side, one)
  return 'done'
}

async function lostAndCompared(world: World): Promise<Asked> {
  const one = await lost(world)
  await compare(world.sides[0], one)
  return one
}

/** A restore whose comparison has not ended: nothing is sent before. */
async function lostAndComparing(world: World): Promise<Asked> {
  const one = await lost(world)
  await world.app.deps.db.tx(async (tx) => {
    const restore = await insertRestore(tx, { id: newId(), restoredTo: null, by: 'test' })
    await recordPlanned(tx, restore!.id)
  })
  return one
}

/** A merchant who has paid a person once, whose data that person wants erased. */
async function paidOnce(world: World): Promise<Asked & { phone: string }> {
  const payer = await world.funded(200_000)
  const [prefix, middle] = [54 + (Math.floor(payer.round / 1000) % 3), String(payer.round % 1000).padStart(3, '0')]
  const phone = `+2557${prefix}${middle}129`
  const one = { ...(await askedBy(world, payer, { phone_number: phone })), phone }
  await report('completed')(world.sides[0], one)
  return one
}

const erase: UseCase<Rich & { phone: string }> = async ({ deps }, { phone }) => {
  await erasePayer(deps, phone)
  return 'done'
}

/** The provider's answer was lost, and now the merchant owes: nothing is sent again, and a later report says what became of the order. */
const lostBeforeDebt = [
  [
    'payout merchant pending 60000 approval none order claimed: +1',
    'payout merchant processing 60000 approval none order accepted: +1',
  ],
] as const

export const payoutPairs: readonly Pair[] = [
  pair({ name: 'payout-payout', prepare: fresh(50_000), first: pay(30_000), second: pay(30_000) }),
  pair({
    name: 'payout-same-key',
    prepare: async (world: World) => ({ ...(await world.funded(100_000)), idempotencyKey: randomUUID() }),
    first: (side, one: Rich & { idempotencyKey: string }) => pay(20_000, one.idempotencyKey)(side, one),
    second: (side, one) => pay(20_000, one.idempotencyKey)(side, one),
  }),
  pair({
    name: 'payout-key-revoked',
    prepare: fresh(100_000),
    first: pay(20_000),
    second: ({ call }, { token, keyId }: Rich) => call('DELETE', `/developers/keys/${keyId}`, { token }),
  }),
  pair({ name: 'payout-refund', prepare: refundable, first: pay(60_000), second: refund(60_000) }),
  pair({ name: 'payout-freeze', prepare: fresh(100_000), first: pay(20_000), second: freeze }),
  pair({
    name: 'payout-receivable',
    prepare: takenBack,
    first: pay(60_000),
    second: decided(1),
    inParts: ['1'],
    alike: lostBeforeDebt,
  }),
  pair({ name: 'payout-completed-failed', prepare: askedOfNew, first: report('completed'), second: report('failed') }),
  pair({ name: 'payout-completed-twice', prepare: asked, first: report('completed'), second: report('completed') }),
  pair({ name: 'payout-completed-query', prepare: asked, first: report('completed'), second: send }),
  pair({ name: 'payout-reversed-twice', prepare: paid, first: report('reversed'), second: report('reversed') }),
  pair({ name: 'payout-failed-twice', prepare: asked, first: report('failed'), second: report('failed') }),
  pair({ name: 'send-send', prepare: (world: World) => unsent(world), first: send, second: send }),
  pair({ name: 'send-cancel', prepare: (world: World) => unsent(world), first: send, second: cancel }),
  pair({ name: 'cancel-cancel', prepare: (world: World) => unsent(world), first: cancel, second: cancel }),
  pair({ name: 'send-freeze', prepare: unsentOfNew, first: send, second: freeze }),
  pair({ name: 'lookup-lookup', prepare: lostAndCompared, first: lookUp, second: lookUp }),
  pair({ name: 'lookup-report', prepare: lostAndCompared, first: lookUp, second: report('completed', { amount: 5_000 }) }),
  pair({ name: 'lookup-cancel', prepare: lostAndCompared, first: lookUp, second: cancel }),
  pair({ name: 'send-comparison', prepare: lostAndComparing, first: send, second: compare }),
  pair({ name: 'payout-erase', prepare: paidOnce, first: pay(20_000), second: erase, inParts: ['1'] }),
  pair({ name: 'send-payout-paid', prepare: (world: World) => inDoubt(world, 'payout_paid'), first: send, second: decided(1) }),
  pair({
    name: 'send-payout-not-paid',
    prepare: (world: World) => inDoubt(world, 'payout_not_paid'),
    first: send,
    second: decided(1),
  }),
  pair({
    name: 'report-payout-paid',
    prepare: (world: World) => inDoubt(world, 'payout_paid'),
    first: report('failed'),
    second: decided(1),
  }),
  pair({
    name: 'report-payout-not-paid',
    prepare: (world: World) => inDoubt(world, 'payout_not_paid'),
    first: report('completed'),
    second: decided(1),
  }),
  pair({
    name: 'payout-paid-twice',
    prepare: (world: World) => inDoubt(world, 'payout_paid'),
    first: decided(1),
    second: decided(2),
  }),
  pair({
    name: 'payout-not-paid-twice',
    prepare: (world: World) => inDoubt(world, 'payout_not_paid'),
    first: decided(1),
    second: decided(2),
  }),
  pair({
    name: 'paid-after-all-twice',
    prepare: (world: World) => paidAfterAll(world, 'payout_paid_after_all'),
    first: decided(1),
    second: decided(2),
  }),
  pair({
    name: 'paid-after-all-report',
    prepare: (world: World) => paidAfterAll(world, 'payout_paid_after_all'),
    first: decided(1),
    second: report('completed'),
  }),
  pair({
    name: 'write-off-twice',
    prepare: (world: World) => paidAfterAll(world, 'write_off'),
    first: decided(1),
    second: decided(2),
  }),
  pair({
    name: 'write-off-report',
    prepare: (world: World) => paidAfterAll(world, 'write_off'),
    first: decided(1),
    second: report('completed'),
  }),
  pair({
    name: 'write-off-failed-report',
    prepare: (world: World) => paidAfterAll(world, 'write_off'),
    first: decided(1),
    second: report('failed'),
  }),
  pair({
    name: 'paid-after-all-payout',
    prepare: (world: World) => paidAfterAll(world, 'payout_paid_after_all'),
    first: decided(1),
    second: pay(190_000),
  }),
  pair({ name: 'payout-returned-twice', prepare: returned, first: decided(1), second: decided(2) }),
  pair({ name: 'payout-returned-report', prepare: returned, first: decided(1), second: report('reversed') }),
  pair({ name: 'follow-payout-twice', prepare: paidLess, first: decided(1), second: decided(2) }),
  pair({ name: 'follow-payout-report', prepare: paidLess, first: decided(1), second: report('completed') }),
  pair({ name: 'book-fee-twice', prepare: dearer, first: decided(1), second: decided(2) }),
  pair({ name: 'refund-refund', prepare: refundable, first: refund(60_000), second: refund(60_000) }),
  pair({ name: 'refund-outside', prepare: refundable, first: refund(60_000), second: outside(60_000) }),
  pair({ name: 'outside-outside', prepare: refundable, first: outside(60_000), second: outside(60_000) }),
  pair({ name: 'outside-taken-back', prepare: takenBack, first: outside(60_000), second: decided(1) }),
  pair({ name: 'refund-taken-back', prepare: takenBack, first: refund(60_000), second: decided(1), inParts: ['1'] }),
  pair({ name: 'taken-back-twice', prepare: takenBack, first: decided(1), second: decided(2) }),
]

async function paid(world: World): Promise<Asked> {
  const one = await askedOfNew(world)
  await report('completed')(world.sides[0], one)
  return one
}

async function unsentOfNew(world: World): Promise<Asked> {
  const payer = await world.rich(100_000)
  world.stage.orders.wait = true
  try {
    return await askedBy(world, payer)
  } finally {
    world.stage.orders.wait = false
  }
}
