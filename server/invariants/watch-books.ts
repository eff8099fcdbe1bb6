/**
 * Checks the books of a running service. Invariant: when a promise about money is broken, no more money of those concerned leaves before
 * people have looked; any other broken promise raises an alert and stops nothing.
 */
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { RecordMac } from '../platform/record-mac.ts'
import { freezeMerchantPayouts } from '../switches/freeze-merchant.ts'
import type { Switches } from '../switches/read-switches.ts'
import { readBookCheck, readUncheckedSince, recordBookCheck } from './book-check.sql.ts'
import { noteChecked } from './closed-day.sql.ts'
import { sealSpans } from './sealed-span.sql.ts'
import { verifyAll } from './verify-all.ts'
import type { Clocks } from './verify-schema.ts'
import type { Violation } from './verify.ts'

export type WatchBooksDeps = { db: Db; log: Log; switches: Pick<Switches, 'freezePayouts'>; recordMac: RecordMac; clocks: Clocks }

/** Longer than a transaction of the service may last. */
const sealLagSeconds = 300

const overlapMs = 3_600_000

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
 * Everything, or what is new since a moment. Where the reading of everything does not come to its end, what is new is read all the same;
 * what was found before then counts on, because nobody has looked whether it is still so.
 */
async function look(
  deps: Pick<WatchBooksDeps, 'db' | 'log' | 'recordMac' | 'clocks'>,
  since: Date | null,
): Promise<{ violations: Violation[]; isWhole: boolean }> {
  if (since !== null) return { violations: await verifyAll(deps, { since }), isWhole: false }
  try {
    return { violations: await verifyAll(deps), isWhole: true }
  } catch (error) {
    const last = await readBookCheck(deps.db)
    if (!last) throw error
    deps.log.error('the whole check of the books did not end', error, { event: 'books.whole_check_failed' })
    // What is visible now may have been begun some time ago.
    const found = await verifyAll(deps, { since: new Date(last.checkedAt.getTime() - overlapMs) })
    const known = new Set(found.map(({ invariant, what }) => `${invariant} ${what}`))
    const before = last.violations.filter(({ invariant, what }) => !known.has(`${invariant} ${what}`))
    return { violations: [...found, ...before], isWhole: false }
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
  const { violations, isWhole } = await look({ db, log, recordMac, clocks }, since)
  const check = { durationMs: Math.round(performance.now() - startedAt), violations, isWhole }
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
