/** The only statements on `approval_requests` and `approval_votes`. */
import type { ApprovalKind, ApprovalStatus, ApprovalSum } from '../../domain/approval.ts'
import type { Environment } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { Owner } from '../identity/merchant.ts'
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { columnNames, recordset } from '../../platform/db/recordset.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { ApprovalRule } from './approval-rule.ts'

export type ApprovalRequest = {
  home: number
  /** That of the payout, refund or batch, or a separate one for a change of the rule. */
  id: string
  merchantId: string
  environment: Environment
  kind: ApprovalKind
  /** What a decision names. */
  version: number
  /** TZS; null for a change of the rule. */
  amount: number | null
  /** Why it waits: this sum of `exceededSum` TZS is above `exceededAbove`. Null: members were asked without need. */
  exceeded: ApprovalSum | null
  exceededSum: number | null
  exceededAbove: number | null
  /** How many other people must approve. */
  approvers: 1 | 2
  status: ApprovalStatus
  /** `usr_…` or `key_…`. */
  requestedBy: string
  /** The person behind it: for a key, the one who made it. */
  requestedByUser: string
  requesterName: string
  /** Who has changed rows of a batch. */
  editedBy: string[]
  newAbove: number | null
  newAboveTotal: number | null
  newApprovers: 1 | 2 | null
  /** Of a new role: the member or invitation, their person and name, the role, and the hash of the token that lets the requester confirm it. */
  memberId: string | null
  memberUserId: string | null
  memberName: string | null
  newRole: MemberRole | null
  tokenHash: Buffer | null
  reason: string | null
  createdAt: Date
  expiresAt: Date
  isOverdue: boolean
  /** The requester may still request payouts of this merchant. */
  isRequesterActive: boolean
}

const ofOwner = ({ merchant, environment }: Owner): Sql =>
  sql`r.home = ${merchant.home} and r.merchant_id = ${merchant.id} and r.environment = ${environment}`

const tables = sql`approval_requests r join users u on u.id = r.requested_by_user
    left join members y on y.id = r.member_id left join users z on z.id = y.user_id`

/** What a request has from its beginning on, and its owner. */
const newColumns = {
  id: 'uuid',
  kind: 'text',
  version: 'integer',
  amount: 'bigint',
  exceeded: 'text',
  exceededSum: 'bigint',
  exceededAbove: 'bigint',
  approvers: 'smallint',
  requestedBy: 'text',
  requestedByUser: 'uuid',
  newAbove: 'bigint',
  newAboveTotal: 'bigint',
  newApprovers: 'smallint',
  memberId: 'uuid',
  newRole: 'text',
  tokenHash: 'bytea',
} as const

/** `roles`: those whose members may request payouts. */
const columns = (roles: readonly MemberRole[]) => sql`
  r.home, r.merchant_id, r.environment, ${columnNames(newColumns, 'r')}, r.status, u.full_name as requester_name, y.user_id as member_user_id,
  coalesce(z.full_name, y.email) as member_name, coalesce((select b.edited_by from payout_batches b where b.home = r.home and b.id = r.id), '{}') as edited_by, r.reason, r.created_at, r.expires_at, r.expires_at <= clock_now() as is_overdue,
  exists (select from members x where u.disabled_at is null and x.merchant_id = r.merchant_id and x.user_id = r.requested_by_user
    and x.removed_at is null and x.role = any(${[...roles]}::text[])) as is_requester_active`

export type NewApproval = Pick<ApprovalRequest, keyof typeof newColumns> & { hours: number }

/** Returns whether nothing else of the wallet waited before. A second open change of the rule violates `approval_requests_one_rule_change`. */
export async function insertApproval(tx: Tx, { merchant, environment }: Owner, wanted: NewApproval): Promise<boolean> {
  return tx.value<boolean>(sql`
    insert into approval_requests (home, merchant_id, environment, expires_at, ${columnNames(newColumns)})
    select ${merchant.home}, ${merchant.id}, ${environment}, clock_now() + make_interval(hours => ${wanted.hours}::integer), n.*
    from ${recordset([wanted], 'n', newColumns)}
    returning not exists (select from approval_requests r
      where r.home = ${merchant.home} and r.merchant_id = ${merchant.id} and r.environment = ${environment} and r.status = 'waiting') as is_first`)
}

export async function findApproval(
  db: Runner,
  owner: Owner,
  id: string,
  roles: readonly MemberRole[],
): Promise<ApprovalRequest | undefined> {
  return db.maybeOne<ApprovalRequest>(sql`
    select ${columns(roles)} from ${tables} where ${ofOwner(owner)} and r.id = ${id}`)
}

