/**
 * After a restore: compares the providers' lists of the lost time before any payment or payout of that time can be sent again. Invariant: a
 * restore ends only when each day since the restored time has been compared for each account that has a list.
 */
import { bySystem } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { endComparedRestores, lockUnplannedRestores, recordPlanned, type Restore } from '../../money/controls/restore.sql.ts'
import { listMarginSeconds, type Account } from './run.ts'
import { insertRun } from './run.sql.ts'

const dayMs = 86_400_000
/** For an older backup, operators compare the earlier days. */
const mostDays = 400

/** The days (UTC) that a restore lost, the last first. They start an hour before the time of the backup. */
function lostDays({ restoredTo, notedAt }: Restore): string[] {
  const first = Math.floor((restoredTo.getTime() - listMarginSeconds * 1000) / dayMs)
  const last = Math.floor(notedAt.getTime() / dayMs)
  const count = Math.min(Math.max(last - first, 0) + 1, mostDays)
  return Array.from({ length: count }, (_, index) => new Date((last - index) * dayMs).toISOString().slice(0, 10))
}

/** Plans the comparisons of a new restore before all others, and ends a restore that has been compared. */
export async function compareRestores({ db, log }: { db: Db; log: Log }, accounts: Account[]): Promise<void> {
  await db.tx(async (tx) => {
    for (const restore of await lockUnplannedRestores(tx)) {
      for (const account of accounts) {
        for (const [index, day] of lostDays(restore).entries()) {
          // Each gets its own time, because an account has at most one run of a kind at a time.
          const dueAt = new Date(restore.notedAt.getTime() - index)
          await insertRun(tx, {
            ...account,
            id: newId(),
            kind: 'daily',
            day,
            requestedBy: bySystem.actor,
            restoreId: restore.id,
            dueAt,
          })
        }
      }
      await recordPlanned(tx, restore.id)
    }
  })
  for (const id of await endComparedRestores(db)) {
    log.warn('restore.compared', { restore_id: id })
  }
}
