/** Changes what a person may change of themselves. Invariant: a name that was, or is being, compared with documents stays as it is. */
import type { Db } from '../platform/db/db.ts'
import { assert, Refusal } from '../platform/refusal.ts'
import { lockMerchantOfUser, renameMerchant } from './merchant.sql.ts'
import { findUser, updateUser } from './user.sql.ts'
import type { User } from './user.ts'

/** Refuses a new name once personal KYC is pending or verified: 409 `invalid_state`, and then changes nothing. */
export async function changeProfile(
  deps: { db: Db },
  userId: string,
  changes: { fullName?: string; institution?: string },
): Promise<User> {
  return deps.db.tx(async (tx) => {
    // The lock keeps a verification that is being decided now from passing by.
    const merchant = await lockMerchantOfUser(tx, userId)
    const user = await findUser(tx, userId)
    assert(merchant && user, 'a signed-in user has a row and a personal merchant')
    const { fullName = user.fullName, institution = user.institution } = changes
    if (fullName !== user.fullName) {
      if (merchant.verificationStatus === 'pending' || merchant.verificationStatus === 'verified') {
        throw new Refusal(409, 'invalid_state', 'Your name is part of your verification and can no longer be changed.', {
          param: 'full_name',
        })
      }
      await renameMerchant(tx, merchant.id, fullName)
    }
    await updateUser(tx, userId, { fullName, institution })
    const changed = await findUser(tx, userId)
    assert(changed, 'a user can be read by who has just changed it')
    return changed
  })
}