/** Any request, locked until the transaction ends. What waits is locked before. */
export async function lockApproval(
  tx: Tx,
  key: { home: number; id: string },
  roles: readonly MemberRole[],
): Promise<ApprovalRequest | undefined> {
  return tx.maybeOne<ApprovalRequest>(sql`
    select ${columns(roles)} from ${tables}
    where r.home = ${key.home} and r.id = ${key.id} for no key update of r`)
}

/** Of what waits: neither requested, changed nor approved by this person, and not about their own role. */
const isOpenTo = (userId: string): Sql => sql`r.requested_by_user <> ${userId} and y.user_id is distinct from ${userId}::uuid
    and not exists (select from payout_batches b where b.home = r.home and b.id = r.id and ${userId}::uuid = any(b.edited_by))
    and not exists (select from approval_votes v where v.home = r.home and v.request_id = r.id and v.user_id = ${userId})`

/** What waits, newest first, one more than the limit. With `openTo`: only what this person, whose role may approve, can decide on. */
export async function listWaiting(
  db: Runner,
  owner: Owner,
  roles: readonly MemberRole[],
  { openTo, ...range }: ListRange & { openTo?: string | undefined },
): Promise<ApprovalRequest[]> {
  return db.rows<ApprovalRequest>(sql`
    select ${columns(roles)} from ${tables}
    where ${ofOwner(owner)} and r.status = 'waiting' ${openTo === undefined ? sql`` : sql`and ${isOpenTo(openTo)}`}
      ${newestFirst(range, sql`r`)}`)
}

/** The open change of an owner's rule. */
export async function findRuleChange(
  db: Runner,
  owner: Owner,
  roles: readonly MemberRole[],
): Promise<ApprovalRequest | undefined> {
  return db.maybeOne<ApprovalRequest>(sql`
    select ${columns(roles)} from ${tables}
    where ${ofOwner(owner)} and r.kind = 'rule_change' and r.status = 'waiting'`)
}

/** The newest request for a role of a member or invitation. */
export async function findLastRoleRequest(
  tx: Tx,
  merchant: { home: number },
  memberId: string,
): Promise<Pick<ApprovalRequest, 'status' | 'newRole'> | undefined> {
  return tx.maybeOne<Pick<ApprovalRequest, 'status' | 'newRole'>>(sql`
    select r.status, r.new_role from approval_requests r
    where r.home = ${merchant.home} and r.member_id = ${memberId} order by r.created_at desc, r.id desc limit 1`)
}

/** What waits for a role of a member ends: they get another one, or leave. */
export async function withdrawRoleRequest(tx: Tx, merchant: { home: number }, memberId: string): Promise<void> {
  await tx.rows(sql`
    update approval_requests r set status = 'withdrawn', decided_at = clock_now()
    where r.home = ${merchant.home} and r.member_id = ${memberId} and r.status = 'waiting'`)
}

/** Joins what waits for the role of the membership `x`, with these columns. */
export const joinWaitingRole = sql`left join merchants h on h.id = x.merchant_id
    left join approval_requests w on w.home = h.home and w.member_id = x.id and w.status = 'waiting'`
export const waitingRole = sql`w.id as role_request_id, w.new_role as wanted_role`

export type Vote = { requestId: string; userId: string; name: string; at: Date }

/** Who has approved these requests, of the people who still may, oldest first. `roles`: those that may approve. */
export async function listVotes(db: Runner, home: number, ids: string[], roles: readonly MemberRole[]): Promise<Vote[]> {
  return db.rows<Vote>(sql`
    select v.request_id, v.user_id, u.full_name as name, v.at
    from approval_votes v
    join approval_requests r on r.home = v.home and r.id = v.request_id
    join users u on u.id = v.user_id
    where v.home = ${home} and v.request_id = any(${ids}::uuid[])
      and (r.status <> 'waiting' or exists (select from members x where u.disabled_at is null and x.merchant_id = r.merchant_id and x.user_id = v.user_id and x.removed_at is null
        and x.role = any(${[...roles]}::text[])))
    order by v.at, v.user_id`)
}

/** Whether the vote is new: a person approves once. */
export async function insertVote(tx: Tx, request: ApprovalRequest, userId: string): Promise<boolean> {
  return tx.any(sql`
    insert into approval_votes (home, request_id, requested_by_user, user_id)
    values (${request.home}, ${request.id}, ${request.requestedByUser}, ${userId})
    on conflict do nothing returning 1`)
}

