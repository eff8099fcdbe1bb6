/**
 * Makes an operator, on the operator's machine and never over HTTP. Invariant: an operator has a second factor from the start,
 * and no session from before.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { appendAudit, byCommandLine } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import { violates, type Db, type Tx } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { invalidCommand, must, Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import { insertPersonalMerchant } from './merchant.sql.ts'
import type { Passwords } from './password.ts'
import { sealFactor } from './prove-second-factor.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { lockSecondFactor, replaceRecoveryCodes, setConfirmedSecret } from './second-factor.sql.ts'
import { revokeSessionsOf } from './session.sql.ts'
import { newTotpSecret, otpauthUrl } from './totp.ts'
import { findUser, insertAdmin, lockUserByEmail, makeAdmin } from './user.sql.ts'
import { emailAddress, fullName, type User } from './user.ts'

export type CreateAdminDeps = { db: Db; sealer: Sealer; passwords: Passwords; config: Pick<Config, 'secondFactor' | 'cell'> }

/** The credentials of the new operator; they cannot be read again. */
export type NewAdmin = {
  user: User
  /** Null for an existing account: it keeps its password. */
  password: string | null
  /** Base32, for an authenticator app. */
  secret: string
  otpauthUrl: string
  recoveryCodes: string[]
  wasPromoted: boolean
}

const personSchema = z.object({ email: emailAddress, fullName })

function read(person: { email: string; fullName: string }): z.infer<typeof personSchema> {
  const parsed = personSchema.safeParse(person)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Refusal(400, 'validation_error', `${issue!.path.join('.')}: ${issue!.message}`)
}

function alreadyAdmin(email: string): Refusal {
  return invalidCommand(`${email} is already an operator.`)
}

/** Makes the account an operator's; returns its id and how many sessions were ended. */
async function promote(
  deps: CreateAdminDeps,
  tx: Tx,
  user: { id: string; email: string },
): Promise<{ id: string; endedSessions: number }> {
  await makeAdmin(tx, user.id)
  const endedSessions = await revokeSessionsOf(tx, user.id, 'role_changed')
  await dropChallenges(tx, user.id)
  await enqueueMail(deps, tx, noticeMail(user.email, 'admin_created'))
  return { id: user.id, endedSessions }
}

/**
 * Makes a user with role admin, or promotes the account with this e-mail address. Refuses an existing operator and a disabled
 * account with 409 `invalid_state`.
 */
export async function createAdmin(deps: CreateAdminDeps, person: { email: string; fullName: string }): Promise<NewAdmin> {
  const { email, fullName: name } = read(person)
  const newPassword = randomBytes(18).toString('base64url')
  const passwordHash = await deps.passwords.hash(newPassword, {})
  const secret = newTotpSecret()
  const recoveryCodes = newRecoveryCodes()

  async function insert(tx: Tx): Promise<{ id: string; endedSessions: number }> {
    const id = newId()
    await insertAdmin(tx, { id, fullName: name, email, passwordHash })
    await insertPersonalMerchant(tx, id, name, deps.config.cell.homes)
    return { id, endedSessions: 0 }
  }

  try {
    const { user, wasPromoted } = await deps.db.tx(async (tx) => {
      const known = await lockUserByEmail(tx, email)
      if (known?.role === 'admin') throw alreadyAdmin(email)
      if (known?.isDisabled) throw invalidCommand(`The account of ${email} is disabled.`)
      const { id, endedSessions } = known ? await promote(deps, tx, known) : await insert(tx)
      await lockSecondFactor(tx, id)
      await setConfirmedSecret(tx, id, sealFactor(deps.sealer, id, 'sealed_secret', secret), null)
      await replaceRecoveryCodes(tx, id, recoveryCodes.map(hashOfRecoveryCode))
      const admin = must(await findUser(tx, id), 'a user can be read in the transaction that wrote it')
      await appendAudit(tx, byCommandLine, {
        action: 'admin.created',
        object: toWire('usr', id),
        after: { promoted: known !== undefined, sessions_ended: endedSessions },
      })
      return { user: admin, wasPromoted: known !== undefined }
    })
    const url = otpauthUrl(secret, deps.config.secondFactor.issuer, email)
    return { user, password: wasPromoted ? null : newPassword, secret, otpauthUrl: url, recoveryCodes, wasPromoted }
  } catch (error) {
    // Two commands ran at once, or a person registered with this address at the same moment.
    if (violates(error, 'users_email_unique')) throw invalidCommand(`${email} was registered a moment ago. Repeat the command.`)
    throw error
  }
}
