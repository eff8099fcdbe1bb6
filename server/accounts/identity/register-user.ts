/** Registers a person, their personal merchant with its sandbox, and the mail that verifies the address: all or none. */
import { bySystem, type Origin } from '../../base/audit/audit.ts'
import type { z } from 'zod'
import type { Registrant } from '../../domain/account.ts'
import type { Config } from '../../config/config.ts'
import { violates, type Db, type Runner, type Tx } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import { required } from '../../platform/http/field-words.ts'
import { invalidFields, must, Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import { noticeMail } from './mail-texts.ts'
import { mailVerification } from './mail-token.ts'
import { insertPersonalMerchant } from './merchant.sql.ts'
import { openSession, type OpenedSession, type SessionDeps } from './open-session.ts'
import { refuseWeakPassword } from './password-strength.ts'
import type { Passwords } from './password.ts'
import type { CreateSandbox, Sandbox } from './sandbox.ts'
import { claimRegistrationMail, findUser, insertUser } from './user.sql.ts'
import type { newPersonSchema, User } from './user.ts'

/** Whether a token is of an open invitation to this address; invitations belong to a folder above this one. */
export type IsInvited = (db: Runner, token: string, email: string) => Promise<boolean>

export type RegisterDeps = {
  db: Db
  passwords: Passwords
  sealer: Sealer
  config: Pick<Config, 'mailedTokens' | 'keys' | 'cell'>
  createSandbox: CreateSandbox
}

/** E-mail in lower case, phone as E.164, texts trimmed, as `newPersonSchema` returns them. */
export type NewPerson = {
  fullName: string
  email: string
  phoneNumber: string
  password: string
  /** Null for a person who was invited to a business, and for a representative who gives it later; like the next one. */
  studentId: string | null
  institution: string | null
  registersAs: Registrant
}

/**
 * As what a person registers. Refuses with 400 a token of no open invitation to their address, and a student that does not say where
 * they study.
 */
export async function checkRegistrant(
  deps: { db: Runner; isInvited: IsInvited },
  person: Pick<z.infer<typeof newPersonSchema>, 'email' | 'student_id' | 'institution' | 'invitation_token' | 'registers_as'>,
): Promise<Registrant> {
  const { email, invitation_token: token, registers_as: registersAs } = person
  if (token === undefined) {
    if (registersAs === 'representative') return registersAs
    const missing = (['student_id', 'institution'] as const).filter((name) => person[name] === undefined)
    if (missing.length === 0) return registersAs
    throw invalidFields(missing.map((field) => ({ field, code: 'required', message: required.en })))
  }
  if (await deps.isInvited(deps.db, token, email)) return 'invited'
  const message = 'This invitation is used, cancelled or expired, or was mailed to another address.'
  throw invalidFields([{ field: 'invitation_token', code: 'invalid', message }])
}

/** Mails the owner of an account that another person used their address or phone number; at most once a day. */
export async function mailKnownOwner(
  deps: Pick<RegisterDeps, 'db' | 'sealer'>,
  known: { email: string | null; phoneNumber: string | null },
): Promise<void> {
  await deps.db.tx(async (tx) => {
    const email = await claimRegistrationMail(tx, known)
    if (email !== undefined) await enqueueMail(deps, tx, noticeMail(email, 'registration_tried'))
  })
}

function alreadyRegistered(param: string, what: string): Refusal {
  return new Refusal(409, 'already_registered', `An account with this ${what} already exists. Sign in instead.`, { param })
}

async function register<Result>(
  deps: RegisterDeps,
  person: NewPerson,
  address: string | undefined,
  finish: (tx: Tx, user: User) => Promise<Result>,
): Promise<Result> {
  const { password, ...facts } = person
  refuseWeakPassword(password, person)
  const user = { ...facts, id: newId(), passwordHash: await deps.passwords.hash(password, { address }) }
  try {
    return await deps.db.tx(async (tx) => {
      await insertUser(tx, user)
      await insertPersonalMerchant(tx, user.id, user.fullName, deps.config.cell.homes)
      await mailVerification(deps, tx, user)
      const registered = must(await findUser(tx, user.id), 'a user can be read in the transaction that wrote it')
      return finish(tx, registered)
    })
  } catch (error) {
    if (violates(error, 'users_email_unique')) {
      await mailKnownOwner(deps, { email: person.email, phoneNumber: null })
      throw alreadyRegistered('email', 'e-mail address')
    }
    if (violates(error, 'users_phone_unique')) {
      await mailKnownOwner(deps, { email: null, phoneNumber: person.phoneNumber })
      throw alreadyRegistered('phone_number', 'phone number')
    }
    throw error
  }
}

/**
 * Refuses an e-mail address or a phone number of another account with 409 `already_registered`; `param` names the field, and its
 * owner gets a mail, at most once a day. Refuses a weak password with 400.
 */
export function registerUser(deps: RegisterDeps, person: NewPerson): Promise<{ user: User; sandbox: Sandbox }> {
  return register(deps, person, undefined, async (tx, user) => ({
    user,
    sandbox: await deps.createSandbox(tx, user.id, bySystem),
  }))
}

/** The same, and opens the first session of the account. `from`: the request and its network. */
export function registerAndSignIn(
  deps: RegisterDeps & SessionDeps,
  person: NewPerson,
  from: Pick<Origin, 'requestId' | 'ip'> & { userAgent: string | null; network: string },
): Promise<{ user: User; sandbox: Sandbox; session: OpenedSession }> {
  const { userAgent, network, requestId, ip } = from
  return register(deps, person, network, async (tx, user) => {
    // In the same transaction: the account cannot be promoted to operator before this session exists and can be ended.
    const session = await openSession(deps, tx, {
      userId: user.id,
      role: user.role,
      amr: ['pwd'],
      userAgent,
      deviceSince: undefined,
    })
    return { user, session, sandbox: await deps.createSandbox(tx, user.id, { requestId, ip }) }
  })
}
