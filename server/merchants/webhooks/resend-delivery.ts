/**
 * Sends an event again, named by an earlier attempt or by its own id, to webhooks as they are now. The automatic chains of the event do not
 * change.
 */
import { z } from 'zod'
import type { App } from '../../accounts/developers/app.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { invalidState, must, orNotFound, type Refusal } from '../../platform/refusal.ts'
import { findEndpoint, listEnabledEndpoints } from './endpoint.sql.ts'
import { receives, type Endpoint } from './endpoint.ts'
import { findOwnEvent } from './event.sql.ts'
import type { EventType } from '../../domain/webhook.ts'
import { findAttemptedEvent, queueDelivery } from './manual-delivery.sql.ts'

export const queuedDeliverySchema = z
  .object({
    id: z.string().meta({
      description: 'The id of the new attempt in the list of delivery attempts.',
      example: 'whd_01jz8e6c9kf0x9v4m2n7q5t3ab',
    }),
    app_id: z.string().meta({ description: 'The app whose webhook it goes to.' }),
    event_id: z.string().meta({ example: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    event_type: z.string(),
    url: z.string().meta({ description: 'The current URL of the webhook.' }),
    trigger: z.literal('manual'),
    queued_at: z.iso.datetime(),
  })
  .meta({ id: 'QueuedWebhookDelivery' })

export function webhookNotEnabled(): Refusal {
  return invalidState('There is no enabled webhook. Set its URL first.', 'Hakuna webhook iliyowashwa. Weka URL yake kwanza.')
}

function typeNotChosen(type: EventType): Refusal {
  return invalidState(
    `The webhook does not receive ${type}. Add it to the events of the webhook first.`,
    `Webhook haipokei ${type}. Liongeze kwanza kwenye matukio ya webhook.`,
  )
}

type QueuedEvent = { home: number; eventId: string; eventType: EventType }

/** `wireId` is any string that the caller sent as the id of an attempt. Refuses with 404 unless it is an attempt of this app. */
export async function findAttemptedByApp(deps: { db: Db }, app: App, wireId: string): Promise<QueuedEvent> {
  const merchant = must(await findMerchant(deps.db, app.merchantId), 'every app has a merchant')
  const { home } = merchant
  const attemptId = fromWire('whd', wireId)
  const event = orNotFound(
    attemptId === undefined ? undefined : await findAttemptedEvent(deps.db, { home, appId: app.id, attemptId }),
  )
  return { home, ...event }
}

/** Queues the event of an attempt. Refuses with 404 as above, and with 409 when the app has no enabled webhook, or
 * one that has not chosen events of this type.
 */
export async function resendDelivery(deps: { db: Db }, app: App, wireId: string): Promise<z.infer<typeof queuedDeliverySchema>> {
  const { home, eventId, eventType } = await findAttemptedByApp(deps, app, wireId)
  const endpoint = await findEndpoint(deps.db, app.id)
  if (!endpoint?.enabled) throw webhookNotEnabled()
  if (!receives(endpoint, eventType)) throw typeNotChosen(eventType)
  return queueTo(deps, endpoint, { home, eventId, eventType })
}

async function queueTo(
  deps: { db: Db },
  endpoint: Endpoint,
  { home, eventId, eventType }: QueuedEvent,
): Promise<z.infer<typeof queuedDeliverySchema>> {
  const { id, createdAt } = await queueDelivery(deps.db, { home, eventId, endpointId: endpoint.id, appId: endpoint.appId })
  return {
    id: toWire('whd', id),
    app_id: toWire('app', endpoint.appId),
    event_id: toWire('evt', eventId),
    event_type: eventType,
    url: endpoint.url,
    trigger: 'manual',
    queued_at: createdAt.toISOString(),
  }
}

/**
 * `wireId` is any string that the caller sent as the id of an event. Refuses with 404 unless it is an event of this owner in the last 30
 * days.
 */
export async function findEventToResend(deps: { db: Db }, owner: Owner, wireId: string): Promise<QueuedEvent> {
  const eventId = fromWire('evt', wireId)
  const event = orNotFound(eventId === undefined ? undefined : await findOwnEvent(deps.db, owner, eventId))
  return { home: owner.merchant.home, eventId: event.id, eventType: event.type }
}

/**
 * Queues an event of an owner for the webhook of one app, or of all their apps in that environment. Refuses with 404 as above, and with 409
 * when no webhook is enabled, or none has chosen events of this type.
 */
export async function resendEvent(
  deps: { db: Db },
  owner: Owner,
  wireId: string,
  appId: string | undefined,
): Promise<z.infer<typeof queuedDeliverySchema>[]> {
  const event = await findEventToResend(deps, owner, wireId)
  const { merchant, environment } = owner
  const endpoints = await listEnabledEndpoints(deps.db, { merchantId: merchant.id, environment }, appId)
  if (endpoints.length === 0) throw webhookNotEnabled()
  const receivers = endpoints.filter((endpoint) => receives(endpoint, event.eventType))
  if (receivers.length === 0) throw typeNotChosen(event.eventType)
  return Promise.all(receivers.map((endpoint) => queueTo(deps, endpoint, event)))
}
