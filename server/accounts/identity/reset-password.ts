/**
 * Sets a new password for a person that forgot the old one. Invariant: it ends every session and opens none, so a second
 * factor is still required, unless neither the address nor the person was ever proved; and it does not reveal which addresses have
 * accounts.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Db, Runner, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import { lockMerchantsOfUser } from './merchant.sql.ts'
import { mailPasswordReset, tokenInvalid, tryCode, type MailTokenDeps } from './mail-token.ts'
import { mayMailReset, useMailedToken, useUpMailedTokens } from './mailed-token.sql.ts'
import { refuseWeakPassword } from './password-strength.ts'
import type { Passwords } from './password.ts'
import { clearPendingSecret, clearSecondFactor, hasConfirmedFactor, replaceRecoveryCodes } from './second-factor.sql.ts'
import { revokeSessionsOf } from './session.sql.ts'
import {
  findCredentials,
  findUser,
  lockUser,
  lockUserByEmail,
  notePasswordReset,
  setEmailVerified,
  setPassword,
  type LockedUser,
} from './user.sql.ts'

export type RequestResetDeps = MailTokenDeps & { db: Db }

/**
 * Mails a code to the account with this address, unless there is none, one was mailed just now, or too many today. The caller
 * does not learn which case applied.
 */
export async function requestPasswordReset(deps: RequestResetDeps, email: string): Promise<void> {
  // After ten mails in a day the next one is sent when the last code has ended: strangers' requests cannot leave the owner
  // without a working code.
  const rules = { ...deps.config.mailedTokens, slowPauseSeconds: deps.config.mailedTokens.passwordResetSeconds }
  const isTooEarly = async (runner: Runner, userId: string): Promise<boolean> => !(await mayMailReset(runner, userId, rules))
  // First read without a lock: repeated requests must not lock the account that its owner signs in to.
  const found = await findCredentials(deps.db, { email, phoneNumber: null })
  if (!found || found.isDisabled || (await isTooEarly(deps.db, found.userId))) return
  await deps.db.tx(async (tx) => {
    // Locked, so that only one of several parallel requests sends a mail.
    const user = await lockUserByEmail(tx, email)
    if (!user || user.isDisabled || (await isTooEarly(tx, user.id))) return
    await mailPasswordReset(deps, tx, user)
  })
}

export type ResetDeps = MailTokenDeps & {
  db: Db
  passwords: Passwords
  /** Ends what a stranger may have left in the account; false, and ends nothing, for a person who was ever verified. */
  endLeftovers(tx: Tx, userId: string, origin: Origin): Promise<boolean>
}

/**
 * The code is the first proof that the address belongs to the account. A stranger may have registered it, so what they made ends, and the
 * second factor goes: the owner of the address could never show it. A person who was ever verified is no stranger: a mailbox alone must not
 * open an account with money.
 */
async function proveAddress(deps: ResetDeps, tx: Tx, { id, email }: LockedUser, origin: Origin): Promise<void> {
  await setEmailVerified(tx, id)
  await useUpMailedTokens(tx, id, 'email_verification')
  await appendAudit(tx, origin, { action: 'email.verified', object: toWire('usr', id) })
  const isStranger = await deps.endLeftovers(tx, id, origin)
  if (!isStranger || !(await hasConfirmedFactor(tx, id))) return clearPendingSecret(tx, id)
  await clearSecondFactor(tx, id)
  await replaceRecoveryCodes(tx, id, [])
  await enqueueMail(deps, tx, noticeMail(email, 'second_factor_disabled'))
  await appendAudit(tx, origin, { action: 'second_factor.disabled', object: toWire('usr', id) })
}

/**
 * Returns the owner of the account. Refuses with 400 `token_invalid`, also for an address without an account. Refuses a weak
 * password with 400, only after the code was right, and without using up the code. `originOf` gives the origin, once the user is
 * known.
 */
export async function resetPassword(
  deps: ResetDeps,
  { email, code, password }: { email: string; code: string; password: string },
  originOf: (userId: string) => Origin,
): Promise<{ userId: string }> {
  const purpose = 'password_reset'
  const found = await findCredentials(deps.db, { email, phoneNumber: null })
  if (!found) throw tokenInvalid()
  const { userId } = found
  // Checked first, so that a wrong code costs no hashing.
  const tokenHash = await tryCode(deps, { userId, purpose }, code)
  const owner = await findUser(deps.db, userId)
  if (!owner) throw tokenInvalid()
  refuseWeakPassword(password, owner)
  const passwordHash = await deps.passwords.hash(password, { account: userId })
  await deps.db.tx(async (tx) => {
    // Merchants are locked before their user: all code that changes both uses this order.
    await lockMerchantsOfUser(tx, userId)
    const user = await lockUser(tx, userId)
    if (!user || user.isDisabled) throw tokenInvalid()
    if (!(await useMailedToken(tx, { purpose, tokenHash, userId, email: user.email }))) throw tokenInvalid()
    await useUpMailedTokens(tx, userId, purpose)
    // Someone with the old password may have asked for it.
    await useUpMailedTokens(tx, userId, 'contact_change')
    await setPassword(tx, userId, passwordHash)
    await notePasswordReset(tx, userId)
    // Before the sessions end: a step-up locks them in the same order.
    if (user.isEmailVerified || user.role === 'admin') await clearPendingSecret(tx, userId)
    else await proveAddress(deps, tx, user, originOf(userId))
    const endedSessions = await revokeSessionsOf(tx, userId, 'password_reset')
    await dropChallenges(tx, userId)
    await enqueueMail(deps, tx, noticeMail(user.email, 'password_changed'))
    await appendAudit(tx, originOf(userId), {
      action: 'password.reset',
      object: toWire('usr', userId),
      after: { sessions_ended: endedSessions },
    })
  })
  return { userId }
}
