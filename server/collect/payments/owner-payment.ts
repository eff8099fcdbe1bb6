/** A payment for its merchant, with its history from all sources in order of time. */
import { currencySchema } from '../../domain/currency.ts'
import { outcomeSchema } from '../../domain/outcome.ts'
import { attemptTriggerSchema, type EventType } from '../../domain/webhook.ts'
import { lineDirectionSchema } from '../../domain/wallet.ts'
import { paymentStatusSchema, shortCodeSchema } from '../../domain/payment.ts'
import { refundStateSchema, type RefundState } from '../../domain/payout.ts'
import { breakKindSchema } from '../../domain/break.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { holdSchema, reviewHold } from '../../domain/hold.ts'
import { networkSchema } from '../../domain/network.ts'
import { z } from 'zod'
import { customValuesSchema } from '../../domain/custom-field.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { guarded, shown, type Sight } from '../../accounts/members/sight.ts'
import { findCreditCorrection, listPaymentLines, type WalletLine } from '../../money/ledger/transfer.sql.ts'
import type { Runner } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { ceilingPayout, leastOf, providerNamed, type Providers } from '../../money/providers/provider.ts'
import { listEventAttempts } from '../../merchants/webhooks/attempt.sql.ts'
import { listPaymentEvents } from '../../merchants/webhooks/event.sql.ts'
import { failureSchema, paymentFailure } from '../../domain/failure.ts'
import { listPaymentMessages, type OwnerPayment } from './owner-payment.sql.ts'
import { endStatuses } from './payment.ts'
import { findRefundSource } from './refund-source.sql.ts'
import { maskPhone, readPhone } from '../../domain/phone.ts'
import { answerOf } from '../../platform/http/answer.ts'

const moment = z.iso.datetime()

export const ownerPaymentSchema = z
  .object({
    reference: z.string().meta({ example: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    short_code: shortCodeSchema,
    network_receipt: z.string().nullable().meta({
      description: 'The number that the payer’s network printed in its message to the payer. Null if we do not know it.',
      example: 'S46121174212',
    }),
    status: paymentStatusSchema,
    amount: z.int().meta({ description: 'TZS.' }),
    amount_received: z.int().nullable().meta({
      description: 'TZS that was received and credited, if it differs from `amount`. Otherwise null.',
    }),
    currency: currencySchema,
    payment_page_id: z.string().nullable(),
    payment_page: z.object({ id: z.string(), title: z.string(), slug: z.string() }).nullable().meta({
      description: 'The page that it was made on. Null for a payment that your server requested.',
    }),
    payment_request_id: z.string().nullable().meta({ description: 'The payment request that it was made for.' }),
    customer: z.object({ name: z.string().nullable(), email: z.string().nullable(), phone_masked: z.string() }).meta({
      description:
        'Name and e-mail address are null if a payment by key was made without them. The address is also null if the payer left it out on our hosted page.',
    }),
    custom_fields: customValuesSchema,
    network: networkSchema.nullable(),
    description: z
      .string()
      .nullable()
      .meta({ description: 'What the payer pays for, set with the payment. Null: the title of the page says it.' }),
    merchant_reference: z.string().nullable().meta({ description: 'Your own order number. The payer does not see it.' }),
    metadata: z.record(z.string(), z.string()).meta({ description: 'Your own data. The payer does not see it.' }),
    failure: failureSchema.nullable(),
    late: z.boolean().meta({ description: 'The payment succeeded after it had already ended as failed, voided or expired.' }),
    credit_reversed_at: moment.nullable().meta({
      description:
        'When the credit was taken back, because the network showed that the payment was not paid. The status does not change.',
    }),
    refunded_amount: z.int().meta({ description: 'TZS of the refunds that have not failed, including those in flight.' }),
    refund_status: refundStateSchema.meta({ description: 'How much of the payment was refunded. The status does not change.' }),
    under_review: z.object({ since: moment, reason: breakKindSchema }).nullable().meta({
      description:
        'Set while the network’s record of this payment does not match our books and operators are reviewing it. `amount_differs`: the network names a different amount.',
    }),
    hold: holdSchema.nullable().meta({ description: 'Set while money of this payment is held.' }),
    environment: environmentSchema,
    created_at: moment,
    expires_at: moment,
    completed_at: moment.nullable(),
  })
  .meta({ id: 'MerchantPayment' })

/** Each kind of entry of a history, by its source. */
const timelineEntrySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), at: moment, status: paymentStatusSchema }),
  z.object({
    type: z.literal('provider_message'),
    at: moment,
    status: z
      .string()
      .nullable()
      .meta({ description: 'The status that the provider reported. Null if its message contains none.' }),
    failure_code: z.string().nullable(),
  }),
  z.object({
    type: z.literal('transaction'),
    at: moment,
    transaction_id: z.string(),
    direction: lineDirectionSchema,
    amount: z.int(),
    balance_after: guarded('timeline.balance_after', z.int()),
  }),
  z.object({ type: z.literal('event'), at: moment, event_id: z.string(), event_type: z.string() }),
  z.object({
    type: z.literal('webhook_attempt'),
    at: moment,
    event_type: z.string(),
    delivery_id: z.string(),
    app_id: z.string(),
    url: guarded('timeline.url', z.string()),
    attempt: z.int(),
    trigger: attemptTriggerSchema,
    outcome: outcomeSchema,
    response_status: z.int().nullable(),
    error_code: z.string().nullable(),
  }),
])

