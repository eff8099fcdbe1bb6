/** The only statements on `users`. A user is always read with the verification status of the personal merchant, which has the same id. */
import type { Registrant, Role } from '../../domain/account.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { User } from './user.ts'

const columns = sql`
  u.id, u.full_name, u.email, u.phone_number, u.student_id, u.institution, u.role, m.verification_status as kyc_status,
  u.email_verified_at is not null as is_email_verified,
  exists (select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as has_second_factor,
  (select count(*) from recovery_codes r where r.user_id = u.id and r.used_at is null) as recovery_codes_left,
  c.email as change_mailed_to, c.new_phone_number as change_phone_number, c.expires_at as change_expires_at,
  u.created_at, u.updated_at`

/** A user has at most one open contact change. */
const users = sql`
  users u join merchants m on m.id = u.id
  left join mailed_tokens c
    on c.user_id = u.id and c.purpose = 'contact_change' and c.used_at is null and c.expires_at > clock_now()`

export type NewUser = Pick<User, 'id' | 'fullName' | 'email' | 'phoneNumber' | 'studentId' | 'institution'> & {
  passwordHash: string
  registersAs: Registrant
}

/** The fields of a locked user that a change of the account needs. */
export type LockedUser = {
  id: string
  email: string
  phoneNumber: string | null
  role: Role
  isEmailVerified: boolean
  isDisabled: boolean
}

const heldColumns = sql`
  id, email, phone_number, role, email_verified_at is not null as is_email_verified, disabled_at is not null as is_disabled`

export async function insertUser(tx: Tx, user: NewUser): Promise<void> {
  await tx.rows(sql`
    insert into users (id, full_name, email, phone_number, password_hash, student_id, institution, was_invited, is_representative)
    values (${user.id}, ${user.fullName}, ${user.email}, ${user.phoneNumber}, ${user.passwordHash}, ${user.studentId},
      ${user.institution}, ${user.registersAs === 'invited'}, ${user.registersAs === 'representative'})`)
}

export async function findUser(db: Runner, id: string): Promise<User | undefined> {
  return db.maybeOne<User>(sql`
    select ${columns} from ${users} where u.id = ${id}`)
}

export async function findUserByEmail(db: Runner, email: string): Promise<User | undefined> {
  return db.maybeOne<User>(sql`
    select ${columns} from ${users} where u.email = ${email}`)
}

/** Every operator there has been, by name: what one of them did stays when the account is disabled. */
export async function listOperators(db: Runner): Promise<{ id: string; name: string; isDisabled: boolean }[]> {
  return db.rows(sql`
    select id, full_name as name, disabled_at is not null as is_disabled from users where role = 'admin' order by full_name, id`)
}

/** Makes an operator: a user without the fields of a student. */
export async function insertAdmin(
  tx: Tx,
  user: { id: string; fullName: string; email: string; passwordHash: string },
): Promise<void> {
  await tx.rows(sql`
    insert into users (id, full_name, email, password_hash, role)
    values (${user.id}, ${user.fullName}, ${user.email}, ${user.passwordHash}, 'admin')`)
}

/** A user, locked until the transaction ends: no other transaction changes the account or signs in meanwhile. */
export async function lockUser(tx: Tx, id: string): Promise<LockedUser | undefined> {
  return tx.maybeOne<LockedUser>(sql`select ${heldColumns} from users where id = ${id} for no key update`)
}

export async function lockUserByEmail(tx: Tx, email: string): Promise<LockedUser | undefined> {
  return tx.maybeOne<LockedUser>(sql`select ${heldColumns} from users where email = ${email} for no key update`)
}

/**
 * A user who may sign in, locked so that a change of the password, the role or the account waits, and then also ends the session
 * that is being opened. With `passwordHash`: only while the hash is unchanged.
 */
export async function lockForSignIn(tx: Tx, id: string, passwordHash?: string): Promise<LockedUser | undefined> {
  return tx.maybeOne<LockedUser>(sql`
    select ${heldColumns} from users
    where id = ${id} and disabled_at is null
      and (${passwordHash ?? null}::text is null or password_hash = ${passwordHash ?? null}::text)
    for share`)
}

export async function setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
  await tx.rows(sql`update users set password_hash = ${passwordHash}, updated_at = clock_now() where id = ${id}`)
}

/** Payouts of the person wait from now on, for the configured time. */
export async function notePasswordReset(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`update users set password_reset_at = clock_now() where id = ${id}`)
}

export async function setEmailVerified(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`
    update users set email_verified_at = coalesce(email_verified_at, clock_now()), updated_at = clock_now() where id = ${id}`)
}

