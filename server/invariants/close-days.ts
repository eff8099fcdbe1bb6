/**
 * Closes the days of the ledger that are over: what all their transfers say is digested home by home, and the digest of the day stands in the audit log too, whose
 * chain is told elsewhere. Invariant: a transfer of a closed day that is changed, removed or added is found out for ever.
 */
import { appendAudit, bySystem } from '../audit/audit.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { digestHomes, findDayToClose, findHomeRanges, insertClosedDay, type HomeDigest } from './closed-day.sql.ts'

/** To count the transfers of a day, or to digest those of some homes, takes longer than a request may wait. */
const statementTimeoutMs = 60_000

/** Closes one day, if one can be closed; answers whether it did. */
export async function closeDay({ db, log }: { db: Db; log: Log }): Promise<boolean> {
  const day = await findDayToClose(db)
  if (day === undefined) return false
  const homes = await db.snapshot(async (tx) => {
    const digests: HomeDigest[] = []
    for (const range of await findHomeRanges(tx, day)) digests.push(...(await digestHomes(tx, day, range)))
    return digests
  }, statementTimeoutMs)
  const closed = await db.tx(async (tx) => {
    const digested = await insertClosedDay(tx, day, homes)
    if (!digested) return undefined
    const after = { transfers: digested.transfers, digest: digested.digest.toString('hex') }
    await appendAudit(tx, bySystem, { action: 'ledger.day_closed', object: `day:${day}`, after })
    return digested
  })
  if (closed) log.info('ledger.day_closed', { day, transfers: closed.transfers })
  return true
}