type TimelineEntry = z.infer<typeof timelineEntrySchema>

export const paymentWithTimelineSchema = ownerPaymentSchema
  .extend({
    fee: z.int().nullable().meta({ description: 'TZS that we kept as our fee. Null until the wallet is credited.' }),
    net: z.int().nullable().meta({
      description: 'TZS credited to the wallet, after corrections by operators. Null until it is credited.',
    }),
    refundable: z.int().meta({ description: 'TZS of the payment that were not refunded; 0 if it cannot be refunded.' }),
    refundable_now: z.int().meta({
      description:
        'TZS of `refundable` that can be sent now in one refund: 0 while the payment is under review, and if it is less than the minimum of a refund.',
    }),
    timeline: z.array(timelineEntrySchema).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'MerchantPaymentWithTimeline' })

function refundStateOf({ refundedAmount, amount, amountReceived }: OwnerPayment): RefundState {
  if (refundedAmount === 0) return 'none'
  return refundedAmount < (amountReceived ?? amount) ? 'partial' : 'full'
}

export function ownerPaymentToJson(payment: OwnerPayment): z.infer<typeof ownerPaymentSchema> {
  return answerOf(ownerPaymentSchema, payment, {
    reference: toWire('pay', payment.id),
    payment_page_id: payment.page && toWire('page', payment.page.id),
    payment_page: payment.page && { ...payment.page, id: toWire('page', payment.page.id) },
    payment_request_id: payment.paymentRequestId && toWire('preq', payment.paymentRequestId),
    customer: { name: payment.customerName, email: payment.customerEmail, phone_masked: maskPhone(payment.phoneNumber) },
    custom_fields: payment.customFields ?? [],
    failure: payment.status === 'failed' && payment.failureCode !== null ? paymentFailure(payment.failureCode) : null,
    refund_status: refundStateOf(payment),
    hold: reviewHold(payment),
    under_review:
      payment.reviewSince === null || payment.reviewReason === null
        ? null
        : { since: payment.reviewSince.toISOString(), reason: payment.reviewReason },
  })
}

/** How many entries of one kind are shown: a provider that repeats the same message a thousand times adds no information. */
const entriesPerKind = 50
/** If two entries have the same time, the cause comes before its effect. */
const rank: Record<TimelineEntry['type'], number> = {
  provider_message: 0,
  status: 1,
  transaction: 2,
  event: 3,
  webhook_attempt: 4,
}

type TimelineDeps = { db: Runner; providers: Providers }

type PaymentHistory = Pick<
  z.infer<typeof paymentWithTimelineSchema>,
  'fee' | 'net' | 'refundable' | 'refundable_now' | 'timeline'
>

async function messagesOf(deps: TimelineDeps, payment: OwnerPayment): Promise<TimelineEntry[]> {
  const messages = await listPaymentMessages(deps.db, payment, entriesPerKind)
  return messages.map(({ provider, body, receivedAt }) => {
    const message = providerNamed(deps.providers, payment.environment, provider).readStoredWebhook(body)
    const snapshot = message.kind === 'charge' ? message.snapshot : undefined
    return {
      type: 'provider_message',
      at: receivedAt.toISOString(),
      // An unknown status is shown as none.
      status: snapshot === undefined || snapshot.status === 'unrecognised' ? null : snapshot.status,
      failure_code: snapshot?.failure?.code ?? null,
    }
  })
}

async function linesOf(deps: TimelineDeps, { merchant }: Owner, payment: OwnerPayment): Promise<WalletLine[]> {
  return listPaymentLines(deps.db, { home: payment.home, paymentId: payment.id, merchantId: merchant.id })
}

function lineToEntry(line: WalletLine, sight: Sight): TimelineEntry {
  return {
    type: 'transaction',
    at: line.createdAt.toISOString(),
    transaction_id: toWire('txn', line.transferId),
    direction: line.direction,
    amount: line.amount,
    balance_after: shown(sight, 'timeline.balance_after', line.balanceAfter),
  }
}

