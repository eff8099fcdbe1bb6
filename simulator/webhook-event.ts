/**
 * The events that the provider sends to the merchant's server. Invariant: an event's body is written once; every attempt sends
 * these bytes.
 */
import type { Charge, ChargeStatus } from './charge.ts'
import type { AccountName } from './config.ts'
import type { Payout, PayoutStatus } from './payout.ts'
import { withPlus } from './phones.ts'
import type { WebhookFlaw } from './scenarios.ts'
import { apiVersion, money, settlement } from './wire.ts'

export type Attempt = {
  at: number
  /** HTTP status, or null when no answer came. */
  status: number | null
  error: string | null
  durationMs: number
  /** Which of several chains of the same event this belongs to; a resend by hand is a separate chain. */
  copy: string
  attempt: number
}

export type WebhookEvent = {
  eventId: string
  /** The charge or payout that the event is about. */
  reference: string
  account: AccountName
  type: string
  /** The status of the charge or payout that it reports, in the terms of these books. */
  status: ChargeStatus | PayoutStatus
  url: string | null
  body: string
  createdAt: number
  flaw: WebhookFlaw | null
  state: 'pending' | 'delivered' | 'abandoned' | 'not_sent'
  attempts: Attempt[]
}

const iso = (at: number): string => new Date(at).toISOString()

const envelope = (eventId: string, type: string, at: number, data: Record<string, unknown>): string =>
  JSON.stringify({ id: eventId, type, api_version: apiVersion, created_at: iso(at), data })

/** The content of an event. It is passed separately from the record, because an event may contradict the books. */
export type News<Status> = { eventId: string; status: Status; at: number; amount: number; failureReason: string | null }

export type AmountForm = 'object' | 'integer' | 'text' | 'dollars' | 'lower-case' | 'hundredfold'

function amountIn(form: AmountForm, amount: number): unknown {
  const forms = {
    object: money(amount),
    integer: amount,
    text: `${amount}.00`,
    dollars: { value: amount, currency: 'USD' },
    'lower-case': { value: amount, currency: 'tzs' },
    hundredfold: money(amount),
  }
  return forms[form]
}

export function chargeEventBody(charge: Charge, news: News<ChargeStatus>, form: AmountForm): string {
  const { amount, at, eventId, failureReason, status } = news
  return envelope(eventId, `payment.${status}`, at, {
    reference: charge.reference,
    external_reference: charge.externalReference,
    status,
    amount: amountIn(form, amount),
    settlement: settlement(amount, charge.fees),
    channel: { type: 'mobile_money', provider: charge.network },
    customer: {
      phone: withPlus(charge.phone),
      name: `${charge.customer.firstName} ${charge.customer.lastName}`,
      email: charge.customer.email,
    },
    metadata: charge.metadata,
    ...(status === 'completed' ? { completed_at: iso(charge.completedAt ?? at) } : {}),
    ...(status === 'failed' ? { failure_reason: failureReason, failed_at: iso(at) } : {}),
  })
}

export function payoutEventBody(payout: Payout, news: News<PayoutStatus>, form: AmountForm): string {
  const { amount, at, eventId, status } = news
  return envelope(eventId, `payout.${status}`, at, {
    reference: payout.reference,
    external_reference: payout.externalReference,
    status,
    amount: amountIn(form, amount),
    settlement: settlement(amount, payout.fees),
    channel: { type: 'mobile_money', provider: payout.network },
    customer: { phone: withPlus(payout.phone), name: payout.recipientName },
    metadata: payout.metadata,
    ...(payout.completedAt === null ? {} : { completed_at: iso(payout.completedAt) }),
    ...(payout.failureReason === null ? {} : { failure_reason: payout.failureReason }),
  })
}
