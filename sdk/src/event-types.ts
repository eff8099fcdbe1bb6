/** The types of events, for programs that offer a choice of them. */
import type { Event as WebhookEvent } from './api-types.js'

export type EventType = WebhookEvent['type']

const known: Record<EventType, true> = {
  'payment.completed': true,
  'payment.failed': true,
  'payment.voided': true,
  'payment.expired': true,
  'payout.completed': true,
  'payout.failed': true,
  'payout.reversed': true,
  'payout.cancelled': true,
  'refund.completed': true,
  'refund.failed': true,
  'payout_batch.completed': true,
  'business.verified': true,
  'business.rejected': true,
  'webhook.enabled': true,
}

/** Every type that this version knows. The service may send newer ones to a webhook that has chosen `*`. */
export const eventTypes = Object.keys(known) as EventType[]
