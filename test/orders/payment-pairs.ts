/** Pairs about one payment: its settlements, its end, and what its payer or its merchant does meanwhile. */
import { cancelPayment } from '../../server/collect/payments/cancel-payment.ts'
import { insertPayments, type NewPayment } from '../../server/collect/payments/payment.sql.ts'
import {
  newSettlement,
  settlementOf,
  settlementOfAnswer,
  type SettlementSource,
} from '../../server/collect/payments/settlement.ts'
import type { ChargeSnapshot } from '../../server/money/providers/provider.ts'
import { erasePayer } from '../../server/operations/data-lifecycle/erase-payer.ts'
import { toWire } from '../../server/platform/ids.ts'
import { newPayment, sentPayments } from '../fixtures/payments.ts'
import { pair, type Met, type Pair, type UseCase } from './pair.ts'
import type { World } from './world.ts'

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

type OwnPayment = Payment & { key: string; token: string; slug: string }

/** A payment that the provider has, on a page of a merchant with a key. */
async function sentOnOwnPage(world: World): Promise<OwnPayment> {
  const { app } = world
  const owner = await world.funded(10_000)
  const { slug } = await app.page(owner, { amount: 1_500 })
  const { rows } = await app.owner.pool.query(
    'select home, id as "pageId", merchant_id as "merchantId" from payment_pages where id in (select page_id from payment_page_slugs where slug = $1)',
    [slug],
  )
  const [payment] = await sentPayments(app, { ...rows[0], slug }, 1)
  return { ...payment!, key: owner.key, token: owner.token, slug }
}

const changePage =
  (fields: Record<string, unknown>): UseCase<OwnPayment> =>
  (side, { key, slug }) =>
    side.call('PATCH', `/v1/payment-pages/${slug}`, { key, body: fields })

const closePage = changePage({ active: false })
const changeAmount = changePage({ amount: 2_000 })

const refundIt: UseCase<OwnPayment> = (side, { id, key }) =>
  side.call('POST', `/v1/payments/${toWire('pay', id)}/refunds`, {
    key,
    idempotencyKey: `${id} ${side.name}`,
    body: { amount: 1_000 },
  })

export const paymentPairs: readonly Pair[] = [
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
  pair({ name: 'settle-page', prepare: sentOnOwnPage, first: settle('completed'), second: closePage }),
  pair({ name: 'settle-page-amount', prepare: sentOnOwnPage, first: settle('completed'), second: changeAmount }),
  pair({
    name: 'settle-refund',
    prepare: sentOnOwnPage,
    first: settle('completed'),
    second: refundIt,
    refusals: ['409 invalid_state'],
  }),
]
