/** Raises an alarm when webhooks are not sent in time. Invariant: every due delivery counts, also one that waits for a slot. */
import type { Runner } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { overdueAfterSeconds, readOldestDue } from './delivery.sql.ts'

/** One round: logs an error while a delivery has been due for more than a minute. */
export async function watchBacklog(deps: { db: Runner; log: Log }): Promise<void> {
  const oldest = await readOldestDue(deps.db)
  if (!oldest || oldest.seconds <= overdueAfterSeconds) return
  deps.log.error('webhook.overdue', new Error('webhooks_overdue'), {
    alert: true,
    oldest_due_seconds: Math.floor(oldest.seconds),
    endpoint_id: oldest.endpointId,
    postponements: oldest.postponements,
  })
}
