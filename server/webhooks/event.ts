/** Events in the form that merchants receive. An event is never changed, so its body has the same bytes every time. */
import { z } from 'zod'
import type { EventType } from '../domain/webhook.ts'
import { toWire } from '../platform/ids.ts'

export type EventRow = {
  id: string
  type: EventType
  /** JSON, in exactly the bytes that webhooks send. */
  data: string
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
  return JSON.parse(eventBody(event)) as z.infer<typeof eventSchema>
}

/** The exact body of the webhook of an event: an envelope around stored bytes, so every attempt sends and signs identical bytes. */
export function eventBody({ id, type, data, createdAt }: EventRow): string {
  return `{"id":"${toWire('evt', id)}","type":"${type}","created_at":"${createdAt.toISOString()}","data":${data}}`
}
