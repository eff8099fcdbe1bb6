/** The types of events that a webhook can choose, and their groups in the form. */
import type { WebhookState } from '../../api/operations.ts'

export type EventChoice = WebhookState['events'][number]
export type EventType = Exclude<EventChoice, '*'>

/** Undefined: nothing sends it yet, so the form does not offer it. */
const groupOf = {
  'payment.completed': 'payment',
  'payment.failed': 'payment',
  'payment.voided': 'payment',
  'payment.expired': 'payment',
  'payout.completed': 'payout',
  'payout.failed': 'payout',
  'payout.reversed': 'payout',
  'payout.cancelled': 'payout',
  'refund.completed': 'refund',
  'refund.failed': 'refund',
  'payout_batch.completed': 'payout',
  'business.verified': 'business',
  'business.rejected': 'business',
  'webhook.enabled': 'webhook',
} as const satisfies Record<EventType, string | undefined>

type Offered = { [Type in EventType]: (typeof groupOf)[Type] extends string ? Type : never }[EventType]

export const eventGroups = ['payment', 'payout', 'refund', 'business', 'webhook'] as const
export const offeredEvents = (Object.keys(groupOf) as EventType[]).filter((type): type is Offered => groupOf[type] !== undefined)

export const eventsIn = (group: (typeof eventGroups)[number]): Offered[] =>
  offeredEvents.filter((type) => groupOf[type] === group)

export function isOffered(text: unknown): text is Offered {
  return offeredEvents.some((type) => type === text)
}
