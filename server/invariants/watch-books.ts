/**
 * Checks the books of a running service. Invariant: when a promise about money is broken, no more money of those concerned leaves before
 * people have looked; any other broken promise raises an alert and stops nothing.
 */
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { RecordMac } from '../platform/record-mac.ts'
import { freezeMerchantPayouts } from '../switches/freeze-merchant.ts'
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

/** The payouts of the merchants that broken money promises name; all payouts where one of them names none. */
async function freezeConcerned(
  { db, switches }: Pick<WatchBooksDeps, 'db' | 'switches'>,
  violations: readonly Violation[],
): Promise<void> {
  const ofMoney = violations.filter(({ severity }) => severity === 'money')
  let ofNobody: Violation | undefined
  for (const violation of ofMoney) {
    const { home, merchantId, environment, invariant } = violation
    const isFrozen =
      home !== null &&
      merchantId !== null &&
      (await freezeMerchantPayouts(db, { home, id: merchantId }, environment, `Verify found a violation of ${invariant}.`))
    // A merchant that does not exist is a wrong name in a broken row.
    if (!isFrozen) ofNobody ??= violation
  }
  if (ofNobody) {
    await switches.freezePayouts(`Verify found ${ofMoney.length} violations about money, the first of ${ofNobody.invariant}.`)
  }
}

/**
 * Raises an alarm for each broken promise and stops the payouts concerned; answers what is broken. Reads what has changed since the last check that
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
  // Freeze before alerting.
  await freezeConcerned({ db, switches }, violations)
  for (const { invariant, promise, severity, what } of violations) {
    log.error('the books do not hold', new Error(invariant), { event: 'books.violation', invariant, severity, promise, what })
  }
  await recordBookCheck(db, check)
  return violations
}
