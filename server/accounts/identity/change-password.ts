/**
 * Changes a password with proof of the old one. Invariant: the change ends every other session and every sign-in that began with
 * the old password; wrong old passwords count like wrong step-up tries.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import { toWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { lockSignedIn } from './authenticate.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import { useUpMailedTokens } from './mailed-token.sql.ts'
import { clearPendingSecret, lockSecondFactor, uncountTry } from './second-factor.sql.ts'
import { refuseWeakPassword } from './password-strength.ts'
import { revokeOtherSessions } from './session.sql.ts'
import { sessionInactive, type SignedIn } from './session.ts'
import { provePassword, type StepUpByDeps } from './step-up.ts'
import { findUser, replacePasswordHash } from './user.sql.ts'

/**
 * Returns how many other sessions were ended. Refuses a weak password with 400, and a wrong old one with 401
 * `invalid_credentials` or 429 `rate_limited`.
 */
export async function changePassword(
  deps: StepUpByDeps,
  signedIn: SignedIn,
  wanted: { currentPassword: string; password: string },
  origin: Origin,
): Promise<number> {
  const { userId, sessionId } = signedIn
  const owner = await findUser(deps.db, userId)
  if (!owner) throw sessionInactive()
  const oldHash = await provePassword(deps, userId, wanted.currentPassword, origin)
  try {
    // Only after the old password was proved: scoring blocks the process for milliseconds, and before that proof no limit
    // applies.
    refuseWeakPassword(wanted.password, owner)
  } catch (error) {
    await uncountTry(deps.db, userId)
    throw error
  }
  const newHash = await deps.passwords.hash(wanted.password, { account: userId })
  return deps.db.tx(async (tx) => {
    const user = await lockSignedIn(tx, signedIn)
    if (oldHash === undefined) throw sessionInactive()
    if (!(await replacePasswordHash(tx, userId, oldHash, newHash))) {
      throw new Refusal(401, 'invalid_credentials', 'The password was changed by another request. Use the new password.')
    }
    await lockSecondFactor(tx, userId)
    await uncountTry(tx, userId)
    await useUpMailedTokens(tx, userId, 'password_reset')
    // Someone with the old password may have asked for it.
    await useUpMailedTokens(tx, userId, 'contact_change')
    await clearPendingSecret(tx, userId)
    const endedSessions = await revokeOtherSessions(tx, { userId, id: sessionId }, 'password_changed')
    await dropChallenges(tx, userId)
    await enqueueMail(deps, tx, noticeMail(user.email, 'password_changed'))
    await appendAudit(tx, origin, {
      action: 'password.changed',
      object: toWire('usr', userId),
      after: { sessions_ended: endedSessions },
    })
    return endedSessions
  })
}
