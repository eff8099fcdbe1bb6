/**
 * Closes the days of the ledger that are over: what all their transfers say is digested, and the digest stands in the audit log too, whose
 * chain is told elsewhere. Invariant: a transfer of a closed day that is changed, removed or added is found out for ever.
 */
import { appendAudit, bySystem } from '../audit/audit.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { digestDay, findDayToClose, insertClosedDay } from './closed-day.sql.ts'

/** As many transfers as a day may have take longer to read than a request may wait. */
const statementTimeoutMs = 15 * 60_000

/** Closes one day, if one can be closed; answers whether it did. */
export async function closeDay({ db, log }: { db: Db; log: Log }): Promise<boolean> {
  const day = await findDayToClose(db)
  if (day === undefined) return false
  const digested = await db.snapshot((tx) => digestDay(tx, day), statementTimeoutMs)
  const isOurs = await db.tx(async (tx) => {
    if (!(await insertClosedDay(tx, day, digested))) return false
    const after = { transfers: digested.transfers, digest: digested.digest.toString('hex') }
    await appendAudit(tx, bySystem, { action: 'ledger.day_closed', object: `day:${day}`, after })
    return true
  })
  if (isOurs) log.info('a day of the ledger was closed', { day, transfers: digested.transfers })
  return true
}
