/**
 * Closes the past days of the ledger: all their transfers are digested home by home, and the digest of the day is also written to the
 * audit log, whose chain is reported outside the database. Invariant: a transfer of a closed day that is changed, removed or added is
 * always detected.
 */
import { appendAudit, bySystem } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Clocks } from './verify-schema.ts'
import { digestHomes, findDayToClose, findHomeRanges, insertClosedDay, type HomeDigest } from './closed-day.sql.ts'

/** Counting the transfers of a day, or digesting those of some homes, takes longer than the limit of a request. */
const statementTimeoutMs = 60_000

type CloseDeps = { db: Db; log: Log; clock: Clock; clocks: Clocks }

/**
 * Closes one day, if one can be closed; returns whether it did. In production the clock of this process must have reached its end, too: what
 * is closed stays so, even if the database's clock was ahead.
 */
export async function closeDay({ db, log, clock, clocks }: CloseDeps): Promise<boolean> {
  const day = await findDayToClose(db, clocks === 'own' ? new Date(clock.now()) : null)
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
