/**
 * Authenticates a signed-in person again, for actions that are too sensitive for an unattended session. Invariant: wrong
 * passwords count like wrong codes, and each try is counted before its result is known, because no lock is held while a password
 * is checked; a try that was right, or never checked, is taken back.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { invalidFields } from '../../platform/refusal.ts'
import type { Passwords } from './password.ts'
import {
  isUnproven,
  mailLock,
  methodsOf,
  proveSecondFactor,
  unprovenRefusal,
  type ProofDeps,
  type Unproven,
} from './prove-second-factor.ts'
import { countWrongTry, resetLocks, lockSecondFactor, uncountTry, type SecondFactor } from './second-factor.sql.ts'
import { addMethods } from './session.sql.ts'
import { sessionInactive, type Session, type SignedIn } from './session.ts'
import { emailOfUser, findPasswordHash, lockForSignIn } from './user.sql.ts'

export type StepUpByDeps = ProofDeps & { db: Db; log: Log; passwords: Passwords }

async function renew(tx: Tx, signedIn: SignedIn, methods: string[], origin: Origin): Promise<Session> {
  const { userId, sessionId } = signedIn
  const session = await addMethods(tx, { userId, id: sessionId, methods, isRenewed: true })
  if (!session) throw sessionInactive()
  await appendAudit(tx, origin, { action: 'session.stepped_up', object: toWire('ses', sessionId), after: { amr: session.amr } })
  return session
}

/** For a person with a second factor; a person without one gets 400 and must send the password. */
export async function stepUpByCode(deps: StepUpByDeps, signedIn: SignedIn, code: string, origin: Origin): Promise<Session> {
  const { userId } = signedIn
  const outcome = await deps.db.tx(async (tx): Promise<Session | Unproven> => {
    const { sealedSecret, ...factor } = await lockSecondFactor(tx, userId)
    if (sealedSecret === null) {
      throw invalidFields([{ field: 'password', code: 'required', message: 'You have no second factor. Send your password.' }])
    }
    const proof = await proveSecondFactor(deps, tx, { ...factor, sealedSecret }, { code, email: await emailOfUser(tx, userId) })
    if (isUnproven(proof)) return proof
    const session = await renew(tx, signedIn, methodsOf(proof), origin)
    if (proof.kind === 'recovery_code') {
      await appendAudit(tx, origin, { action: 'recovery_code.used', object: toWire('usr', userId), after: { left: proof.left } })
    }
    return session
  })
  if ('kind' in outcome) throw unprovenRefusal(outcome, origin)
  return outcome
}

/** Checks the password of a try that was already counted, and takes the try back when it could not be checked. */
async function check(deps: StepUpByDeps, userId: string, password: string) {
  try {
    const passwordHash = await findPasswordHash(deps.db, userId)
    return { passwordHash, isRight: await deps.passwords.matches(passwordHash, password, { account: userId }) }
  } catch (error) {
    // Otherwise the overload that prevented the check would lock persons out. The first error stays the one that is thrown.
    await uncountTry(deps.db, userId).catch((second: unknown) => deps.log.error('password_attempt.return_failed', second))
    throw error
  }
}

/**
 * Checks the password of the signed-in person, and returns the matching hash; the try stays counted until the caller takes it
 * back. Refuses a wrong password with 401 `invalid_credentials`, too many tries with 429 `rate_limited`.
 */
export async function provePassword(
  deps: StepUpByDeps,
  userId: string,
  password: string,
  origin: Origin,
  isEnough: (factor: Pick<SecondFactor, 'sealedSecret'>) => void = () => undefined,
): Promise<string | undefined> {
  const claim = await deps.db.tx(async (tx): Promise<Unproven | { kind: 'counted'; isLast: boolean }> => {
    const factor = await lockSecondFactor(tx, userId)
    isEnough(factor)
    const { lockedForSeconds } = factor
    if (lockedForSeconds > 0) return { kind: 'locked', forSeconds: lockedForSeconds }
    return { kind: 'counted', isLast: await countWrongTry(tx, userId, deps.config.secondFactor) }
  })
  if (isUnproven(claim)) throw unprovenRefusal(claim, origin)
  const { passwordHash, isRight } = await check(deps, userId, password)
  if (!isRight) {
    if (claim.isLast) await deps.db.tx(async (tx) => mailLock(deps, tx, userId, await emailOfUser(tx, userId)))
    throw unprovenRefusal({ kind: 'wrong' }, origin, ['invalid_credentials', 'The password is wrong.'])
  }
  return passwordHash
}

/** For a person without a second factor; a person with one gets 400 and must send a code. */
export async function stepUpByPassword(
  deps: StepUpByDeps,
  signedIn: SignedIn,
  password: string,
  origin: Origin,
): Promise<Session> {
  const { userId } = signedIn
  const passwordHash = await provePassword(deps, userId, password, origin, ({ sealedSecret }) => {
    if (sealedSecret === null) return
    throw invalidFields([{ field: 'code', code: 'required', message: 'You have a second factor. Send a code from it.' }])
  })
  return deps.db.tx(async (tx) => {
    if (!(await lockForSignIn(tx, userId, passwordHash))) throw sessionInactive()
    await lockSecondFactor(tx, userId)
    await uncountTry(tx, userId)
    await resetLocks(tx, userId)
    return renew(tx, signedIn, [], origin)
  })
}
