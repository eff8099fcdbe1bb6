/** The operator's decision on a person's identity, from the command line: for the first days of an installation, and for local use. */
import { addressTyped } from '../../domain/typed.ts'
import type { Decision } from '../../domain/verification.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import { findUserByEmail } from '../../accounts/identity/user.sql.ts'
import type { User } from '../../accounts/identity/user.ts'
import type { Db } from '../../platform/db/db.ts'
import { must, Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { lockBusinessesBehind, recordDecision, revokeBusinesses } from './decide.ts'
import { lockOrMakeReview } from './submit-package.ts'

/**
 * Sets the personal KYC status of the user with this e-mail address, in any letter case, with or without a submission; refuses an
 * unknown address with 404. If the status is already set, nothing changes.
 */
export async function setKycStatus(deps: { db: Db; sealer: Sealer }, email: string, status: Decision): Promise<User> {
  return deps.db.tx(async (tx) => {
    const user = await findUserByEmail(tx, addressTyped(email))
    if (!user) throw new Refusal(404, 'not_found', `There is no user with the e-mail address ${email}.`)
    const merchant = must(await findMerchant(tx, user.id), 'every user has a personal merchant')
    const businesses = status === 'rejected' ? await lockBusinessesBehind(tx, merchant) : []
    const review = await lockOrMakeReview(tx, user.id)
    if (review.status !== status) {
      const reason = status === 'rejected' ? 'Decided by the operator.' : null
      const by = { userId: null, origin: byCommandLine }
      await recordDecision(deps, tx, { merchant, review, status, reason, problems: [], ...by })
      await revokeBusinesses(deps, tx, businesses, by)
    }
    return { ...user, kycStatus: status }
  })
}