/** Sets an address that its code has verified. Payouts of the person wait from now on; violates `users_email_unique`. */
export async function setEmail(tx: Tx, id: string, email: string): Promise<void> {
  await tx.rows(sql`
    update users set email = ${email}, email_verified_at = clock_now(), contact_changed_at = clock_now(), updated_at = clock_now()
    where id = ${id}`)
}

/** Payouts of the person wait from now on; violates `users_phone_unique`. */
export async function setPhoneNumber(tx: Tx, id: string, phoneNumber: string): Promise<void> {
  await tx.rows(sql`
    update users set phone_number = ${phoneNumber}, contact_changed_at = clock_now(), updated_at = clock_now() where id = ${id}`)
}

export async function isEmailTaken(db: Runner, email: string): Promise<boolean> {
  return (await db.rows(sql`select 1 from users where email = ${email}`)).length > 0
}

/** Whether a mail about a registration or a change with this person's data is due: at most one a day. Marks it as sent; returns the address. */
export async function claimRegistrationMail(
  tx: Tx,
  known: { email: string | null; phoneNumber: string | null },
): Promise<string | undefined> {
  return tx.maybeValue<string>(sql`
    update users set registration_mailed_at = clock_now()
    where (email = ${known.email} or phone_number = ${known.phoneNumber}) and disabled_at is null
      and (registration_mailed_at is null or registration_mailed_at <= clock_now() - interval '1 day')
    returning email`)
}

export async function isEmailVerified(db: Runner, id: string): Promise<boolean> {
  const [row] = await db.rows<{ isVerified: boolean }>(sql`
    select email_verified_at is not null as is_verified from users where id = ${id}`)
  return row?.isVerified ?? false
}

export async function makeAdmin(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`update users set role = 'admin', updated_at = clock_now() where id = ${id}`)
}

/** No sign-in and no key of the person works until the account is enabled again. */
export async function disableUser(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`update users set disabled_at = coalesce(disabled_at, clock_now()), updated_at = clock_now() where id = ${id}`)
}

export async function enableUser(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`update users set disabled_at = null, updated_at = clock_now() where id = ${id}`)
}

export type Credentials = { userId: string; role: Role; passwordHash: string; isDisabled: boolean }

/** The credentials for an e-mail address or a phone number; null for the one that was not given. */
export async function findCredentials(
  db: Runner,
  identifier: { email: string | null; phoneNumber: string | null },
): Promise<Credentials | undefined> {
  return db.maybeOne<Credentials>(sql`
    select id as user_id, role, password_hash, disabled_at is not null as is_disabled from users
    where email = ${identifier.email} or phone_number = ${identifier.phoneNumber}`)
}

export async function findPasswordHash(db: Runner, userId: string): Promise<string | undefined> {
  return db.maybeValue<string>(sql`select password_hash from users where id = ${userId}`)
}

/** The mail address of an existing user. */
export async function emailOfUser(db: Runner, userId: string): Promise<string> {
  return db.value<string>(sql`select email from users where id = ${userId}`)
}

/** Replaces a password's hash; returns false, and changes nothing, when it has changed since it was read. */
export async function replacePasswordHash(db: Runner, userId: string, oldHash: string, newHash: string): Promise<boolean> {
  return db.any(sql`
    update users set password_hash = ${newHash} where id = ${userId} and password_hash = ${oldHash} returning id`)
}

export async function updateUser(
  tx: Tx,
  id: string,
  { fullName, studentId, institution }: Pick<User, 'fullName' | 'studentId' | 'institution'>,
): Promise<void> {
  await tx.rows(sql`
    update users set full_name = ${fullName}, student_id = ${studentId}, institution = ${institution}, updated_at = clock_now()
    where id = ${id}`)
}

/** Replaces a person with a pseudonym: it cannot sign in, and the row contains no personal data any more. */
export async function pseudonymiseUser(tx: Tx, id: string, pseudonym: string): Promise<void> {
  await tx.rows(sql`
    update users set full_name = ${pseudonym}, email = ${`${pseudonym}@erased.invalid`}, phone_number = ${pseudonym}, student_id = ${pseudonym},
      institution = ${pseudonym}, password_hash = 'erased', email_verified_at = null, disabled_at = coalesce(disabled_at, clock_now()),
      updated_at = clock_now()
    where id = ${id}`)
}

/** The names of these people, and whether they are operators. */
export async function namesOfUsers(db: Runner, ids: string[]): Promise<Map<string, { name: string; isOperator: boolean }>> {
  const rows = await db.rows<{ id: string; name: string; isOperator: boolean }>(sql`
    select id, full_name as name, role = 'admin' as is_operator from users where id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, ...person }) => [id, person]))
}
