/** Checks the books of a running service. Invariant: when a promise about the money is broken, no more money leaves before people have looked. */
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { RecordMac } from '../platform/record-mac.ts'
import type { Switches } from '../switches/read-switches.ts'
import { readUncheckedSince, recordBookCheck } from './book-check.sql.ts'
import { noteChecked } from './closed-day.sql.ts'
import { sealSpans } from './sealed-span.sql.ts'
import { verifyAll } from './verify-all.ts'
import type { Clocks } from './verify-schema.ts'
import type { Violation } from './verify.ts'

export type WatchBooksDeps = { db: Db; log: Log; switches: Pick<Switches, 'freezePayouts'>; recordMac: RecordMac; clocks: Clocks }

/** Longer than a transaction of the service may last. */
const sealLagSeconds = 300

/**
 * Raises an alarm for each broken promise and stops all payouts; answers what is broken. Reads what has changed since the last check that
 * found nothing, and everything once a day and after one that did.
 */
export async function watchBooks({ db, log, switches, recordMac, clocks }: WatchBooksDeps): Promise<Violation[]> {
  const startedAt = performance.now()
  const since = await readUncheckedSince(db)
  await sealSpans(db, { lagSeconds: sealLagSeconds, steps: 72 })
  const violations = await verifyAll({ db, recordMac, clocks }, { since })
  const check = { durationMs: Math.round(performance.now() - startedAt), violations, isWhole: since === null }
  const [first] = violations
  if (!first) {
    await noteChecked(db)
    await recordBookCheck(db, check)
    return []
  }
  // First the door, then the bell.
  await switches.freezePayouts(`Verify found ${violations.length} violations, the first of ${first.invariant}.`)
  for (const { invariant, promise, what } of violations) {
    log.error('the books do not hold', new Error(invariant), { invariant, promise, what })
  }
  await recordBookCheck(db, check)
  return violations
}
