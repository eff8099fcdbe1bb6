/**
 * Completes a sign-in that waits for the second factor. Invariant: a challenge opens at most one session, and a wrong code leaves
 * it unchanged, because the lock of the person's tries limits guessing.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findChallenge, useChallenge } from './challenge.sql.ts'
import { hashOfToken } from './one-use-token.ts'
import { auditSignIn, firstTokens, openSession, type OpenedSession, type SessionDeps, type Tokens } from './open-session.ts'
import {
  isUnproven,
  methodsOf,
  proveSecondFactor,
  unprovenRefusal,
  type ProofDeps,
  type Unproven,
} from './prove-second-factor.ts'
import { lockSecondFactor } from './second-factor.sql.ts'
import { adminRequired, mayEnter, type Face } from './session-cookie.ts'
import { notifyNewDevice } from './notify-new-device.ts'
import { lockForSignIn } from './user.sql.ts'

export type VerifySignInDeps = SessionDeps & ProofDeps & { db: Db; config: ProofDeps['config'] & SessionDeps['config'] }

function invalidChallenge(): Refusal {
  return new Refusal(401, 'invalid_challenge', 'This sign-in has expired or is already completed. Sign in again.')
}

/**
 * `code` is one of the app or a recovery code. Refuses with 401 `invalid_challenge` or `invalid_code`, or 429 `rate_limited`, and
 * with 403 `admin_required` a challenge that began elsewhere and is used at the operators' dashboard (`face`).
 */
export async function verifySignIn(
  deps: VerifySignInDeps,
  {
    challengeToken,
    code,
    face,
    deviceSinceOf,
  }: { challengeToken: string; code: string; face: Face | undefined; deviceSinceOf(userId: string): Date | undefined },
  originOf: (userId: string) => Origin,
): Promise<Tokens> {
  const tokenHash = hashOfToken(challengeToken)
  const challenge = await findChallenge(deps.db, tokenHash)
  if (!challenge) throw invalidChallenge()
  const { userId, userAgent } = challenge
  const origin = originOf(userId)
  const outcome = await deps.db.tx(async (tx): Promise<OpenedSession | Unproven> => {
    const user = await lockForSignIn(tx, userId)
    if (!user) throw invalidChallenge()
    if (!mayEnter(face, user.role)) throw adminRequired()
    const { sealedSecret, ...factor } = await lockSecondFactor(tx, userId)
    // Another request may have finished first while this one waited: read the current state.
    if (sealedSecret === null || !(await findChallenge(tx, tokenHash))) throw invalidChallenge()
    const proof = await proveSecondFactor(deps, tx, { ...factor, sealedSecret }, { code, email: user.email })
    if (isUnproven(proof)) return proof
    if (!(await useChallenge(tx, tokenHash))) throw invalidChallenge()
    const amr = ['pwd', ...methodsOf(proof)]
    const session = await openSession(deps, tx, { userId, role: user.role, amr, userAgent, deviceSince: deviceSinceOf(userId) })
    await notifyNewDevice(deps, tx, { ...session, email: user.email, isProven: true })
    if (proof.kind === 'recovery_code') {
      await appendAudit(tx, origin, { action: 'recovery_code.used', object: toWire('usr', userId), after: { left: proof.left } })
    }
    await auditSignIn(tx, origin, session)
    return session
  })
  if ('kind' in outcome) throw unprovenRefusal(outcome, origin)
  return firstTokens(deps, outcome)
}
