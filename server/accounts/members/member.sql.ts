/** The statements that write `members`, and the lists of them. */
import type { MemberRole } from '../../domain/member.ts'
import type { Merchant } from '../identity/merchant.ts'
import { merchantColumns } from '../identity/merchant.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import { holder, joinMember } from './access.sql.ts'
import { joinWaitingRole, waitingRole } from './approval.sql.ts'
import type { Member } from './member.ts'

const status = sql`case when x.removed_at is not null then 'removed' when x.user_id is not null then 'active'
  when x.invitation_expires_at <= clock_now() then 'expired' else 'invited' end`

const columns = sql`x.id, x.merchant_id, x.user_id, ${holder}, ${status} as status, u.full_name as name, coalesce(u.email, x.email, '') as email, x.invited_by,
  i.full_name as inviter_name, x.invitation_expires_at, x.joined_at, x.created_at, ${waitingRole}`

const tables = sql`members x left join users u on u.id = x.user_id left join users i on i.id = x.invited_by ${joinWaitingRole}`

/** The active members and the invitations of a merchant, newest first, one more than the limit. */
export async function listMembers(db: Runner, merchantId: string, range: ListRange): Promise<Member[]> {
  return db.rows<Member>(sql`
    select ${columns} from ${tables}
    where x.merchant_id = ${merchantId} and x.removed_at is null
      ${newestFirst(range, sql`x`)}`)
}

/** A member or an invitation of a merchant that was not removed. */
export async function findMember(db: Runner, merchantId: string, id: string): Promise<Member | undefined> {
  return db.maybeOne<Member>(sql`
    select ${columns} from ${tables} where x.merchant_id = ${merchantId} and x.id = ${id} and x.removed_at is null`)
}

/** The same, locked until the transaction ends: requests of the member that have confirmed their access finish first. */
export async function lockMember(tx: Tx, merchantId: string, id: string): Promise<Member | undefined> {
  return tx.maybeOne<Member>(sql`
    select ${columns} from ${tables} where x.merchant_id = ${merchantId} and x.id = ${id} and x.removed_at is null for update of x`)
}

/** The active member, or the invitation, with this address; the caller has locked the merchant. */
export async function findByAddress(tx: Tx, merchantId: string, email: string): Promise<Member | undefined> {
  return tx.maybeOne<Member>(sql`
    select ${columns} from ${tables}
    where x.merchant_id = ${merchantId} and x.removed_at is null and (u.email = ${email} or (x.user_id is null and x.email = ${email}))
    order by x.user_id is null
    limit 1`)
}

/** The names of these members, also of removed ones; of an invited person the address. */
export async function namesOfMembers(db: Runner, merchantId: string, ids: string[]): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; name: string | null }>(sql`
    select x.id, coalesce(u.full_name, x.email) as name from members x left join users u on u.id = x.user_id
    where x.merchant_id = ${merchantId} and x.id = any(${ids}::uuid[])`)
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
}

export type MemberCounts = { members: number; invitations: number }

export async function countMembers(tx: Tx, merchantId: string): Promise<MemberCounts> {
  return tx.one<MemberCounts>(sql`
    select count(*) filter (where user_id is not null) as members,
      count(*) filter (where invitation_expires_at > clock_now()) as invitations
    from members where merchant_id = ${merchantId} and removed_at is null`)
}

export type Invitation = {
  id: string
  merchantId: string
  email: string
  role: MemberRole
  tokenHash: Buffer
  invitedBy: string
  days: number
}

export async function insertInvitation(tx: Tx, one: Invitation): Promise<void> {
  await tx.rows(sql`
    insert into members (id, merchant_id, role, email, token_hash, invited_by, invitation_expires_at)
    values (${one.id}, ${one.merchantId}, ${one.role}, ${one.email}, ${one.tokenHash}, ${one.invitedBy}, clock_now() + make_interval(days => ${one.days}::integer))`)
}

/** Replaces the token of an invitation that this transaction has found under the lock of its merchant: the one that was mailed before does not work any more. */
export async function renewInvitation(
  tx: Tx,
  id: string,
  one: Pick<Invitation, 'role' | 'tokenHash' | 'invitedBy' | 'days'>,
): Promise<void> {
  await tx.rows(sql`
    update members set role = ${one.role}, token_hash = ${one.tokenHash}, invited_by = ${one.invitedBy},
      invitation_expires_at = clock_now() + make_interval(days => ${one.days}::integer), updated_at = clock_now()
    where id = ${id}`)
}

export type OpenInvitation = Member & { businessName: string }

/** The invitation of a token that can still be accepted. */
export async function findInvitation(db: Runner, tokenHash: Buffer): Promise<OpenInvitation | undefined> {
  return db.maybeOne<OpenInvitation>(sql`
    select ${columns}, m.display_name as business_name from ${tables} join merchants m on m.id = x.merchant_id
    where x.token_hash = ${tokenHash} and x.invitation_expires_at > clock_now()`)
}

/** Turns an invitation that this transaction has locked into a member; its address and token are not needed any more. */
export async function joinAsMember(tx: Tx, id: string, userId: string): Promise<void> {
  await tx.rows(sql`
    update members set user_id = ${userId}, joined_at = clock_now(), updated_at = clock_now(), token_hash = null, email = null, invitation_expires_at = null
    where id = ${id}`)
}

/** The role uses its power in live only after these hours. */
export async function startPowerWait(tx: Tx, id: string, hours: number): Promise<void> {
  await tx.rows(sql`
    update members set power_from = clock_now() + make_interval(hours => ${hours}::integer), power_confirmed_at = null where id = ${id}`)
}

