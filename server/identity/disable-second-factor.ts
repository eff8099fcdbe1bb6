/** Takes a person's second factor away, against a code of it. Operators keep theirs: without one they could do nothing here. */
import { appendAudit, type Origin } from '../audit/audit.ts'
import { enqueueMail } from '../mail/mail.ts'
import type { Db } from '../platform/db/db.ts'
import { toWire } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import { isUnproven, proveSecondFactor, unprovenRefusal, type ProofDeps, type Unproven } from './prove-second-factor.ts'
import { clearSecondFactor, lockSecondFactor, replaceRecoveryCodes } from './second-factor.sql.ts'
import { removeMethods, revokeOtherSessions } from './session.sql.ts'
import type { SignedIn } from './session.ts'
import { lockUser } from './user.sql.ts'

export type DisableDeps = ProofDeps & { db: Db }

/**
 * Ends all other sessions too: whoever opened one may be why its owner is changing something. Refuses an operator with 403 `two_factor_required`, who has no factor with 409 `invalid_state`, a wrong code with 401
 * `invalid_code` and too many of them with 429 `rate_limited`.
 */
export async function disableSecondFactor(deps: DisableDeps, signedIn: SignedIn, code: string, origin: Origin): Promise<void> {
  const { userId, sessionId } = signedIn
  const unproven = await deps.db.tx(async (tx): Promise<Unproven | undefined> => {
    // Held, so that nobody becomes an operator meanwhile.
    const user = await lockUser(tx, userId)
    if (user?.role !== 'student') throw new Refusal(403, 'two_factor_required', 'An operator cannot disable the second factor.')
    const { sealedSecret, ...factor } = await lockSecondFactor(tx, userId)
    if (sealedSecret === null) throw new Refusal(409, 'invalid_state', 'You have no second factor.')
    const proof = await proveSecondFactor(deps, tx, { ...factor, sealedSecret }, { code, email: user.email })
    if (isUnproven(proof)) return proof
    await clearSecondFactor(tx, userId)
    await replaceRecoveryCodes(tx, userId, [])
    await dropChallenges(tx, userId)
    // The session that stays has shown a factor that there is no more.
    await removeMethods(tx, { userId, id: sessionId, methods: ['otp', 'mfa'] })
    const endedSessions = await revokeOtherSessions(tx, { userId, id: sessionId }, 'second_factor_changed')
    await enqueueMail(deps, tx, noticeMail(user.email, 'second_factor_disabled'))
    await appendAudit(tx, origin, {
      action: 'second_factor.disabled',
      object: toWire('usr', userId),
      after: { by_recovery_code: proof.kind === 'recovery_code', sessions_ended: endedSessions },
    })
    return undefined
  })
  if (unproven) throw unprovenRefusal(unproven, origin)
}
