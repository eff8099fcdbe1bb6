/** The pairs of use cases that meet on one object. Each row is one pair: what exists before, and what each side does. */
import assert from 'node:assert/strict'
import { cancelPayment } from '../../server/collect/payments/cancel-payment.ts'
import {
  newSettlement,
  settlementOf,
  settlementOfAnswer,
  type SettlementSource,
} from '../../server/collect/payments/settlement.ts'
import { erasePayer } from '../../server/operations/data-lifecycle/erase-payer.ts'
import { checkPayouts } from '../../server/pay-out/payouts/send-payout.ts'
import { settlePayout } from '../../server/pay-out/payouts/settle-payout.ts'
import { fromWire, homeOfId, toWire } from '../../server/platform/ids.ts'
import type { ChargeSnapshot, PayoutSnapshot } from '../../server/money/providers/provider.ts'
import { insertPayments, type NewPayment } from '../../server/collect/payments/payment.sql.ts'
import { newPayment, sentPayments } from '../fixtures/payments.ts'
import { says } from '../fixtures/payouts.ts'
import { newKey, type Rich, type Side, type World } from './world.ts'

/** The object of an order; its facts are those of this merchant. */
type Met = { merchantId: string }

export type UseCase<Object> = (side: Side, object: Object) => Promise<string>

type Row<Object extends Met> = {
  name: string
  prepare(world: World): Promise<Object>
  first: UseCase<Object>
  second: UseCase<Object>
  /** Answers of a side that has changed nothing: the other side alone is then also right. */
  refusals?: readonly string[]
}

export type Pair = Row<Met>

/** Hides the type of the object, which only its own row needs. */
const pair = <Object extends Met>(row: Row<Object>): Pair => row as unknown as Pair

type Payment = NewPayment & Met

const sourceOf = ({ home, id }: NewPayment): SettlementSource => ({
  home,
  paymentId: id,
  environment: 'test',
  provider: 'snippe',
  actor: 'test',
  requestId: 'req_test',
})

const chargeOf = (
  payment: NewPayment,
  status: ChargeSnapshot['status'],
  changes: Partial<ChargeSnapshot> = {},
): ChargeSnapshot => ({
  reference: `ref-${payment.providerKey}`,
  ourReference: null,
  status,
  amount: payment.amount,
  currency: 'TZS',
  fee: null,
  network: null,
  failure: null,
  expiresAt: null,
  ...changes,
})

const settle =
  (status: ChargeSnapshot['status'], changes: Partial<ChargeSnapshot> = {}): UseCase<Payment> =>
  async ({ deps }, payment) =>
    (await deps.settle(settlementOf(sourceOf(payment), chargeOf(payment, status, changes), 60))).verdict

const expire: UseCase<Payment> = async ({ deps }, payment) => {
  const answer = { isPastExpiry: true, nextAttemptSeconds: null }
  return (await deps.settle(settlementOfAnswer(sourceOf(payment), chargeOf(payment, 'pending'), answer))).verdict
}

const cancel: UseCase<Payment> = async ({ deps }, { id }) => {
  await cancelPayment(deps, id, 'req_test')
  return 'done'
}

const declare: UseCase<Payment> = async ({ deps }, payment) =>
  (await deps.settle(newSettlement(sourceOf(payment), { kind: 'declared_uncharged' }))).verdict

async function sent({ app, shop }: World): Promise<Payment> {
  return (await sentPayments(app, shop, 1))[0]!
}

async function unsent({ app, shop }: World): Promise<Payment> {
  const payment = newPayment(app, shop)
  await insertPayments(app.db, [payment])
  await app.owner.pool.query(`update provider_charges set state = 'deferred' where payment_id = $1`, [payment.id])
  return payment
}

async function expired(world: World): Promise<Payment> {
  const payment = await sent(world)
  const answer = { isPastExpiry: true, nextAttemptSeconds: null }
  await world.app.deps.settle(settlementOfAnswer(sourceOf(payment), chargeOf(payment, 'pending'), answer))
  return payment
}

type Asked = Rich & { payoutId: string; reference: string | null; at: { home: number; id: string; environment: 'test' } }

