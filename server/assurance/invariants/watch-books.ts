/**
 * Checks the changes in the books of a running service, every few minutes. Invariant: when a money promise is broken, no more money of
 * the affected merchants leaves until operators have checked it; any other broken promise raises an alert and stops nothing.
 */
import { readBookCheck, readUncheckedSince, recordBookCheck } from './book-check.sql.ts'
import { readTurns, recordTurns } from './check-cursor.sql.ts'
import { sealOldRows } from './row-seal.sql.ts'
import { sealSpans } from './sealed-span.sql.ts'
import { stopAndAlert, type WatchBooksDeps } from './stop-and-alert.ts'
import { verifyAllNew } from './verify-all.ts'
import type { Violation } from './verify.ts'

/** Longer than the maximum duration of a transaction of the service. */
const sealLagSeconds = 300

/**
 * Reads the changes since the last check without findings, and in turn some rows of the tables without times of change. Raises an alert
 * for each broken promise and stops the affected payouts. Returns the broken promises, including those found by the full check
 * (walk-books.ts).
 */
export async function watchBooks(deps: WatchBooksDeps): Promise<Violation[]> {
  const { db, log } = deps
  const startedAt = performance.now()
  const since = await readUncheckedSince(db)
  // Rows without seals are checked by all other promises.
  await sealOldRows(db).catch((error: unknown) => log.error('books.rows_not_sealed', error))
  await sealSpans(db, { lagSeconds: sealLagSeconds, steps: 6 })
  const { violations, isRead, turns } = await verifyAllNew(deps, since, await readTurns(db))
  // Broken promises among the changes are checked again until they are fixed. Findings that every check repeats (codes, schema) do not
  // stop the check from moving forward.
  if (isRead) await recordTurns(db, turns)
  await recordBookCheck(db, { durationMs: Math.round(performance.now() - startedAt), violations, isRead })
  const known = (await readBookCheck(db))!.violations
  await stopAndAlert(deps, known)
  return known
}
