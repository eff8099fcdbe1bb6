/** Registers a person and the personal merchant that their money will belong to, both or neither. */
import { violates, type Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { assert, Refusal } from '../platform/refusal.ts'
import { insertPersonalMerchant } from './merchant.sql.ts'
import type { Passwords } from './password.ts'
import { findUser, insertUser } from './user.sql.ts'
import type { User } from './user.ts'

export type RegisterDeps = { db: Db; passwords: Passwords }

/** E-mail in lower case, phone as E.164, texts trimmed: what `newPersonSchema` gives. */
export type NewPerson = {
  fullName: string
  email: string
  phoneNumber: string
  password: string
  studentId: string
  institution: string
}

function alreadyRegistered(param: string, what: string): Refusal {
  return new Refusal(409, 'already_registered', `There is an account with this ${what}. Sign in instead.`, { param })
}

/** Refuses an e-mail address or a phone number that another account has: 409 `already_registered`, `param` says which. */
export async function registerUser(deps: RegisterDeps, person: NewPerson): Promise<User> {
  const { password, ...facts } = person
  const user = { ...facts, id: newId(), passwordHash: await deps.passwords.hash(password) }
  try {
    return await deps.db.tx(async (tx) => {
      await insertUser(tx, user)
      await insertPersonalMerchant(tx, user.id, user.fullName)
      const registered = await findUser(tx, user.id)
      assert(registered, 'a user can be read by who has just written it')
      return registered
    })
  } catch (error) {
    if (violates(error, 'users_email_unique')) throw alreadyRegistered('email', 'e-mail address')
    if (violates(error, 'users_phone_unique')) throw alreadyRegistered('phone_number', 'phone number')
    throw error
  }
}
