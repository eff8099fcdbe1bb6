/**
 * A database that was restored to an earlier moment does not contain the work that began after it. Invariant: once a process
 * knows of the restore, checkouts and payouts are off until an operator turns them on, which requires the comparison with the
 * providers.
 */
import { appendAudit, bySystem, type Origin } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { findUnnotedMarker, insertRestore } from './restore.sql.ts'
import { switchesOffAfterRestore } from './switch.ts'
import { turnOffOnceWithin } from './turn-switch.ts'

/** Records a restore and turns checkouts and payouts off; false when it is already recorded. `restoredTo`: null when it is unknown. */
export async function markRestored(db: Db, restore: { id: string; restoredTo: Date | null }, origin: Origin): Promise<boolean> {
  return db.tx(async (tx) => {
    const noted = await insertRestore(tx, { ...restore, by: origin.actor })
    if (!noted) return false
    const restoredTo = noted.restoredTo.toISOString()
    const reason = `Restored to ${restoredTo}: the time since is being compared with the providers.`
    for (const name of switchesOffAfterRestore) await turnOffOnceWithin(tx, name, reason, origin)
    await appendAudit(tx, origin, { action: 'database.restored', object: noted.id, after: { restored_to: restoredTo } })
    return true
  })
}

/** Records the restore that the database server itself names, unless it is already recorded. */
export async function noteRestore({ db, log }: { db: Db; log: Log }): Promise<void> {
  const marker = await findUnnotedMarker(db)
  if (marker === undefined) return
  const [id, moment] = marker.split(' ') as [string, string | undefined]
  if (await markRestored(db, { id, restoredTo: moment === undefined ? null : new Date(moment) }, bySystem)) {
    log.error('database.restored', new Error('database_restored'), { alert: true, marker })
  }
}
