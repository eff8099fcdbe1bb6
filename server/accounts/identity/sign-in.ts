/**
 * Signs a person in by password. Invariant: the caller learns only whether both parts are right, at the same cost either way; and
 * with a second factor, a password alone opens no session.
 */
import { anyMobileTyped } from '../../domain/any-phone.ts'
import { addressTyped } from '../../domain/typed.ts'
import type { Config } from '../../config/config.ts'
import type { Origin } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { insertChallenge } from './challenge.sql.ts'
import { hashOfToken, newToken } from './one-use-token.ts'
import {
  auditSignIn,
  auditTurnedAway,
  firstTokens,
  openSession,
  type OpenedSession,
  type SessionDeps,
  type Tokens,
} from './open-session.ts'
import type { Passwords } from './password.ts'
import { hasConfirmedFactor } from './second-factor.sql.ts'
import { adminRequired, mayEnter, type Face } from './session-cookie.ts'
import { notifyNewDevice } from './notify-new-device.ts'
import { findCredentials, lockForSignIn, replacePasswordHash, type Credentials } from './user.sql.ts'

/** Counts the wrong tries for an account, from all callers. */
export type Tries = {
  /** The network address of the try. */
  from: string
  /**
   * Counts a try before it is checked; refuses it when there were too many. `name`: what the caller typed, in one spelling, whether an
   * account has it or not. Returns whether the account knows the network of the caller.
   */
  begin(name: string, account: string): Promise<boolean>
  /** Takes back a try that was right, or never checked. */
  refund(): Promise<void>
  /** Notes that a try from here was right. */
  remember(account: string): Promise<void>
}

export type CheckPasswordDeps = { db: Db; passwords: Passwords; tries: Tries }

export type SignInDeps = CheckPasswordDeps & SessionDeps & { sealer: Sealer; config: Pick<Config, 'secondFactor'> }

function invalidCredentials(): Refusal {
  return new Refusal(401, 'invalid_credentials', 'The e-mail address, phone number or password is wrong.')
}

type Typed = { email: string | null; phoneNumber: string | null }

const typedIn = (identifier: string): Typed =>
  identifier.includes('@')
    ? { email: addressTyped(identifier), phoneNumber: null }
    : { email: null, phoneNumber: anyMobileTyped(identifier) ?? null }

/**
 * `identifier` is an e-mail address or a phone number. Returns the person; refuses with 401 `invalid_credentials`, or without a
 * check after too many tries.
 */
export async function checkPassword(
  deps: CheckPasswordDeps,
  identifier: string,
  password: string,
): Promise<Pick<Credentials, 'userId' | 'passwordHash'> & { isKnownNetwork: boolean }> {
  const typed = typedIn(identifier)
  const credentials = await findCredentials(deps.db, typed)
  const name = typed.email ?? typed.phoneNumber ?? addressTyped(identifier)
  // Tries from networks that the account does not know count together for both of its names; an unknown name counts as an account. From a
  // known network each name has a count of its own only: a common one below their sum would tell which names belong together.
  const account = credentials?.userId ?? name
  const caller = { account, address: deps.tries.from }
  const isKnownNetwork = await deps.tries.begin(name, account)
  const isRight = await deps.passwords.matches(credentials?.passwordHash, password, caller).catch(async (error: unknown) => {
    // Otherwise the overload that prevented the check would lock persons out.
    await deps.tries.refund()
    throw error
  })
  if (!isRight || !credentials || credentials.isDisabled) throw invalidCredentials()
  await deps.tries.refund()
  await deps.tries.remember(account)
  const { userId, passwordHash } = credentials
  if (!deps.passwords.isOutdated(passwordHash)) return { userId, passwordHash, isKnownNetwork }
  const newHash = await deps.passwords.hash(password, caller)
  const isReplaced = await replacePasswordHash(deps.db, userId, passwordHash, newHash)
  return { userId, passwordHash: isReplaced ? newHash : passwordHash, isKnownNetwork }
}

export type SignInOutcome = { kind: 'signed_in'; tokens: Tokens } | { kind: 'second_factor_due'; challengeToken: string }

/**
 * Opens a session, or a challenge for a person with a second factor. `originOf` gives the origin, once the user is known. A
 * non-operator at the operators' dashboard (`face`) is refused with 403 `admin_required`, and the audit log records it.
 */
export async function signIn(
  deps: SignInDeps,
  visit: {
    identifier: string
    password: string
    userAgent: string | null
    face: Face | undefined
    /** When the device of this request became known for a person. */
    deviceSinceOf(userId: string): Date | undefined
  },
  originOf: (userId: string) => Origin,
): Promise<SignInOutcome> {
  const { identifier, password, userAgent, face, deviceSinceOf } = visit
  const { userId, passwordHash, isKnownNetwork } = await checkPassword(deps, identifier, password)
  const challengeToken = newToken(deps.config.cell.name)
  const opened = await deps.db.tx(async (tx): Promise<OpenedSession | 'second_factor_due' | 'not_for_them'> => {
    // The password may have changed during the check; the old one must not open a session then.
    const user = await lockForSignIn(tx, userId, passwordHash)
    if (!user) throw invalidCredentials()
    if (!mayEnter(face, user.role)) {
      await auditTurnedAway(tx, originOf(userId))
      return 'not_for_them'
    }
    if (await hasConfirmedFactor(tx, userId)) {
      const seconds = deps.config.secondFactor.challengeSeconds
      await insertChallenge(tx, { tokenHash: hashOfToken(challengeToken), userId, seconds, userAgent })
      return 'second_factor_due'
    }
    const deviceSince = deviceSinceOf(userId)
    const session = await openSession(deps, tx, { userId, role: user.role, amr: ['pwd'], userAgent, deviceSince })
    const isProven = isKnownNetwork || deviceSince !== undefined
    await notifyNewDevice(deps, tx, { ...session, email: user.email, isProven })
    await auditSignIn(tx, originOf(userId), session)
    return session
  })
  if (opened === 'not_for_them') throw adminRequired()
  if (opened === 'second_factor_due') return { kind: 'second_factor_due', challengeToken }
  return { kind: 'signed_in', tokens: await firstTokens(deps, opened) }
}