async function eventsOf(deps: TimelineDeps, sight: Sight, payment: OwnerPayment): Promise<TimelineEntry[]> {
  const events = await listPaymentEvents(deps.db, payment)
  return (await Promise.all(events.map((event) => eventEntries(deps, sight, payment, event)))).flat()
}

async function eventEntries(
  deps: TimelineDeps,
  sight: Sight,
  payment: OwnerPayment,
  event: { id: string; type: EventType; createdAt: Date },
): Promise<TimelineEntry[]> {
  const attempts = await listEventAttempts(deps.db, { home: payment.home, eventId: event.id }, entriesPerKind)
  return [
    { type: 'event', at: event.createdAt.toISOString(), event_id: toWire('evt', event.id), event_type: event.type },
    ...attempts.map((attempt): TimelineEntry => ({
      type: 'webhook_attempt',
      at: attempt.attemptedAt.toISOString(),
      event_type: attempt.eventType,
      delivery_id: toWire('whd', attempt.id),
      app_id: toWire('app', attempt.appId),
      url: shown(sight, 'timeline.url', attempt.url),
      attempt: attempt.attempt,
      trigger: attempt.trigger,
      outcome: attempt.outcome,
      response_status: attempt.responseStatus,
      error_code: attempt.errorCode,
    })),
  ]
}

async function refundableOf(
  deps: TimelineDeps,
  owner: Owner,
  { id, status, creditReversedAt, reviewSince, phoneNumber }: OwnerPayment,
): Promise<Pick<PaymentHistory, 'refundable' | 'refundable_now'>> {
  // The number of a payer who was erased is a pseudonym.
  const canBe = status === 'completed' && creditReversedAt === null && readPhone(phoneNumber).kind === 'mobile'
  const refundable = canBe ? ((await findRefundSource(deps.db, owner, id))?.refundable ?? 0) : 0
  const isTooLittle = refundable < leastOf(deps.providers[owner.environment].payouts)
  return { refundable, refundable_now: isTooLittle || reviewSince !== null ? 0 : Math.min(refundable, ceilingPayout) }
}

/** The history of a payment and its money. A state between the first and the current one is shown by the message that caused it. */
export async function historyOf(deps: TimelineDeps, owner: Owner, sight: Sight, payment: OwnerPayment): Promise<PaymentHistory> {
  const [messages, lines, correction, events, refundable] = await Promise.all([
    messagesOf(deps, payment),
    linesOf(deps, owner, payment),
    findCreditCorrection(deps.db, { home: payment.home, paymentId: payment.id }),
    eventsOf(deps, sight, payment),
    refundableOf(deps, owner, payment),
  ])
  const states: TimelineEntry[] = [{ type: 'status', at: payment.createdAt.toISOString(), status: 'pending' }]
  if (payment.status !== 'pending') {
    const at = endStatuses.has(payment.status) ? (payment.completedAt ?? payment.updatedAt) : payment.updatedAt
    states.push({ type: 'status', at: at.toISOString(), status: payment.status })
  }
  // A later correction is no fee of ours.
  const credited = lines.find(({ kind }) => kind === 'payment' || kind === 'suspense_release')?.amount
  return {
    fee: credited === undefined ? null : (payment.amountReceived ?? payment.amount) - credited,
    net: credited === undefined ? null : credited + correction,
    ...refundable,
    timeline: [...states, ...messages, ...lines.map((line) => lineToEntry(line, sight)), ...events].toSorted((a, b) =>
      a.at === b.at ? rank[a.type] - rank[b.type] : a.at < b.at ? -1 : 1,
    ),
  }
}

export const paymentColumns = [
  'reference',
  'status',
  'amount',
  'currency',
  'payment_page_id',
  'payment_page_title',
  'customer_name',
  'customer_email',
  'customer_phone_masked',
  'network',
  'failure_code',
  'late',
  'created_at',
  'completed_at',
  'amount_received',
  'credit_reversed_at',
  'description',
  'merchant_reference',
  'metadata',
  'short_code',
  'network_receipt',
  'refunded_amount',
  'refund_status',
  'payment_request_id',
  'custom_fields',
] as const

/** A payment as a line of CSV: the same facts, with grouped values in separate columns. */
export function ownerPaymentToCells(payment: OwnerPayment): (string | number | null)[] {
  const {
    payment_page: page,
    customer,
    failure,
    late,
    metadata,
    custom_fields: given,
    hold: _hold,
    ...fields
  } = ownerPaymentToJson(payment)
  const cells = {
    ...fields,
    late: String(late),
    metadata: JSON.stringify(metadata),
    custom_fields: given.map(({ label, value }) => `${label}: ${value}`).join('; '),
    payment_page_title: page?.title ?? null,
    customer_name: customer.name,
    customer_email: customer.email,
    customer_phone_masked: customer.phone_masked,
    failure_code: failure?.code ?? null,
  }
  return paymentColumns.map((column) => cells[column])
}
