/** Removes a person's second factor, with a code of it as proof. Operators keep theirs: without it they could not use any operator route. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, Refusal } from '../../platform/refusal.ts'
import { lockSignedIn } from './authenticate.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import { isUnproven, proveSecondFactor, unprovenRefusal, type ProofDeps, type Unproven } from './prove-second-factor.ts'
import { clearSecondFactor, lockSecondFactor, replaceRecoveryCodes } from './second-factor.sql.ts'
import { removeMethods, revokeOtherSessions } from './session.sql.ts'
import type { SignedIn } from './session.ts'

export type DisableDeps = ProofDeps & { db: Db }

/**
 * Also ends all other sessions, because one of them may be an attacker's. Refuses an operator with 403 `two_factor_required`, a
 * person without a factor with 409 `invalid_state`, a wrong code with 401 `invalid_code`, and too many wrong codes with 429
 * `rate_limited`.
 */
export async function disableSecondFactor(deps: DisableDeps, signedIn: SignedIn, code: string, origin: Origin): Promise<void> {
  const { userId, sessionId } = signedIn
  const unproven = await deps.db.tx(async (tx): Promise<Unproven | undefined> => {
    // Locked, so that the person cannot become an operator meanwhile.
    const user = await lockSignedIn(tx, signedIn)
    if (user.role !== 'student')
      throw new Refusal(403, 'two_factor_required', 'An operator cannot disable the second factor.', {
        messageSw: 'Msimamizi hawezi kuondoa programu ya uthibitisho.',
      })
    const { sealedSecret, ...factor } = await lockSecondFactor(tx, userId)
    if (sealedSecret === null) throw invalidState('You have no second factor.', 'Huna programu ya uthibitisho.')
    const proof = await proveSecondFactor(deps, tx, { ...factor, sealedSecret }, { code, email: user.email })
    if (isUnproven(proof)) return proof
    await clearSecondFactor(tx, userId)
    await replaceRecoveryCodes(tx, userId, [])
    await dropChallenges(tx, userId)
    // The remaining session has shown a factor that no longer exists.
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
