/**
 * Replaces the lost second factor of an operator, on the operators' machine. Invariant: two persons take part. One
 * uses the machine; the other is a different operator, who gives a code of their second factor, which is used up.
 */
import { appendAudit, byCommandLine } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidCommand } from '../../platform/refusal.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import {
  isUnproven,
  proveSecondFactor,
  sealFactor,
  unprovenRefusal,
  type ProofDeps,
  type Unproven,
} from './prove-second-factor.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { lockSecondFactor, replaceRecoveryCodes, setConfirmedSecret } from './second-factor.sql.ts'
import { revokeSessionsOf } from './session.sql.ts'
import { newTotpSecret, otpauthUrl } from './totp.ts'
import { lockUserByEmail } from './user.sql.ts'

export type ResetDeps = ProofDeps & { db: Db; config: Pick<Config, 'secondFactor'> }

/** The new credentials of the operator; they cannot be read a second time. */
export type NewFactor = { secret: string; otpauthUrl: string; recoveryCodes: string[] }

/**
 * Ends every session of the operator; the password stays. Refuses with 409 `invalid_state` a person that is not an operator or that is
 * their own witness, with 401 `invalid_code` a wrong code, with 429 `rate_limited` too many of them.
 */
export async function resetAdminFactor(
  deps: ResetDeps,
  { email, witness, code }: { email: string; witness: string; code: string },
): Promise<NewFactor> {
  if (email === witness) throw invalidCommand('The witness must be another operator.')
  const secret = newTotpSecret()
  const recoveryCodes = newRecoveryCodes()
  const unproven = await deps.db.tx(async (tx): Promise<Unproven | undefined> => {
    // Locks in the order of the addresses, so that two parallel resets cannot deadlock.
    const [first, second] = [email, witness].toSorted()
    const users = [await lockUserByEmail(tx, first!), await lockUserByEmail(tx, second!)]
    const operatorWith = (address: string): { id: string; email: string } => {
      const user = users.find((one) => one?.email === address)
      if (user?.role !== 'admin' || user.isDisabled) throw invalidCommand(`${address} is not an active operator.`)
      return user
    }
    const [operator, other] = [operatorWith(email), operatorWith(witness)]
    const { sealedSecret, ...factor } = await lockSecondFactor(tx, other.id)
    if (sealedSecret === null) throw invalidCommand(`${witness} has no second factor.`)
    const proof = await proveSecondFactor(deps, tx, { ...factor, sealedSecret }, { code, email: witness })
    if (isUnproven(proof)) return proof
    await lockSecondFactor(tx, operator.id)
    await setConfirmedSecret(tx, operator.id, sealFactor(deps.sealer, operator.id, 'sealed_secret', secret), null)
    await replaceRecoveryCodes(tx, operator.id, recoveryCodes.map(hashOfRecoveryCode))
    await dropChallenges(tx, operator.id)
    const endedSessions = await revokeSessionsOf(tx, operator.id, 'second_factor_changed')
    await enqueueMail(deps, tx, noticeMail(email, 'admin_factor_reset'))
    await enqueueMail(deps, tx, noticeMail(witness, 'admin_factor_witnessed'))
    await appendAudit(tx, byCommandLine, {
      action: 'admin.factor_reset',
      object: toWire('usr', operator.id),
      after: { witness: toWire('usr', other.id), sessions_ended: endedSessions },
    })
    return undefined
  })
  if (unproven) throw unprovenRefusal(unproven, byCommandLine)
  return { secret, otpauthUrl: otpauthUrl(secret, deps.config.secondFactor.issuer, email), recoveryCodes }
}
