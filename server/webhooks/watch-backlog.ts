/** Raises an alarm when webhooks do not go out in time. Invariant: whatever is due counts, those that wait for a place included. */
import type { Runner } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { readOldestDue } from './delivery.sql.ts'

const alarmAfterSeconds = 60

/** One round: a line at error level for as long as something has been due for more than a minute. */
export async function watchBacklog(deps: { db: Runner; log: Log }): Promise<void> {
  const oldest = await readOldestDue(deps.db)
  if (!oldest || oldest.seconds <= alarmAfterSeconds) return
  deps.log.error('webhook.overdue', new Error('webhooks_overdue'), {
    alert: true,
    oldest_due_seconds: Math.floor(oldest.seconds),
    endpoint_id: oldest.endpointId,
    postponements: oldest.postponements,
  })
}
