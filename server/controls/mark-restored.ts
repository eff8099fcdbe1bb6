/**
 * A database that was restored to an earlier moment does not know what was begun after it. Invariant: from the moment that a process knows
 * of the restore, checkouts and payouts are off until an operator turns them on, which waits for the comparison with the providers.
 */
import { appendAudit, bySystem, type Origin } from '../audit/audit.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { findUnnotedMarker, insertRestore } from './restore.sql.ts'
import { switchesOffAfterRestore } from './switch.ts'
import { turnOffOnceWithin } from './turn-switch.ts'

/** Notes a restore and turns checkouts and payouts off; false where it is noted already. `restoredTo`: null where nobody knows it. */
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

/** Notes the restore that the database server itself names, if it names one that is not noted. */
export async function noteRestore({ db, log }: { db: Db; log: Log }): Promise<void> {
  const marker = await findUnnotedMarker(db)
  if (marker === undefined) return
  const [id, moment] = marker.split(' ') as [string, string | undefined]
  if (await markRestored(db, { id, restoredTo: moment === undefined ? null : new Date(moment) }, bySystem)) {
    log.error('database.restored', new Error('database_restored'), { alert: true, marker })
  }
}