/** Ends a request that this transaction has locked. */
export async function endApproval(
  tx: Tx,
  key: { home: number; id: string },
  status: Exclude<ApprovalStatus, 'waiting'>,
  reason: string | null = null,
): Promise<void> {
  await tx.rows(sql`
    update approval_requests set status = ${status}, reason = ${reason}, decided_at = clock_now()
    where home = ${key.home} and id = ${key.id} and status = 'waiting'`)
}

/** A stricter rule holds for what waits, too: a waiting change of the rule ends, and larger amounts need as many approvals as the rule. */
export async function followStricterRule(tx: Tx, owner: Owner, rule: ApprovalRule): Promise<void> {
  await tx.rows(sql`
    update approval_requests r set status = 'withdrawn', decided_at = clock_now()
    where ${ofOwner(owner)} and r.status = 'waiting' and r.kind = 'rule_change'`)
  await tx.rows(sql`
    update approval_requests r set approvers = ${rule.approvers}
    where ${ofOwner(owner)} and r.status = 'waiting' and r.approvers < ${rule.approvers}
      and (greatest(r.amount, r.exceeded_sum) > ${rule.above} or r.exceeded_sum > ${rule.aboveTotal})`)
}

/** A waiting request needs at least as many approvals, for this sum. Those that were given still count. */
export async function raiseApproval(
  tx: Tx,
  key: { home: number; id: string },
  { approvers, exceeded }: { approvers: 1 | 2; exceeded: { sum: ApprovalSum; total: number; above: number } },
): Promise<void> {
  await tx.rows(sql`
    update approval_requests
    set approvers = ${approvers}, exceeded = ${exceeded.sum}, exceeded_sum = ${exceeded.total}, exceeded_above = ${exceeded.above}
    where home = ${key.home} and id = ${key.id} and status = 'waiting' and approvers < ${approvers}`)
}

/** What a member approved while they might does not count any more, also after they are back. */
export async function dropVotesOf(tx: Tx, merchant: { id: string; home: number }, userId: string): Promise<void> {
  await tx.rows(sql`
    delete from approval_votes v using approval_requests r
    where r.home = ${merchant.home} and r.merchant_id = ${merchant.id} and r.status = 'waiting'
      and v.home = r.home and v.request_id = r.id and v.user_id = ${userId}`)
}

/** Removes a waiting request with its votes: what waited can be changed, and sent for approval again. Returns when it was requested. */
export async function withdrawApproval(tx: Tx, key: { home: number; id: string }): Promise<Date | null> {
  await tx.rows(sql`delete from approval_votes where home = ${key.home} and request_id = ${key.id}`)
  const [row] = await tx.rows<{ createdAt: Date }>(sql`
    delete from approval_requests where home = ${key.home} and id = ${key.id} and status = 'waiting' returning created_at`)
  return row?.createdAt ?? null
}

/** What waits has changed without its requester, so earlier approvals were given to something else. */
export async function renewApproval(
  tx: Tx,
  key: { home: number; id: string },
  now: { version: number; amount: number },
): Promise<void> {
  await tx.rows(sql`
    with renewed as (
      update approval_requests set version = ${now.version}, amount = ${now.amount}
      where home = ${key.home} and id = ${key.id} and status = 'waiting'
      returning home, id
    )
    delete from approval_votes v using renewed r where v.home = r.home and v.request_id = r.id`)
}

/** Requests of these kinds that no one can approve any more, the oldest first. */
export async function listEnded(
  db: Runner,
  kinds: readonly ApprovalKind[],
  roles: readonly MemberRole[],
  limit: number,
  canEnd: Sql = sql`true`,
): Promise<ApprovalRequest[]> {
  return db.rows<ApprovalRequest>(sql`
    select ${columns(roles)} from ${tables}
    where r.status = 'waiting' and r.kind = any(${[...kinds]}::text[]) and ${canEnd}
      and (r.expires_at <= clock_now() or not exists (select from members x
        where u.disabled_at is null and x.merchant_id = r.merchant_id and x.user_id = r.requested_by_user and x.removed_at is null
          and x.role = any(${[...roles]}::text[])))
    order by r.expires_at
    limit ${limit}`)
}

/** Removes the reasons that members gave about payouts to this phone: they may name its person. */
export async function eraseReasonsAbout(tx: Tx, phoneNumber: string): Promise<void> {
  await tx.rows(sql`
    update approval_requests r set reason = null
    from payouts p where p.phone_number = ${phoneNumber} and r.home = p.home and r.id = p.id and r.reason is not null`)
}

/** Moves the ends of waiting requests together with a clock that was set back by this many seconds. */
export async function moveApprovalTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update approval_requests set expires_at = ${moved(sql`expires_at`, seconds)} where status = 'waiting'`)
}
