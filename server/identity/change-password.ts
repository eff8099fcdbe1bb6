/**
 * A new password for who knows the old one. Invariant: it ends every other session and whatever was begun with the old password; wrong
 * guesses at it count like those of a step-up.
 */
import { appendAudit, type Origin } from '../audit/audit.ts'
import { enqueueMail } from '../mail/mail.ts'
import { toWire } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import { useUpMailedTokens } from './mailed-token.sql.ts'
import { clearPendingSecret, lockSecondFactor, takeBackTry } from './second-factor.sql.ts'
import { refuseWeakPassword } from './password-strength.ts'
import { revokeOtherSessions } from './session.sql.ts'
import { sessionInactive, type SignedIn } from './session.ts'
import { provePassword, type StepUpByDeps } from './step-up.ts'
import { findUser, lockUser, replacePasswordHash } from './user.sql.ts'

/** Answers with how many other sessions it has ended. Refuses with 400 a weak password, with 401 `invalid_credentials` or 429 `rate_limited`. */
export async function changePassword(
  deps: StepUpByDeps,
  { userId, sessionId }: SignedIn,
  wanted: { currentPassword: string; password: string },
  origin: Origin,
): Promise<number> {
  const owner = await findUser(deps.db, userId)
  if (!owner) throw sessionInactive()
  const oldHash = await provePassword(deps, userId, wanted.currentPassword, origin)
  try {
    // After the old one was proved: scoring holds up everybody else for milliseconds, and before it nothing limits who asks for it.
    refuseWeakPassword(wanted.password, owner)
  } catch (error) {
    await takeBackTry(deps.db, userId)
    throw error
  }
  const newHash = await deps.passwords.hash(wanted.password, { account: userId })
  return deps.db.tx(async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user || user.isDisabled || oldHash === undefined) throw sessionInactive()
    if (!(await replacePasswordHash(tx, userId, oldHash, newHash))) {
      throw new Refusal(401, 'invalid_credentials', 'The password was changed by another request. Use the new password.')
    }
    await lockSecondFactor(tx, userId)
    await takeBackTry(tx, userId)
    await useUpMailedTokens(tx, userId, 'password_reset')
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
