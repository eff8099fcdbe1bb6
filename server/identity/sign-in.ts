/** Checks a person's password. Invariant: who asks learns only whether both parts are right, at the same cost either way. */
import type { Db } from '../platform/db.ts'
import { Refusal } from '../platform/refusal.ts'
import type { Passwords } from './password.ts'
import { findCredentials, replacePasswordHash, type Credentials } from './user.sql.ts'
import { toE164 } from './user.ts'

export type SignInDeps = { db: Db; passwords: Passwords }

async function credentialsOf(db: Db, identifier: string): Promise<Credentials | undefined> {
  const text = identifier.trim()
  return text.includes('@')
    ? findCredentials(db, { email: text.toLowerCase(), phoneNumber: null })
    : findCredentials(db, { email: null, phoneNumber: toE164(text) ?? null })
}

/** `identifier` is an e-mail address or a phone number. Answers with who it is; refuses with 401 `invalid_credentials`. */
export async function signIn(
  deps: SignInDeps,
  identifier: string,
  password: string,
): Promise<Pick<Credentials, 'userId' | 'role'>> {
  const credentials = await credentialsOf(deps.db, identifier)
  const isRight = await deps.passwords.matches(credentials?.passwordHash, password)
  if (!isRight || !credentials || credentials.isDisabled) {
    throw new Refusal(401, 'invalid_credentials', 'The e-mail address, phone number or password is not right.')
  }
  if (deps.passwords.isOutdated(credentials.passwordHash)) {
    const newHash = await deps.passwords.hash(password)
    await replacePasswordHash(deps.db, credentials.userId, credentials.passwordHash, newHash)
  }
  return credentials
}
