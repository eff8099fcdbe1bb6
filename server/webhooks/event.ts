/** Events: what happened, in the words that merchants receive. An event is never changed, so its body is the same bytes every time. */
import { toWire } from '../platform/ids.ts'

export type EventType = 'payment.completed'

export type EventRow = {
  id: string
  type: EventType
  paymentId: string
  paymentPageId: string
  amount: number
  currency: string
  completedAt: Date
  createdAt: Date
}

/**
 * The exact body of the webhook of an event (service.md 6.1). It is computed from immutable columns, in a fixed order of keys, so
 * every attempt sends, and signs, identical bytes.
 */
export function eventBody(event: EventRow): string {
  return JSON.stringify({
    id: toWire('evt', event.id),
    type: event.type,
    created_at: event.createdAt.toISOString(),
    data: {
      reference: toWire('pay', event.paymentId),
      payment_page_id: toWire('page', event.paymentPageId),
      amount: event.amount,
      currency: event.currency,
      completed_at: event.completedAt.toISOString(),
    },
  })
}
