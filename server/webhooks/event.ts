/** Events in the form that merchants receive. An event is never changed, so its body has the same bytes every time. */
import { z } from 'zod'
import { toWire } from '../platform/ids.ts'

export type EventType = 'payment.completed'

export type EventRow = {
  id: string
  type: EventType
  paymentId: string
  /** Null where the payment was not made on a page that its owner sees. */
  paymentPageId: string | null
  amount: number
  /** The received amount in TZS, when it differs from `amount`. */
  amountReceived: number | null
  currency: string
  completedAt: Date
  createdAt: Date
}

export const eventSchema = z
  .object({
    id: z.string().meta({ example: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    type: z.enum(['payment.completed']),
    created_at: z.iso.datetime(),
    data: z.object({
      reference: z.string().meta({ description: 'The payment reference.', example: 'pay_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
      payment_page_id: z.string().nullable().meta({
        description: 'The page that the payment was made on. Null for a payment that your server requested.',
        example: 'page_01jz8e6c9kf0x9v4m2n7q5t3ab',
      }),
      amount: z.int().meta({ description: 'TZS.' }),
      amount_received: z.int().optional().meta({
        description: 'TZS that was received and credited. Present only if it differs from `amount`.',
      }),
      currency: z.string(),
      completed_at: z.iso.datetime(),
    }),
  })
  .meta({ id: 'Event', description: 'The content of a webhook for this event.' })

/** An event as merchants receive it (service.md 6.1), in a fixed order of keys. */
export function eventToJson(event: EventRow): z.infer<typeof eventSchema> {
  return {
    id: toWire('evt', event.id),
    type: event.type,
    created_at: event.createdAt.toISOString(),
    data: {
      reference: toWire('pay', event.paymentId),
      payment_page_id: event.paymentPageId && toWire('page', event.paymentPageId),
      amount: event.amount,
      ...(event.amountReceived === null ? {} : { amount_received: event.amountReceived }),
      currency: event.currency,
      completed_at: event.completedAt.toISOString(),
    },
  }
}

/** The exact body of the webhook of an event. It is computed from immutable columns, so every attempt sends and signs identical bytes. */
export function eventBody(event: EventRow): string {
  return JSON.stringify(eventToJson(event))
}
