/** Sends the events of a time range again, for a receiver that lost them. */
import { z } from 'zod'
import type { App } from '../../accounts/developers/app.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalidFields, must } from '../../platform/refusal.ts'
import { moment } from '../../platform/http/text.ts'
import { queueReplay } from './manual-delivery.sql.ts'
import { webhookNotEnabled } from './resend-delivery.ts'

export const maxReplayedEvents = 10_000
/** Twenty a second: this does not overload a receiver that has just come back, and new events are sent between the old ones. */
const spacingMs = 50

export const replaySchema = z.strictObject({
  from: moment,
  to: moment,
  undelivered_only: z.boolean().default(false).meta({ description: 'Only events that were not delivered to this webhook yet.' }),
})

type WantedReplay = z.infer<typeof replaySchema>

/**
 * Returns the number of queued events. Refuses with 400 an invalid range, one too long ago or one with too many events; with 409 when there
 * is no enabled webhook.
 */
export async function replayEvents(deps: { db: Db }, app: App, wanted: WantedReplay): Promise<number> {
  const { from, to, undelivered_only: isUndeliveredOnly } = wanted
  if (from >= to) throw invalidFields([{ field: 'to', code: 'invalid', message: 'Must be later than `from`.' }])
  const merchant = must(await findMerchant(deps.db, app.merchantId), 'every app has a merchant')
  const replayed = await queueReplay(deps.db, {
    home: merchant.home,
    merchantId: merchant.id,
    environment: app.environment,
    appId: app.id,
    from,
    to,
    isUndeliveredOnly,
    maxEvents: maxReplayedEvents,
    spacingMs,
  })
  if (replayed.isTooFarBack) {
    throw invalidFields([
      { field: 'from', code: 'invalid', message: 'Events can be sent again for 30 days only. Choose a later start.' },
    ])
  }
  if (replayed.events > maxReplayedEvents) {
    const message = `There are more than ${maxReplayedEvents} events in this period. Choose a shorter one.`
    throw invalidFields([{ field: 'to', code: 'invalid', message }])
  }
  if (!replayed.hasEndpoint) throw webhookNotEnabled()
  return replayed.queued
}
