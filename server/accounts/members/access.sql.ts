/** The only filter for what a person may act on: the active members of a merchant. Other folders join it to their own tables. */
import type { MemberRole } from '../../domain/member.ts'
import type { Merchant, Owner } from '../identity/merchant.ts'
import { merchantColumns } from '../identity/merchant.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'

/** Joins the active membership `x` of a person in the merchant with this id. A personal merchant has its person as its only member. */
export const joinMember = (userId: string, merchantId: Sql): Sql =>
  sql`join members x on x.merchant_id = ${merchantId} and x.user_id = ${userId} and x.removed_at is null`

/** The start of the day in Tanzania. */
const startOfToday = sql`date_trunc('day', clock_now() at time zone 'Africa/Dar_es_Salaam') at time zone 'Africa/Dar_es_Salaam'`

/** The condition on a time for an owner who may see only what was made today; otherwise none. */
export const seenBy = ({ seesOnlyToday }: Owner, createdAt: Sql): Sql =>
  seesOnlyToday ? sql`and ${createdAt} >= ${startOfToday}` : sql``

/** A role, and from when it uses its power in live; null: now. */
export type Holder = { role: MemberRole; powerFrom: Date | null }

/** Of the membership `x`. */
export const holder = sql`x.role, case when x.power_from > clock_now() and x.power_confirmed_at is null then x.power_from end as power_from`

/** A merchant, and the role of a person in it. */
export type Membership = Holder & { merchant: Merchant }

type Row = Merchant & Holder

const columns = sql`${merchantColumns(sql`m`)}, ${holder}`

const membershipOf = ({ role, powerFrom, ...merchant }: Row): Membership => ({ merchant, role, powerFrom })

/** Undefined for a merchant that does not exist, and for one that the person is no member of. */
export async function findMembership(db: Runner, userId: string, merchantId: string): Promise<Membership | undefined> {
  const [row] = await db.rows<Row>(sql`
    select ${columns} from merchants m ${joinMember(userId, sql`m.id`)} where m.id = ${merchantId}`)
  return row && membershipOf(row)
}

/** The same, locked against changes until the transaction ends: a removal that is answered later waits for it. */
export async function relyOnMembership(tx: Tx, userId: string, merchantId: string): Promise<Membership | undefined> {
  const [row] = await tx.rows<Row>(sql`
    select ${columns} from merchants m ${joinMember(userId, sql`m.id`)} where m.id = ${merchantId} for share of m, x`)
  return row && membershipOf(row)
}

/** The roles of these people in all their merchants: for many open streams at once. */
export async function listRolesOf(
  db: Runner,
  userIds: string[],
): Promise<{ userId: string; merchantId: string; role: MemberRole }[]> {
  return db.rows<{ userId: string; merchantId: string; role: MemberRole }>(sql`
    select x.user_id, x.merchant_id, x.role from members x where x.user_id = any (${userIds}::uuid[]) and x.removed_at is null`)
}

/** Whether a person is a member of a merchant, in any role. */
export async function isMember(db: Runner, userId: string, merchantId: string): Promise<boolean> {
  return (await findMembership(db, userId, merchantId)) !== undefined
}

export type Addressee = { userId: string; email: string; fullName: string }

/** The active members of a merchant with one of these roles, the longest-serving first. */
export async function listMembersWith(db: Runner, merchantId: string, roles: readonly MemberRole[]): Promise<Addressee[]> {
  return db.rows<Addressee>(sql`
    select u.id as user_id, u.email, u.full_name from members x join users u on u.id = x.user_id
    where x.merchant_id = ${merchantId} and x.role = any(${[...roles]}::text[]) and x.removed_at is null
    order by x.joined_at, x.id`)
}

/** The active owners of a merchant. */
export const listOwners = (db: Runner, merchantId: string): Promise<Addressee[]> => listMembersWith(db, merchantId, ['owner'])
