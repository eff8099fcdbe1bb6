/**
 * Checks what is new in the books of a running service, every few minutes. Invariant: when a promise about money is broken, no more money of
 * those concerned leaves before people have looked; any other broken promise raises an alert and stops nothing.
 */
import { readBookCheck, readUncheckedSince, recordBookCheck } from './book-check.sql.ts'
import { readTurns, recordTurns } from './check-cursor.sql.ts'
import { sealSpans } from './sealed-span.sql.ts'
import { stopAndAlert, type WatchBooksDeps } from './stop-and-alert.ts'
import { verifyAllNew } from './verify-all.ts'
import type { Violation } from './verify.ts'

/** Longer than a transaction of the service may last. */
const sealLagSeconds = 300

/**
 * Reads what has changed since the last check that found nothing, and of what does not tell when it changed some rows in turn. Raises an alarm for
 * each broken promise and stops the payouts concerned; answers what is broken, also what the check of everything (walk-books.ts) has found.
 */
export async function watchBooks(deps: WatchBooksDeps): Promise<Violation[]> {
  const { db } = deps
  const startedAt = performance.now()
  const since = await readUncheckedSince(db)
  await sealSpans(db, { lagSeconds: sealLagSeconds, steps: 6 })
  const { violations, isRead, turns } = await verifyAllNew(deps, since, await readTurns(db))
  // What was found stays in sight until it is right; what is seen each time holds nothing up.
  if (isRead) await recordTurns(db, turns)
  await recordBookCheck(db, { durationMs: Math.round(performance.now() - startedAt), violations, isRead })
  const known = (await readBookCheck(db))!.violations
  await stopAndAlert(deps, known)
  return known
}
