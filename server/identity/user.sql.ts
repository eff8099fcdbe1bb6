/** The only statements on `users`. A user is always read with the verification status of the personal merchant, which has the same id. */
import { sql, type Runner, type Tx } from '../platform/db.ts'
import type { Role, User } from './user.ts'

const columns = sql`
  u.id, u.full_name, u.email, u.phone_number, u.student_id, u.institution, u.role, m.verification_status as kyc_status,
  u.created_at, u.updated_at`

export type NewUser = Pick<User, 'id' | 'fullName' | 'email' | 'phoneNumber' | 'studentId' | 'institution'> & {
  passwordHash: string
}

export async function insertUser(tx: Tx, user: NewUser): Promise<void> {
  await tx.rows(sql`
    insert into users (id, full_name, email, phone_number, password_hash, student_id, institution)
    values (${user.id}, ${user.fullName}, ${user.email}, ${user.phoneNumber}, ${user.passwordHash}, ${user.studentId},
      ${user.institution})`)
}

export async function findUser(db: Runner, id: string): Promise<User | undefined> {
  const [user] = await db.rows<User>(sql`
    select ${columns} from users u join merchants m on m.id = u.id where u.id = ${id}`)
  return user
}

export async function findUserByEmail(db: Runner, email: string): Promise<User | undefined> {
  const [user] = await db.rows<User>(sql`
    select ${columns} from users u join merchants m on m.id = u.id where u.email = ${email}`)
  return user
}

export type Credentials = { userId: string; role: Role; passwordHash: string; isDisabled: boolean }

/** The credentials behind an e-mail address or a phone number; null stands for the one that was not given. */
export async function findCredentials(
  db: Runner,
  identifier: { email: string | null; phoneNumber: string | null },
): Promise<Credentials | undefined> {
  const [credentials] = await db.rows<Credentials>(sql`
    select id as user_id, role, password_hash, disabled_at is not null as is_disabled from users
    where email = ${identifier.email} or phone_number = ${identifier.phoneNumber}`)
  return credentials
}

/** Replaces a password's hash unless it has changed since it was read. */
export async function replacePasswordHash(db: Runner, userId: string, oldHash: string, newHash: string): Promise<void> {
  await db.rows(sql`
    update users set password_hash = ${newHash} where id = ${userId} and password_hash = ${oldHash}`)
}

export async function updateUser(tx: Tx, id: string, changes: { fullName: string; institution: string }): Promise<void> {
  await tx.rows(sql`
    update users set full_name = ${changes.fullName}, institution = ${changes.institution}, updated_at = clock_now()
    where id = ${id}`)
}
