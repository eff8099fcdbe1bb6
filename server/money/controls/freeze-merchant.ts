/**
 * Freezes the payouts of one merchant, and unfreezes them. Invariant: the audit log records who, when and why, in the same
 * transaction. While they are frozen, new payouts answer 409 `payouts_on_hold`, and queued ones are not sent.
 */
import { appendAudit, bySystem, type Origin } from '../../base/audit/audit.ts'
import { environments, type Environment } from '../../domain/environment.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalidState } from '../../platform/refusal.ts'
import { deletePayoutFreeze, insertPayoutFreezes } from './payout-freeze.sql.ts'
import type { Confirm } from './turn-switch.ts'

/** By the service itself; safe to call repeatedly. Freezes both environments when `environment` is null. False: the merchant does not exist. */
export async function freezeMerchantPayouts(
  db: Db,
  merchant: { home: number; id: string },
  environment: Environment | null,
  reason: string,
): Promise<boolean> {
  return db.tx(async (tx) => {
    const found = await findMerchant(tx, merchant.id)
    if (found?.home !== merchant.home) return false
    const wanted = environment === null ? environments : [environment]
    const frozen = await insertPayoutFreezes(tx, merchant, wanted, reason)
    for (const one of frozen) {
      const after = { environment: one, reason }
      await appendAudit(tx, bySystem, { action: 'payouts.frozen', object: wireIdOf(found), merchantId: found.id, after })
    }
    return true
  })
}

/** Refuses with 409 `invalid_state` a merchant whose payouts are not frozen. `reason` is for the other operators. */
export async function liftPayoutFreeze(
  db: Db,
  merchant: Merchant,
  environment: Environment,
  reason: string,
  { origin, confirm }: { origin: Origin; confirm?: Confirm },
): Promise<void> {
  await db.tx(async (tx) => {
    await confirm?.(tx)
    const lifted = await deletePayoutFreeze(tx, merchant, environment)
    if (!lifted)
      throw invalidState('The payouts of this merchant are not frozen.', 'Kutuma pesa kwa mfanyabiashara huyu hakujazuiwa.')
    await appendAudit(tx, origin, {
      action: 'payouts.unfrozen',
      object: wireIdOf(merchant),
      merchantId: merchant.id,
      before: { environment, reason: lifted.reason },
      after: { environment, reason },
    })
  })
}
