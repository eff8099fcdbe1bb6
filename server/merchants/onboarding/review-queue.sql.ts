/** The cases that wait for a decision, and the operators who claimed them. The only statements on `review_claims`. */
import type { VerificationStatus } from '../../domain/verification.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { joinMember } from '../../accounts/members/access.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

export type Claim = { reviewerId: string; reviewerName: string; claimedAt: Date }

export type WaitingCase = {
  merchantId: string
  kind: Merchant['kind']
  /** The user of a personal merchant, or the representative of a business. */
  userId: string
  name: string
  version: number
  submittedAt: Date
  ageSeconds: number
  reviewerId: string | null
  reviewerName: string | null
  claimedAt: Date | null
  /** The operator who reads the list is a member of it. */
  isOwn: boolean
}

export type WantedCases = {
  kind: Merchant['kind'] | null
  /** `none`: only unclaimed cases; an operator: only their cases; null: all. */
  claimedBy: 'none' | { reviewerId: string } | null
  /** Only cases that have waited longer than these hours; null: all. */
  waitedHours: number | null
  after: { submittedAt: string; merchantId: string } | null
  limit: number
}

/** Submitted cases without a decision, oldest first, one more than the limit, for one operator. */
export async function listWaiting(db: Runner, readerId: string, wanted: WantedCases): Promise<WaitingCase[]> {
  const { kind, claimedBy, waitedHours, after, limit } = wanted
  const reviewerId = claimedBy !== null && claimedBy !== 'none' ? claimedBy.reviewerId : null
  return db.rows<WaitingCase>(sql`
    select v.merchant_id, m.kind, m.user_id, coalesce(b.legal_name, u.full_name) as name, v.version, v.submitted_at,
      extract(epoch from clock_now() - v.submitted_at)::double precision as age_seconds,
      c.reviewer_id, r.full_name as reviewer_name, c.claimed_at,
      exists (select from merchants o ${joinMember(readerId, sql`o.id`)} where o.id = m.id) as is_own
    from verifications v
    join merchants m on m.id = v.merchant_id
    join users u on u.id = m.user_id
    left join businesses b on b.id = m.id
    left join review_claims c on c.merchant_id = v.merchant_id
    left join users r on r.id = c.reviewer_id
    where v.stage = 'submitted'
      and (${kind}::text is null or m.kind = ${kind}::text)
      and (${reviewerId}::uuid is null or c.reviewer_id = ${reviewerId}::uuid)
      ${claimedBy === 'none' ? sql`and c.reviewer_id is null` : sql``}
      ${waitedHours === null ? sql`` : sql`and v.submitted_at < clock_now() - make_interval(hours => ${waitedHours}::integer)`}
      ${after ? sql`and (v.submitted_at, v.merchant_id) > (${after.submittedAt}::timestamptz, ${after.merchantId}::uuid)` : sql``}
    order by v.submitted_at, v.merchant_id
    limit ${limit + 1}`)
}

export type QueueCounts = {
  kind: Merchant['kind']
  waiting: number
  claimed: number
  overdue: number
  oldestSubmittedAt: Date | null
}

/** The number of waiting cases, by kind; `overdue` have waited longer than these hours. */
export async function countWaiting(db: Runner, overdueHours: number): Promise<QueueCounts[]> {
  return db.rows<QueueCounts>(sql`
    select k.kind, count(v.merchant_id) as waiting, count(c.merchant_id) as claimed,
      count(*) filter (where v.submitted_at < clock_now() - make_interval(hours => ${overdueHours}::integer)) as overdue,
      min(v.submitted_at) as oldest_submitted_at
    from (values ('personal'), ('business')) as k (kind)
    left join (verifications v join merchants m on m.id = v.merchant_id) on v.stage = 'submitted' and m.kind = k.kind
    left join review_claims c on c.merchant_id = v.merchant_id
    group by k.kind`)
}

export type StatusCount = { kind: Merchant['kind']; status: VerificationStatus; count: number }

export async function countStatuses(db: Runner): Promise<StatusCount[]> {
  return db.rows<StatusCount>(sql`
    select kind, verification_status as status, count(*) as count from merchants group by kind, verification_status`)
}

export async function findClaim(db: Runner, merchantId: string): Promise<Claim | undefined> {
  return db.maybeOne<Claim>(sql`
    select c.reviewer_id, u.full_name as reviewer_name, c.claimed_at
    from review_claims c join users u on u.id = c.reviewer_id
    where c.merchant_id = ${merchantId}`)
}

/** Claims a case, unless it is already claimed; the caller has locked its review. */
export async function insertClaim(tx: Tx, merchantId: string, reviewerId: string): Promise<boolean> {
  return tx.any(sql`
    insert into review_claims (merchant_id, reviewer_id) values (${merchantId}, ${reviewerId})
    on conflict (merchant_id) do nothing
    returning merchant_id`)
}

/** Releases a case; returns the operator who had claimed it. */
export async function deleteClaim(tx: Tx, merchantId: string): Promise<string | undefined> {
  return tx.maybeValue<string>(sql`
    delete from review_claims where merchant_id = ${merchantId} returning reviewer_id`)
}
