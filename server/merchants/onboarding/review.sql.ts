/**
 * The only statements on `verifications`, `submitted_documents` and `verification_history`. A statement of identity writes the
 * status of a merchant, in the same transaction.
 */
import type { Decision, VerificationStatus } from '../../domain/verification.ts'
import { environments } from '../../domain/environment.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { eventData, recordEvents } from '../webhooks/event.sql.ts'
import type { HistoryEntry, Problem, Review } from './review.ts'
import { recordset } from '../../platform/db/recordset.ts'

// A merchant without any submission has no row: it is a draft.
const columns = sql`
  m.id as merchant_id, m.verification_status as status, coalesce(v.stage, 'draft') as stage, coalesce(v.version, 0) as version,
  v.rejection_reason, v.problems, v.submitted_at, v.decided_at, v.verified_at`

export async function insertVerification(tx: Tx, merchantId: string): Promise<void> {
  await tx.rows(sql`insert into verifications (merchant_id) values (${merchantId}) on conflict (merchant_id) do nothing`)
}

export async function findReviews(runner: Runner, merchantIds: string[]): Promise<Review[]> {
  return runner.rows<Review>(sql`
    select ${columns} from merchants m left join verifications v on v.merchant_id = m.id
    where m.id = any(${merchantIds}::uuid[])`)
}

/**
 * The review and its merchant, locked until the transaction ends, so that submissions, changes and decisions run one after the
 * other. Foreign key checks pass the lock, so the merchant's payments continue.
 */
export async function lockReview(tx: Tx, merchantId: string): Promise<Review | undefined> {
  return tx.maybeOne<Review>(sql`
    select ${columns} from merchants m join verifications v on v.merchant_id = m.id
    where m.id = ${merchantId}
    for no key update of m, v`)
}

export async function markSubmitted(tx: Tx, merchantId: string, version: number): Promise<void> {
  await tx.rows(sql`
    update verifications set stage = 'submitted', version = ${version}, rejection_reason = null, problems = null, submitted_at = clock_now(),
      decided_at = null, verified_at = null
    where merchant_id = ${merchantId}`)
}

export async function setReviewVersion(tx: Tx, merchantId: string, version: number): Promise<void> {
  await tx.rows(sql`update verifications set version = ${version} where merchant_id = ${merchantId}`)
}

/** Records a decision, and the events of a business: one in each environment, because the two share no webhooks. */
export async function markDecided(
  tx: Tx,
  merchantId: string,
  decided: { version: number; status: Decision; reason: string | null; problems: readonly Problem[] },
): Promise<void> {
  const { version, status, reason, problems } = decided
  const listed = problems.length === 0 ? null : JSON.stringify(problems)
  const [row] = await tx.rows<{ hasDueDeliveries: boolean }>(sql`
    with decided as (
      update verifications set stage = 'decided', version = ${version}, decided_at = clock_now(),
        rejection_reason = ${status === 'rejected' ? reason : null}::text,
        problems = ${listed}::jsonb,
        verified_at = case when ${status} = 'verified' then clock_now() end
      where merchant_id = ${merchantId}
      returning merchant_id, version, decided_at
    ),
    ${recordEvents(sql`
      select m.home, event_id(m.home, t.type || ':' || v.environment || ':' || d.version, m.id) as id, t.type, m.id as merchant_id, v.environment,
        null::uuid as payment_id, null::uuid as payout_id, d.version as occurrence,
        ${eventData(sql`
          select wire_id('biz', m.id) as id, ${status}::text as status, wire_time(d.decided_at) as decided_at,
            wire_time(d.decided_at) as updated_at`)} as data
      from decided d
      join merchants m on m.id = d.merchant_id and m.kind = 'business'
      cross join (select 'business.' || ${status}::text as type) t
      cross join unnest(${[...environments]}::text[]) as v (environment)`)}
    select exists (select from enqueued_deliveries) as has_due_deliveries`)
  if (row!.hasDueDeliveries) await notifyAfterCommit(tx, [webhooksDue])
}

export type PinnedDocument = { id: string; purpose: string; sha256: Buffer }

const documentColumns = { purpose: 'text', id: 'uuid', sha256: 'bytea' } as const

export async function replaceSubmittedDocuments(tx: Tx, merchantId: string, documents: PinnedDocument[]): Promise<void> {
  await tx.rows(sql`delete from submitted_documents where merchant_id = ${merchantId}`)
  await tx.rows(sql`
    insert into submitted_documents (merchant_id, purpose, document_id, sha256)
    select ${merchantId}, purpose, id, sha256
    from ${recordset(documents, 'pinned', documentColumns)}`)
}

export type SubmittedDocument = { merchantId: string; purpose: string; documentId: string }

export async function submittedDocumentIds(runner: Runner, merchantIds: string[]): Promise<SubmittedDocument[]> {
  return runner.rows<SubmittedDocument>(sql`
    select merchant_id, purpose, document_id from submitted_documents where merchant_id = any(${merchantIds}::uuid[])`)
}

export type NewHistoryEntry = {
  merchantId: string
  version: number
  action: HistoryEntry['action']
  fromStatus: VerificationStatus
  toStatus: VerificationStatus
  reason: string | null
  /** The submitted package, as JSON. */
  package: string | null
  actorUserId: string | null
  requestId: string
}

export async function insertHistory(tx: Tx, entry: NewHistoryEntry): Promise<void> {
  await tx.rows(sql`
    insert into verification_history (merchant_id, version, action, from_status, to_status, reason, package, actor_user_id, request_id)
    values (${entry.merchantId}, ${entry.version}, ${entry.action}, ${entry.fromStatus}, ${entry.toStatus}, ${entry.reason},
      ${entry.package}::jsonb, ${entry.actorUserId}, ${entry.requestId})`)
}

/** The newest submitted or changed data, as JSON; every case under review has some. */
export async function readLastPackage(tx: Tx, merchantId: string): Promise<string> {
  return tx.value<string>(sql`
    select package::text as package from verification_history
    where merchant_id = ${merchantId} and package is not null order by version desc limit 1`)
}

export async function wasEverVerified(runner: Runner, merchantId: string): Promise<boolean> {
  return runner.any(sql`
    select 1 from verification_history where merchant_id = ${merchantId} and action = 'verified' limit 1`)
}

/** Every submission and decision of a review, and its latest changes, newest first. */
export async function readHistory(runner: Runner, merchantId: string): Promise<HistoryEntry[]> {
  return runner.rows<HistoryEntry>(sql`
    select h.version, h.action, h.from_status, h.to_status, h.reason, h.package, h.actor_user_id, u.full_name as actor_name, h.at
    from (
      select *, row_number() over (partition by action = 'changed' order by version desc) as place
      from verification_history where merchant_id = ${merchantId}
    ) h
    left join users u on u.id = h.actor_user_id
    where h.action <> 'changed' or h.place <= 50
    order by h.version desc`)
}

/** The wire ids of all documents that these merchants have ever submitted. */
export async function everSubmitted(runner: Runner, merchantIds: string[]): Promise<Set<string>> {
  const rows = await runner.rows<{ id: string }>(sql`
    select distinct d.value ->> 'id' as id
    from verification_history h cross join lateral jsonb_array_elements(h.package -> 'documents') d
    where h.merchant_id = any(${merchantIds}::uuid[]) and jsonb_typeof(h.package -> 'documents') = 'array'`)
  return new Set(rows.map(({ id }) => id))
}

/** Removes the quoted data from the history of an erased account, and its papers; the database refuses while the law requires them. */
export async function eraseIdentification(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`select erase_identification(${userId})`)
}
