/**
 * Checks a code against a person's second factor. Invariant: every wrong code is counted under the lock of the person's row, for
 * every purpose, and while tries are locked even a correct code is refused. Recovery codes have their own tries: guesses at the short codes
 * of the app, or a phone with a wrong clock, do not keep a person out who still has one.
 */
import type { Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Tx } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { SealedColumn } from '../../platform/db/sealed-column.sql.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { noticeMail } from './mail-texts.ts'
import { hashOfRecoveryCode } from './recovery-codes.ts'
import {
  claimLockMail,
  countWrongRecovery,
  countWrongTry,
  resetLocks,
  useRecoveryCode,
  useStep,
  type SecondFactor,
} from './second-factor.sql.ts'
import { codeOfApp, stepOfCode } from './totp.ts'

export type ProofDeps = { sealer: Sealer; config: Pick<Config, 'secondFactor'> }

export type Unproven = { kind: 'wrong' } | { kind: 'locked'; forSeconds: number }

export type Proof = { kind: 'app'; step: number } | { kind: 'recovery_code'; left: number } | Unproven

const secretColumns = ['sealed_secret', 'pending_sealed_secret'] as const
type SecretColumn = (typeof secretColumns)[number]

function contextOf(userId: string, column: SecretColumn): string {
  return `second_factors|${userId}|${column}`
}

export const secondFactorColumns: SealedColumn[] = secretColumns.map((column) => ({
  table: 'second_factors',
  column,
  id: 'user_id',
  contextOf: (id) => contextOf(id, column),
}))

/** Sealed for one person and one column: it does not open anywhere else. */
export function sealFactor(sealer: Sealer, userId: string, column: SecretColumn, secret: string): string {
  return sealer.seal(secret, contextOf(userId, column))
}

export function openFactor(sealer: Sealer, userId: string, column: SecretColumn, sealed: string): string {
  return sealer.open(sealed, contextOf(userId, column))
}

/** Mails a person that their tries are locked, at most once a day. */
export async function mailLock(deps: Pick<ProofDeps, 'sealer'>, tx: Tx, userId: string, email: string): Promise<void> {
  if (await claimLockMail(tx, userId)) await enqueueMail(deps, tx, noticeMail(email, 'second_factor_locked'))
}

/** Counts a wrong try, and mails the person when it locks the tries. */
async function recordWrongTry(deps: ProofDeps, tx: Tx, userId: string, email: string, count = countWrongTry): Promise<Unproven> {
  const isLocked = await count(tx, userId, deps.config.secondFactor)
  if (isLocked) await mailLock(deps, tx, userId, email)
  return { kind: 'wrong' }
}

/** Whether `code` is of the app that is being enrolled; no code is used up, only a wrong try is counted. */
export async function provePendingFactor(
  deps: ProofDeps,
  tx: Tx,
  factor: SecondFactor,
  tried: { secret: string; code: string; email: string },
): Promise<Exclude<Proof, { kind: 'recovery_code' }>> {
  if (factor.lockedForSeconds > 0) return { kind: 'locked', forSeconds: factor.lockedForSeconds }
  const step = codeOfApp.test(tried.code) ? stepOfCode(tried.secret, tried.code, factor.now, null) : undefined
  if (step !== undefined) {
    await resetLocks(tx, factor.userId)
    return { kind: 'app', step }
  }
  return recordWrongTry(deps, tx, factor.userId, tried.email)
}

/** Uses up `code`, of the app or a recovery code, of a person with a confirmed factor; this transaction has locked `factor`. */
export async function proveSecondFactor(
  deps: ProofDeps,
  tx: Tx,
  factor: SecondFactor & { sealedSecret: string },
  tried: { code: string; email: string },
): Promise<Proof> {
  const { userId, sealedSecret, lastStep, now } = factor
  const isOfApp = codeOfApp.test(tried.code)
  const forSeconds = isOfApp ? factor.lockedForSeconds : factor.recoveryLockedForSeconds
  if (forSeconds > 0) return { kind: 'locked', forSeconds }
  if (isOfApp) {
    const secret = openFactor(deps.sealer, userId, 'sealed_secret', sealedSecret)
    const step = stepOfCode(secret, tried.code, now, lastStep)
    if (step !== undefined && (await useStep(tx, userId, step))) {
      await resetLocks(tx, userId)
      return { kind: 'app', step }
    }
    return recordWrongTry(deps, tx, userId, tried.email)
  }
  const left = await useRecoveryCode(tx, userId, hashOfRecoveryCode(tried.code))
  if (left === undefined) return recordWrongTry(deps, tx, userId, tried.email, countWrongRecovery)
  await resetLocks(tx, userId)
  await enqueueMail(deps, tx, noticeMail(tried.email, 'recovery_code_used'))
  return { kind: 'recovery_code', left }
}

export function isUnproven(proof: { kind: string }): proof is Unproven {
  return proof.kind === 'wrong' || proof.kind === 'locked'
}

/** The `amr` values of a proof (RFC 8176). */
export function methodsOf(proof: Exclude<Proof, Unproven>): string[] {
  return proof.kind === 'app' ? ['otp', 'mfa'] : ['mfa']
}

const wrongCode =
  "The code is wrong, expired or already used. Enter a new one, and check that the phone's clock is set automatically: codes of an app follow it."

/** The refusal of a try, after its transaction has recorded it: 401 `invalid_code` (or the refusal in `wrong`), or 429 `rate_limited`. */
export function unprovenRefusal(proof: Unproven, origin: Origin, [code, message] = ['invalid_code', wrongCode]): Refusal {
  const evidence = { reason: proof.kind, user_id: origin.actor }
  if (proof.kind === 'wrong') return new Refusal(401, code!, message!, { evidence })
  return new Refusal(429, 'rate_limited', 'Too many wrong attempts. Wait before you try again.', {
    retryAfterSeconds: Math.max(1, proof.forSeconds),
    evidence,
  })
}
