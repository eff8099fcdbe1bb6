/**
 * Changes the profile fields that a person may change. Invariant: a name that was compared with documents, or is being compared, stays
 * the same, and a student number stays as it was given and verified.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { assert, invalidState, must } from '../../platform/refusal.ts'
import { confirmSession, type ActiveSession } from './authenticate.ts'
import { lockMerchantOfUser, renameMerchant } from './merchant.sql.ts'
import type { RenewReview } from './merchant.ts'
import { findUser, updateUser } from './user.sql.ts'
import type { User } from './user.ts'

/**
 * Refuses with 409 `invalid_state` another student number, and a new name or a first student number while personal KYC is pending or
 * verified; then nothing changes.
 */
export async function changeProfile(
  deps: { db: Db; renewReview: RenewReview },
  who: ActiveSession,
  changes: Partial<Pick<User, 'fullName' | 'studentId' | 'institution'>>,
  origin: Origin,
): Promise<User> {
  const { userId } = who
  return deps.db.tx(async (tx) => {
    // The lock makes a parallel verification decision wait.
    const merchant = await lockMerchantOfUser(tx, userId)
    await confirmSession(tx, who)
    const user = await findUser(tx, userId)
    assert(merchant && user, 'a signed-in user has a row and a personal merchant')
    const { fullName = user.fullName, studentId = user.studentId, institution = user.institution } = changes
    const isReviewed = merchant.verificationStatus === 'pending' || merchant.verificationStatus === 'verified'
    const addsStudentId = user.studentId === null && studentId !== null
    if (user.studentId !== null && studentId !== user.studentId) {
      throw invalidState(
        'A saved student number cannot be changed. If it is wrong, register again with another e-mail address.',
        'Namba ya mwanafunzi iliyohifadhiwa haibadilishwi. Kama si sahihi, jisajili upya kwa barua pepe nyingine.',
        { param: 'student_id' },
      )
    }
    if (addsStudentId && isReviewed) {
      throw invalidState(
        'A student number is verified with your identity: it cannot be added while that is in review or verified.',
        'Namba ya mwanafunzi huthibitishwa pamoja na utambulisho wako: haiongezwi ukiwa unakaguliwa au umeshathibitishwa.',
        { param: 'student_id' },
      )
    }
    if (fullName !== user.fullName) {
      if (isReviewed) {
        throw invalidState(
          'Your name is part of your verification and can no longer be changed.',
          'Jina lako ni sehemu ya uthibitisho wako, na haliwezi kubadilishwa tena.',
          { param: 'full_name' },
        )
      }
      await renameMerchant(tx, merchant.id, fullName)
    }
    await updateUser(tx, userId, { fullName, studentId, institution })
    if (institution !== user.institution) await deps.renewReview(tx, merchant.id, origin)
    const changed = must(await findUser(tx, userId), 'a user can be read in the transaction that changed it')
    if (addsStudentId) await appendAudit(tx, origin, { action: 'student_number.added', object: toWire('usr', userId) })
    return changed
  })
}
