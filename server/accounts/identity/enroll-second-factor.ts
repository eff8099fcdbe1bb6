/**
 * Enrols a second factor for a person. Invariant: a new secret counts only after a code of it was shown, and until then the
 * previous factor works; a person with a factor can replace it only just after showing it, and the replacement ends all other
 * sessions.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState } from '../../platform/refusal.ts'
import { lockSignedIn, refuseWithoutStepUp, type StepUpDeps } from './authenticate.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import { isUnproven, openFactor, provePendingFactor, sealFactor, unprovenRefusal, type ProofDeps } from './prove-second-factor.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { lockSecondFactor, replaceRecoveryCodes, setConfirmedSecret, setPendingSecret } from './second-factor.sql.ts'
import { addMethods, revokeOtherSessions } from './session.sql.ts'
import { sessionInactive, type SignedIn } from './session.ts'
import { newTotpSecret, otpauthUrl } from './totp.ts'

export type EnrollDeps = ProofDeps & { db: Db; config: ProofDeps['config'] & StepUpDeps['config'] }

/**
 * Begins an enrolment, or restarts it, for a person that just authenticated: a stolen access token must not be able to lock
 * its owner out. Otherwise refuses with 401 `step_up_required`.
 */
export async function enrollSecondFactor(deps: EnrollDeps, signedIn: SignedIn): Promise<{ secret: string; url: string }> {
  const { userId } = signedIn
  const secret = newTotpSecret()
  const email = await deps.db.tx(async (tx) => {
    const user = await lockSignedIn(tx, signedIn)
    await lockSecondFactor(tx, userId)
    await refuseWithoutStepUp({ ...deps, db: tx }, signedIn)
    await setPendingSecret(tx, userId, sealFactor(deps.sealer, userId, 'pending_sealed_secret', secret))
    return user.email
  })
  return { secret, url: otpauthUrl(secret, deps.config.secondFactor.issuer, email) }
}

/**
 * Activates the enrolled factor and returns its recovery codes, which cannot be read again. Refuses with 409 `invalid_state`
 * without an enrolment of the last 15 minutes, 401 `invalid_code`, 401 `step_up_required` as above, 429 `rate_limited`.
 */
export async function confirmSecondFactor(deps: EnrollDeps, signedIn: SignedIn, code: string, origin: Origin): Promise<string[]> {
  const { userId, sessionId } = signedIn
  const recoveryCodes = newRecoveryCodes()
  const proof = await deps.db.tx(async (tx) => {
    // Locked, so that no parallel sign-in opens a session that this transaction does not end.
    const user = await lockSignedIn(tx, signedIn)
    const factor = await lockSecondFactor(tx, userId)
    if (factor.pendingSealedSecret === null) {
      throw invalidState(
        'There is no enrolment from the last 15 minutes to confirm. Start with POST /v1/auth/2fa/enroll.',
        'Hakuna usajili wa programu ya uthibitisho wa dakika 15 zilizopita. Anza upya kuiunganisha.',
      )
    }
    const isReplacement = factor.sealedSecret !== null
    if (isReplacement) await refuseWithoutStepUp({ ...deps, db: tx }, signedIn)
    const secret = openFactor(deps.sealer, userId, 'pending_sealed_secret', factor.pendingSealedSecret)
    const outcome = await provePendingFactor(deps, tx, factor, { secret, code, email: user.email })
    if (isUnproven(outcome)) return outcome
    await setConfirmedSecret(tx, userId, sealFactor(deps.sealer, userId, 'sealed_secret', secret), outcome.step)
    await replaceRecoveryCodes(tx, userId, recoveryCodes.map(hashOfRecoveryCode))
    const session = await addMethods(tx, { userId, id: sessionId, methods: ['otp', 'mfa'], isRenewed: false })
    if (!session) throw sessionInactive()
    // A replacement ends sessions that were opened with the old factor. A first factor leaves other sessions unchanged.
    const endedSessions = isReplacement ? await revokeOtherSessions(tx, { userId, id: sessionId }, 'second_factor_changed') : 0
    if (isReplacement) await dropChallenges(tx, userId)
    const notice = isReplacement ? 'second_factor_replaced' : 'second_factor_enabled'
    await enqueueMail(deps, tx, noticeMail(user.email, notice))
    await appendAudit(tx, origin, {
      action: 'second_factor.confirmed',
      object: toWire('usr', userId),
      after: { replaced: isReplacement, recovery_codes: recoveryCodes.length, sessions_ended: endedSessions },
    })
    return outcome
  })
  if (isUnproven(proof)) throw unprovenRefusal(proof, origin)
  return recoveryCodes
}