const pay =
  (amount: number, idempotencyKey?: string): UseCase<Rich> =>
  (side, { key, merchantId }) =>
    side.call('POST', '/v1/payouts', {
      key,
      // The same when the request is repeated, and another one for the other side.
      idempotencyKey: idempotencyKey ?? `${merchantId} ${side.name}`,
      body: { amount, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
    })

const rich = (amount: number) => (world: World) => world.rich(amount)

/** A payout that the provider has. */
const asked = async (world: World): Promise<Asked> => {
  const { app } = world
  const payer = await world.rich(100_000)
  const { status, body } = await app.call('POST', '/v1/payouts', {
    key: payer.key,
    headers: { 'idempotency-key': newKey() },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
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

const report =
  (status: PayoutSnapshot['status'], changes: Partial<PayoutSnapshot> = {}): UseCase<Asked> =>
  async ({ deps }, { at, reference }) =>
    (await settlePayout(deps, at, { provider: 'snippe', actor: 'test', requestId: 'r' }, says(reference!, status, changes)))
      .verdict

const query: UseCase<Asked> = async ({ deps }, { at }) => {
  return String(await checkPayouts(deps, 1, at))
}

type Refundable = Payment & { key: string }

async function refundable(world: World): Promise<Refundable> {
  const { app } = world
  const payer = await world.rich(100_000)
  const { rows } = await app.owner.pool.query('select id, home from payments where merchant_id = $1', [payer.merchantId])
  return { ...rows[0], merchantId: payer.merchantId, key: payer.key }
}

const refund =
  (amount: number): UseCase<Refundable> =>
  (side, { id, key }) =>
    side.call('POST', `/v1/payments/${toWire('pay', id)}/refunds`, {
      key,
      idempotencyKey: `${id} ${side.name}`,
      body: { amount },
    })

export const pairs: readonly Pair[] = [
  pair({ name: 'settle-cancel', prepare: sent, first: settle('completed'), second: cancel }),
  pair({ name: 'settle-cancel-unsent', prepare: unsent, first: settle('completed'), second: cancel }),
  pair({ name: 'settle-failed', prepare: sent, first: settle('completed'), second: settle('failed') }),
  pair({ name: 'settle-settle', prepare: sent, first: settle('completed'), second: settle('completed') }),
  pair({ name: 'settle-expire', prepare: sent, first: settle('completed'), second: expire }),
  pair({ name: 'late-late', prepare: expired, first: settle('completed'), second: settle('completed') }),
  pair({ name: 'late-failed', prepare: expired, first: settle('completed'), second: settle('failed') }),
  pair({
    name: 'settle-other-amount',
    prepare: sent,
    first: settle('completed'),
    second: settle('completed', { amount: 900 }),
    refusals: ['amount_differs'],
  }),
  pair({ name: 'settle-declared', prepare: sent, first: settle('completed'), second: declare }),
  pair({
    name: 'settle-erase',
    prepare: sent,
    first: settle('completed'),
    second: async ({ deps }, payment: Payment) => {
      await erasePayer(deps, payment.phoneNumber)
      return 'done'
    },
  }),
  pair({ name: 'payout-payout', prepare: rich(50_000), first: pay(30_000), second: pay(30_000) }),
  pair({
    name: 'payout-same-key',
    prepare: async (world: World) => ({ ...(await world.rich(100_000)), idempotencyKey: newKey() }),
    first: (side, one: Rich & { idempotencyKey: string }) => pay(20_000, one.idempotencyKey)(side, one),
    second: (side, one) => pay(20_000, one.idempotencyKey)(side, one),
  }),
  pair({
    name: 'payout-key-revoked',
    prepare: rich(100_000),
    first: pay(20_000),
    second: ({ call }, { token, keyId }: Rich) => call('DELETE', `/developers/keys/${keyId}`, { token }),
  }),
  pair({ name: 'payout-completed-failed', prepare: asked, first: report('completed'), second: report('failed') }),
  pair({ name: 'payout-completed-twice', prepare: asked, first: report('completed'), second: report('completed') }),
  pair({ name: 'payout-completed-query', prepare: asked, first: report('completed'), second: query }),
  pair({ name: 'refund-refund', prepare: refundable, first: refund(60_000), second: refund(60_000) }),
]
