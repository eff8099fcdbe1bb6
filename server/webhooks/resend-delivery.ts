/** Sends the event of an earlier attempt once more, to the webhook as it is now; the chain of the event goes its own way. */
import { z } from 'zod'
import type { App } from '../apps/app.ts'
import { findMerchant } from '../identity/merchant.sql.ts'
import type { Db } from '../platform/db.ts'
import { fromWire, toWire } from '../platform/ids.ts'
import { assert, notFound, Refusal } from '../platform/refusal.ts'
import { findEndpoint } from './endpoint.sql.ts'
import type { EventType } from './event.ts'
import { findAttemptedEvent, queueDelivery } from './manual-delivery.sql.ts'

export const queuedDeliverySchema = z
  .object({
    id: z.string().meta({
      description: 'Under this id the attempt will stand in the list of deliveries.',
      example: 'whd_01jz8e6c9kf0x9v4m2n7q5t3ab',
    }),
    event_id: z.string().meta({ example: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    event_type: z.string(),
    url: z.string().meta({ description: 'The address of the webhook now.' }),
    trigger: z.literal('manual'),
    queued_at: z.iso.datetime(),
  })
  .meta({ id: 'QueuedWebhookDelivery' })

export function webhookNotEnabled(): Refusal {
  return new Refusal(409, 'invalid_state', 'This app has no webhook that is switched on. Save its address first.')
}

type AttemptedEvent = { home: number; eventId: string; eventType: EventType }

/** `wireId` is whatever the caller sent as the id of an attempt; refuses with 404 unless it is one of this app. */
export async function findAttemptedByApp(deps: { db: Db }, app: App, wireId: string): Promise<AttemptedEvent> {
  const merchant = await findMerchant(deps.db, app.merchantId)
  assert(merchant, 'every app has a merchant')
  const { home } = merchant
  const attemptId = fromWire('whd', wireId)
  const event = attemptId === undefined ? undefined : await findAttemptedEvent(deps.db, { home, appId: app.id, attemptId })
  if (!event) throw notFound()
  return { home, ...event }
}

/** Queues the event of an attempt; refuses with 404 as above, with 409 when the app has no webhook that is switched on. */
export async function resendDelivery(deps: { db: Db }, app: App, wireId: string): Promise<z.infer<typeof queuedDeliverySchema>> {
  const { home, eventId, eventType } = await findAttemptedByApp(deps, app, wireId)
  const endpoint = await findEndpoint(deps.db, app.id)
  if (!endpoint?.enabled) throw webhookNotEnabled()
  const { id, createdAt } = await queueDelivery(deps.db, { home, eventId, endpointId: endpoint.id, appId: app.id })
  return {
    id: toWire('whd', id),
    event_id: toWire('evt', eventId),
    event_type: eventType,
    url: endpoint.url,
    trigger: 'manual',
    queued_at: createdAt.toISOString(),
  }
}