export async function endPowerWait(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`update members set power_confirmed_at = clock_now(), updated_at = clock_now() where id = ${id}`)
}

/** When the wait of a person ends, also if another owner has confirmed them; undefined: it is over. */
export async function findUnservedWait(tx: Tx, merchantId: string, userId: string): Promise<Date | undefined> {
  return tx.maybeValue<Date>(sql`
    select x.power_from from members x
    where x.merchant_id = ${merchantId} and x.user_id = ${userId} and x.removed_at is null and x.power_from > clock_now()`)
}

export async function setRole(tx: Tx, id: string, role: MemberRole): Promise<void> {
  await tx.rows(sql`update members set role = ${role}, updated_at = clock_now() where id = ${id}`)
}

/** Ends a membership, or cancels an invitation. */
export async function markRemoved(tx: Tx, id: string, by: string | null): Promise<void> {
  await tx.rows(sql`
    update members set removed_at = clock_now(), removed_by = ${by}, updated_at = clock_now(), token_hash = null, email = null, invitation_expires_at = null
    where id = ${id}`)
}

/** Cancels an invitation as this role, which others have refused, or not approved in time; a member stays, and so does an invitation as another role. */
export async function endInvitationAs(tx: Tx, id: string, role: MemberRole): Promise<void> {
  await tx.rows(sql`
    update members set removed_at = clock_now(), updated_at = clock_now(), token_hash = null, email = null, invitation_expires_at = null
    where id = ${id} and user_id is null and role = ${role}`)
}

/** The active owner of a merchant that has been one for longest, except this person. */
export async function findOtherOwner(tx: Tx, merchantId: string, userId: string): Promise<string | undefined> {
  return tx.maybeValue<string>(sql`
    select x.user_id from members x join users u on u.id = x.user_id
    where x.merchant_id = ${merchantId} and x.role = 'owner' and x.removed_at is null and u.disabled_at is null and x.user_id <> ${userId}
    order by x.joined_at, x.id limit 1`)
}

export type OwnMembership = {
  memberId: string
  merchantId: string
  name: string
  status: string
  role: MemberRole
  powerFrom: Date | null
  joinedAt: Date
}

/** The businesses that a person is a member of, the first one first, at most `limit`. */
export async function listMemberships(db: Runner, userId: string, limit: number): Promise<OwnMembership[]> {
  return db.rows<OwnMembership>(sql`
    select x.id as member_id, m.id as merchant_id, m.display_name as name, m.verification_status as status, ${holder}, x.joined_at
    from members x join merchants m on m.id = x.merchant_id
    where x.user_id = ${userId} and x.removed_at is null and m.kind = 'business'
    order by x.joined_at, x.id
    limit ${limit}`)
}

/** Ends the open invitations of these roles that a person has made; returns how many. */
export async function endInvitationsBy(
  tx: Tx,
  merchantId: string,
  userId: string,
  roles: readonly MemberRole[],
): Promise<number> {
  return tx.rowCount(sql`
    update members set removed_at = clock_now(), updated_at = clock_now(), token_hash = null, email = null, invitation_expires_at = null
    where merchant_id = ${merchantId} and invited_by = ${userId} and user_id is null and removed_at is null and role = any(${[...roles]}::text[])
    returning id`)
}

/**
 * Removes invitations that were cancelled, or could be accepted until, this many days ago; returns how many, at most `limit`.
 * The rows are locked and read again before they go, so that one that was renewed or accepted meanwhile stays.
 */
export async function pruneInvitations(db: Runner, days: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    with ended as materialized (
      select id from members
      where user_id is null and coalesce(removed_at, invitation_expires_at) < clock_now() - make_interval(days => ${days}::integer)
      order by coalesce(removed_at, invitation_expires_at) limit ${limit}
      for update skip locked
    )
    delete from members where id in (select id from ended) and user_id is null
    returning id`)
}

/** Removes the invitations to an address whose person is erased. */
export async function deleteInvitationsTo(tx: Tx, email: string): Promise<void> {
  await tx.rows(sql`delete from members where user_id is null and email = ${email}`)
}

/** The merchants that a person is a member of, businesses before their own, locked until the transaction ends; foreign key checks pass. */
export async function lockMerchantsOfMember(tx: Tx, userId: string): Promise<Merchant[]> {
  return tx.rows<Merchant>(sql`
    select ${merchantColumns(sql`m`)} from merchants m ${joinMember(userId, sql`m.id`)}
    order by m.kind, m.id for no key update of m`)
}

/** The active memberships of a person. */
export async function listMembershipsOf(tx: Tx, userId: string): Promise<{ id: string; merchantId: string; role: MemberRole }[]> {
  return tx.rows<{ id: string; merchantId: string; role: MemberRole }>(sql`
    select id, merchant_id, role from members where user_id = ${userId} and removed_at is null order by merchant_id`)
}

/** Ends the memberships of everyone but this person in these merchants, and deletes their invitations. */
export async function removeOthers(tx: Tx, merchantIds: string[], userId: string): Promise<void> {
  await tx.rows(sql`
    with invitations as (delete from members where merchant_id = any(${merchantIds}::uuid[]) and user_id is null)
    update members set removed_at = clock_now(), updated_at = clock_now()
    where merchant_id = any(${merchantIds}::uuid[]) and user_id <> ${userId} and removed_at is null`)
}
