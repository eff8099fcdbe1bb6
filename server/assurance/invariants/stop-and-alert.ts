/** Reacts to broken promises: stops payouts if money is affected, then alerts operators. */
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { freezeMerchantPayouts } from '../../money/controls/freeze-merchant.ts'
import type { Switches } from '../../money/controls/read-switches.ts'
import type { Clocks } from './verify-schema.ts'
import type { Violation } from './verify.ts'

export type WatchBooksDeps = { db: Db; log: Log; switches: Pick<Switches, 'freezePayouts'>; recordMac: RecordMac; clocks: Clocks }

/** Freezes the payouts of the merchants that broken money promises name; all payouts if one of them names no merchant. */
async function freezeConcerned(
  { db, switches }: Pick<WatchBooksDeps, 'db' | 'switches'>,
  violations: readonly Violation[],
): Promise<void> {
  const ofMoney = violations.filter(({ severity }) => severity === 'money')
  let withoutMerchant: Violation | undefined
  for (const violation of ofMoney) {
    const { home, merchantId, environment, invariant } = violation
    const isFrozen =
      home !== null &&
      merchantId !== null &&
      (await freezeMerchantPayouts(db, { home, id: merchantId }, environment, `Verify found a violation of ${invariant}.`))
    // The broken row names a merchant that does not exist.
    if (!isFrozen) withoutMerchant ??= violation
  }
  if (withoutMerchant) {
    await switches.freezePayouts(
      `Verify found ${ofMoney.length} violations about money, the first of ${withoutMerchant.invariant}.`,
    )
  }
}

export async function stopAndAlert(
  { db, log, switches }: Pick<WatchBooksDeps, 'db' | 'log' | 'switches'>,
  violations: readonly Violation[],
): Promise<void> {
  // Freeze before alerting.
  await freezeConcerned({ db, switches }, violations)
  for (const { invariant, promise, severity, what } of violations) {
    log.error('books.violation', new Error(invariant), { invariant, severity, promise, what })
  }
}
