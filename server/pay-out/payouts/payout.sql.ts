/** The only access to payouts and provider_payouts. Every read of a merchant's payout takes its owner. */
import type {
  Approval,
  PayoutFailureCode,
  PayoutOrderState,
  PayoutPurpose,
  PayoutStatus,
  PayoutWarning,
} from '../../domain/payout.ts'
import type { ApproversOfPayout } from '../../domain/approval.ts'
import type { Environment } from '../../domain/environment.ts'
import type { MerchantKind } from '../../domain/merchant.ts'
import type { Network } from '../../domain/network.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { earlier, isClockBehind, moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { holdsFolded, holdsText } from '../../platform/db/holds-text.sql.ts'
import { columnNames, recordset } from '../../platform/db/recordset.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import { isComparing, restoreDoubt, type RestoreDoubt } from '../../money/controls/restore.sql.ts'
import { isPaidByDecision } from '../../money/breaks/break.sql.ts'
import { paidTo } from '../recipients/recipient.sql.ts'
import { isOnHold } from './hold.sql.ts'
import type { LateSuccess, Payout } from './payout.ts'
import { recordPayoutEvents } from './payout-event.sql.ts'

/** What a payout has from its request on. */
const requestedColumns = {
  home: 'smallint',
  id: 'uuid',
  merchantId: 'uuid',
  purpose: 'text',
  method: 'text',
  breakId: 'uuid',
  refundOf: 'uuid',
  reason: 'text',
  batchId: 'uuid',
  batchRow: 'integer',
  environment: 'text',
  amount: 'bigint',
  fee: 'bigint',
  phoneNumber: 'text',
  recipientName: 'text',
  network: 'text',
  narration: 'text',
  reference: 'text',
  metadata: 'jsonb',
  approval: 'text',
  approvalBy: 'text',
  requestedBy: 'text',
  requestId: 'text',
  traceId: 'uuid',
} as const

/** What is stored with it and never read as a part of it. */
const hashColumns = { idempotencyHash: 'bytea', requestHash: 'bytea' } as const

const warnings = sql`coalesce(case when p.is_double then p.warnings || array['possible_duplicate'] end, p.warnings) as warnings`

const columns = sql`${columnNames(requestedColumns, 'p')}, ${warnings}, p.status, p.currency, p.failure_code, p.held, p.late_success, p.waits_until, p.created_at,
  p.updated_at, p.completed_at, p.reversed_at,
  (select b.opened_at from breaks b where b.home = p.home and b.payout_id = p.id and b.resolved_at is null
    order by b.opened_at, b.id limit 1) as review_since,
  (select b.kind from breaks b where b.home = p.home and b.payout_id = p.id and b.resolved_at is null
    order by b.opened_at, b.id limit 1) as review_reason`

const ofOwner = ({ merchant, environment }: Owner): Sql =>
  sql`p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and p.environment = ${environment}`

/** Refunds have an index of their own, which only the word itself leads to. */
const ofPurpose = (purpose: PayoutPurpose): Sql =>
  purpose === 'refund' ? sql`p.purpose = 'refund'` : sql`p.purpose = ${purpose}::text`

export type NewPayout = Pick<Payout, keyof typeof requestedColumns | 'warnings'> & {
  idempotencyHash: Buffer
  requestHash: Buffer
  /** Null, and the next four: it is not sent. */
  provider: string | null
  providerKey: string | null
  providerBody: string | null
  orderMac: string | null
  /** Stored if it needs no approval. */
  approvalMac: string | null
  /** How many seconds it waits if its recipient was never paid. */
  newRecipientWaitSeconds: number
}

const newColumns = {
  ...requestedColumns,
  ...hashColumns,
  warningsText: 'text',
  newRecipientWaitSeconds: 'integer',
  provider: 'text',
  providerKey: 'text',
  providerBody: 'text',
  orderMac: 'text',
  approvalMac: 'text',
} as const

/** What makes the recipient of a wanted payout `n` known: a payout that arrived, and for a refund also a refund. */
const knownTo = paidTo(sql`n`, sql`any(array['merchant', n.purpose])`)

/**
 * Common table expressions that store payouts with the exact orders that will be sent for them; one outside has none. They end with the CTE `p`, the stored
 * payouts: one whose key is in use is left out.
 */
const storePayouts = (payouts: NewPayout[]): Sql => sql`
    wanted as (
      select n.* from ${recordset(
        payouts.map((payout) => ({
          ...payout,
          metadata: JSON.stringify(payout.metadata),
          warningsText: `{${payout.warnings.join()}}`,
        })),
        'n',
        newColumns,
      )}
    ),
    p as (
      insert into payouts (${columnNames(requestedColumns)}, ${columnNames(hashColumns)}, warnings, waits_until)
      select ${columnNames(requestedColumns, 'n')}, ${columnNames(hashColumns, 'n')}, n.warnings_text::text[],
        case when n.new_recipient_wait_seconds > 0 and not exists (select from ${knownTo} and p.method = 'provider')
        then clock_now() + make_interval(secs => n.new_recipient_wait_seconds) end
      from wanted n
      -- The id follows from the key: two requests at once collide on either.
      on conflict do nothing
      returning *
    ),
    ordered as (
      insert into provider_payouts (home, payout_id, provider, environment, idempotency_key, request_body, order_mac, approval_mac, is_batch, next_attempt_at)
      select p.home, p.id, n.provider, p.environment, n.provider_key, n.provider_body, n.order_mac, case when p.approval = 'none' then n.approval_mac end, p.batch_id is not null,
        -- What someone must approve first is not due. The rows of a batch leave in their order.
        case when p.approval = 'none' then coalesce(p.waits_until, clock_now() + coalesce(p.batch_row, 0) * interval '1 millisecond') end
      from p
      join wanted n on n.home = p.home and n.id = p.id
      where p.method = 'provider'
    )`

/** Stores a payout with the exact order that will be sent for it; undefined if the key is in use. */
export async function insertPayout(tx: Tx, payout: NewPayout): Promise<Payout | undefined> {
  return tx.maybeOne<Payout>(sql`with ${storePayouts([payout])} select ${columns} from p`)
}

/** Stores payouts as above; returns how many, and how many of them wait because their recipients were never paid. */
export async function insertPayouts(
  tx: Tx,
  payouts: NewPayout[],
): Promise<{ stored: number; waiting: number; waitsUntil: Date | null }> {
  return tx.one<{ stored: number; waiting: number; waitsUntil: Date | null }>(sql`
    with ${storePayouts(payouts)}
    select count(*) as stored, count(p.waits_until) as waiting, max(p.waits_until) as waits_until from p`)
}

/** What makes two payouts or refunds look like one that was requested twice. */
export type Likeness = Pick<Payout, 'purpose' | 'refundOf' | 'phoneNumber' | 'amount' | 'reference'>

/**
 * The payouts of the last day to the same number, or refunds of the same payment, with the same amount and reference, newest first. One whose
 * money came back is none. Of a number that everyone uses in the test environment, the newest thousand are looked at.
 */
const likeOf = (owner: Owner, { purpose, refundOf, phoneNumber, amount, reference }: Likeness): Sql => sql`
  select p.id, p.created_at
  from (
    select p.* from payouts p
    where ${refundOf === null ? sql`p.phone_number = ${phoneNumber}` : sql`p.home = ${owner.merchant.home} and p.refund_of = ${refundOf}`}
      and p.created_at > clock_now() - interval '24 hours'
    order by p.created_at desc, p.id desc
    limit 1000
  ) p
  where ${ofOwner(owner)} and ${ofPurpose(purpose)} and p.amount = ${amount} and p.reference is not distinct from ${reference}::text
    and p.status in ('pending', 'processing', 'completed')
  order by p.created_at desc, p.id desc`

/** The newest payout or refund that one like this would repeat. */
export async function findDouble(
  db: Runner,
  owner: Owner,
  likeness: Likeness,
): Promise<{ id: string; createdAt: Date } | undefined> {
  return db.maybeOne<{ id: string; createdAt: Date }>(sql`${likeOf(owner, likeness)} limit 1`)
}

/** Notes on a payout that it looks like a repeat of another one; returns its warnings. This transaction has locked the wallet, so that of two at once one is noted. */
export async function noteDouble(tx: Tx, owner: Owner, payout: Payout): Promise<PayoutWarning[]> {
  const [noted] = await tx.rows<Pick<Payout, 'warnings'>>(sql`
    with noted as (
      update payouts set is_double = true
      where home = ${payout.home} and id = ${payout.id}
        and exists (select from (${likeOf(owner, payout)}) l where l.id <> ${payout.id})
      returning warnings, is_double
    )
    select ${warnings} from noted p`)
  return noted?.warnings ?? payout.warnings
}

/** The payout of a merchant's key, with the hash of the body that created it. */
export async function findByIdempotencyKey(
  db: Runner,
  owner: Owner,
  idempotencyHash: Buffer,
): Promise<(Payout & { requestHash: Buffer }) | undefined> {
  return db.maybeOne<Payout & { requestHash: Buffer }>(sql`
    select ${columns}, p.request_hash from payouts p where ${ofOwner(owner)} and p.idempotency_hash = ${idempotencyHash}`)
}

/** The names of the recipients of these payouts and refunds of a merchant, in both environments. */
export async function recipientNames(
  db: Runner,
  { home, id: merchantId }: Owner['merchant'],
  ids: string[],
): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; recipientName: string }>(sql`
    select p.id, p.recipient_name from payouts p
    where p.home = ${home} and p.merchant_id = ${merchantId} and p.id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, recipientName }) => [id, recipientName]))
}

export async function findPayout(
  db: Runner,
  owner: Owner,
  id: string,
  purpose: PayoutPurpose = 'merchant',
): Promise<Payout | undefined> {
  return db.maybeOne<Payout>(
    sql`select ${columns} from payouts p where ${ofOwner(owner)} and p.id = ${id} and ${ofPurpose(purpose)}`,
  )
}

type Fate = { id: string; status: PayoutStatus; isElsewhere: boolean; isPaidByDecision: boolean }

/**
 * What became of payouts of a merchant, by their ids: the status that each has now, or the newest payout of the same number, amount and
 * reference that followed it and has not failed. `isElsewhere`: it is of the other environment. `isPaidByDecision`: it was ended as not
 * paid, but its recipient has the money.
 */
export async function fatesOf(db: Runner, owner: Owner, ids: readonly string[]): Promise<Map<string, Fate>> {
  const { merchant, environment } = owner
  const rows = await db.rows<{ told: string } & Fate>(sql`
    select p.id as told, coalesce(n.id, p.id) as id, coalesce(n.status, p.status) as status, p.environment <> ${environment}::text as is_elsewhere,
      ${isPaidByDecision(sql`p`)} as is_paid_by_decision
    from payouts p
    left join lateral (
      select q.id, q.status from payouts q
      where q.home = p.home and q.merchant_id = p.merchant_id and q.environment = p.environment and q.purpose = p.purpose
        and q.phone_number = p.phone_number and q.amount = p.amount and q.reference is not distinct from p.reference
        and q.created_at > p.created_at and q.status in ('pending', 'processing', 'completed')
      order by q.created_at desc, q.id desc limit 1
    ) n on p.status in ('failed', 'cancelled', 'reversed')
    where p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and p.id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ told, ...fate }) => [told, fate]))
}

/** When the order of a payout was first sent, as far as is known; null if it was never sent. */
export async function findFirstSentAt(db: Runner, key: { home: number; id: string }): Promise<Date | null> {
  const [row] = await db.rows<{ firstSentAt: Date | null }>(sql`
    select first_sent_at from provider_payouts where home = ${key.home} and payout_id = ${key.id} and state not in ('unsent', 'deferred')`)
  return row?.firstSentAt ?? null
}

export type PayoutFilter = {
  /** Without it: payouts. */
  purpose?: PayoutPurpose
  id?: string
  statuses?: readonly PayoutStatus[]
  refundOf?: string
  batchId?: string
  /** The merchant's own reference, whole. */
  reference?: string
  /** The whole phone number (E.164). */
  phoneNumber?: string
  /** A part of the recipient's name or of the merchant's reference; letter case is ignored. */
  text?: string
  /** Or a run of digits within the phone number; null: none. */
  digits?: string | null
}

/** `last`: how far the list was read or searched; there is one if there are more. */
export type PayoutsPage = { payouts: Payout[]; hasMore: boolean; last: { createdAt: Date; id: string } | undefined }

/** The payouts `p` that are searched, newest first. Separate pieces of SQL where an index of its own leads to the rows. */
const lookedOf = (owner: Owner, filter: PayoutFilter, range: Omit<ListRange, 'limit'>): Sql => {
  const { after, createdFrom = null, createdTo = null } = range
  const { purpose = 'merchant', id, batchId, refundOf, phoneNumber, statuses = null, reference = null } = filter
  return sql`
    from payouts p
    where ${ofOwner(owner)} and ${ofPurpose(purpose)}
      ${id === undefined ? sql`` : sql`and p.id = ${id}`}
      ${batchId === undefined ? sql`` : sql`and p.batch_id = ${batchId}`}
      ${refundOf === undefined ? sql`` : sql`and p.refund_of = ${refundOf}`}
      ${phoneNumber === undefined ? sql`` : sql`and p.phone_number = ${phoneNumber}`}
      and (${statuses}::text[] is null or p.status = any(${statuses}::text[]))
      and (${reference}::text is null or p.reference = ${reference}::text)
      and (${createdFrom}::timestamptz is null or p.created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or p.created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (p.created_at, p.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by p.created_at desc, p.id desc`
}

const containsOf = (filter: PayoutFilter): Sql => {
  const { text = null, digits = null } = filter
  return sql`(${text}::text is null or strpos(p.phone_number, ${digits}::text) > 0
    or ${holdsFolded(sql`p.recipient_name`, text)} or ${holdsText(sql`p.reference`, text)})`
}

/**
 * A page of an owner's payouts, newest first. A filter for a text searches at most `among` payouts: the page then holds those found so
 * far, and the next page continues from there.
 */
export async function listPayouts(
  db: Runner,
  owner: Owner,
  filter: PayoutFilter,
  range: ListRange & { among: number },
): Promise<PayoutsPage> {
  const { limit, among } = range
  const looked = lookedOf(owner, filter, range)
  const contains = containsOf(filter)
  const rows = await db.rows<Payout>(
    filter.text === undefined
      ? sql`select ${columns} ${looked} limit ${limit + 1}`
      : sql`
        select ${columns}
        from (select p.* ${looked} limit ${among}) p
        where ${contains}
        order by p.created_at desc, p.id desc
        limit ${limit + 1}`,
  )
  const payouts = rows.slice(0, limit)
  if (rows.length > limit) return { payouts, hasMore: true, last: payouts.at(-1) }
  if (filter.text === undefined) return { payouts, hasMore: false, last: payouts.at(-1) }
  // Fewer than requested: either there are no more payouts, or the search limit was reached.
  const [end] = await db.rows<{ createdAt: Date; id: string }>(
    sql`select p.created_at, p.id ${looked} offset ${among - 1} limit 1`,
  )
  return { payouts, hasMore: end !== undefined, last: end ?? payouts.at(-1) }
}

/** What the payouts of one day (in East Africa Time) add up to. `completed`: those that have arrived, without their fees. */
export type PayoutsOfDay = { day: string; count: number; completed: number; completedAmount: number }

/**
 * The payouts that fit a filter, counted by day, newest day first, among the newest `among`. `after`: only payouts after this time are
 * counted, because there are more; null: all of them.
 */
export async function countPayouts(
  db: Runner,
  owner: Owner,
  filter: PayoutFilter,
  range: Omit<ListRange, 'limit' | 'after'> & { among: number },
): Promise<{ days: PayoutsOfDay[]; after: Date | null }> {
  const looked = lookedOf(owner, filter, range)
  const contains = containsOf(filter)
  const rows = await db.rows<Omit<PayoutsOfDay, 'day'> & { day: string | null; after: Date | null }>(sql`
    with taken as materialized (
      select p.created_at, p.status, p.amount, p.phone_number, p.recipient_name, p.reference ${looked} limit ${range.among + 1}
    ),
    edge as (select case when count(*) > ${range.among}::integer then min(created_at) end as after from taken),
    counted as (
      select ((p.created_at at time zone 'UTC') + interval '3 hours')::date as day, count(*) as count,
        count(*) filter (where p.status = 'completed') as completed,
        coalesce(sum(p.amount) filter (where p.status = 'completed'), 0)::bigint as completed_amount
      from taken p, edge e
      where ${contains} and (e.after is null or p.created_at > e.after)
      group by 1
    )
    select to_char(c.day, 'YYYY-MM-DD') as day, coalesce(c.count, 0) as count, coalesce(c.completed, 0) as completed,
      coalesce(c.completed_amount, 0) as completed_amount, e.after
    from edge e left join counted c on true
    order by c.day desc`)
  return {
    days: rows.flatMap(({ day, count, completed, completedAmount }) =>
      day === null ? [] : [{ day, count, completed, completedAmount }],
    ),
    after: rows[0]!.after,
  }
}

/** The newest refunds of a payment, one more than requested. */
export async function listRefunds(db: Runner, owner: Owner, paymentId: string, range: ListRange): Promise<Payout[]> {
  return db.rows<Payout>(sql`
    select ${columns} from payouts p
    where ${ofOwner(owner)} and p.refund_of = ${paymentId}
      ${newestFirst(range, sql`p`)}`)
}

/** The newest refunds of a payment, at most `limit`. For operators. */
export async function listRefundsOf(db: Runner, payment: { home: number; id: string }, limit: number): Promise<Payout[]> {
  return db.rows<Payout>(sql`
    select ${columns} from payouts p
    where p.home = ${payment.home} and p.refund_of = ${payment.id}
    order by p.created_at desc, p.id desc
    limit ${limit}`)
}

export async function listRefundIds(db: Runner, { merchant }: Owner, paymentIds: string[]): Promise<string[]> {
  return db.values<string>(sql`
    select id from payouts where home = ${merchant.home} and merchant_id = ${merchant.id} and refund_of = any(${paymentIds}::uuid[])`)
}

export type PaidRefund = Pick<Payout, 'amount' | 'method'> & {
  completedAt: Date
  /** TZS of all paid refunds of the payment. */
  total: number
}

/** The refunds of a payment that have reached the payer, newest first, at most `limit`. */
export async function listPaidRefunds(db: Runner, payment: { home: number; id: string }, limit: number): Promise<PaidRefund[]> {
  return db.rows<PaidRefund>(sql`
    select amount, method, completed_at, sum(amount) over ()::bigint as total from payouts
    where home = ${payment.home} and refund_of = ${payment.id} and status = 'completed'
    order by completed_at desc, id desc
    limit ${limit}`)
}

/** Ended payouts whose owners were not notified yet, marked as notified; skips rows that another process has locked. */
export async function claimUnnotifiedPayouts(tx: Tx, limit: number): Promise<(Payout & { merchantId: string })[]> {
  return tx.rows<Payout & { merchantId: string }>(sql`
    with untold as (
      select home, id from payouts
      where status in ('completed', 'failed', 'reversed') and told_status is distinct from status and merchant_id is not null
        -- One mail tells of a whole batch.
        and batch_id is null
      order by updated_at limit ${limit}
      for no key update skip locked
    )
    update payouts p set told_status = p.status
    from untold u
    where p.home = u.home and p.id = u.id
    returning ${columns}`)
}

export type PayoutLabel = Pick<Payout, 'id' | 'network' | 'recipientName' | 'narration' | 'reference' | 'metadata' | 'refundOf'>

/** The labels of payouts in a merchant's list of transactions. */
export async function findPayoutLabels(
  db: Runner,
  merchant: { home: number; id: string },
  ids: string[],
): Promise<Map<string, PayoutLabel>> {
  const rows = await db.rows<PayoutLabel>(sql`
    select p.id, p.network, p.recipient_name, p.narration, p.reference, p.metadata, p.refund_of
    from unnest(${ids}::uuid[]) as k (id)
    -- One by one by their key: offered the merchant as well, the planner takes an index of the merchant and reads its whole past.
    cross join lateral (select * from payouts where home = ${merchant.home} and id = k.id offset 0) p
    where p.merchant_id = ${merchant.id}`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** A payout with the known facts about its order at the provider. */
export type OrderedPayout = Payout & {
  /** Null: a payout of the service itself. */
  merchantKind: MerchantKind | null
  restoreDoubt: RestoreDoubt | null
  provider: string
  state: PayoutOrderState
  providerReference: string | null
  /** How many times it was claimed to be sent or queried: only the last claim may conclude from a call that nothing was started. */
  attempts: number
  isMerchantVerified: boolean
  isMerchantSuspended: boolean
  /** New payouts are refused, and waiting payouts are not sent (hold.sql.ts). */
  isOnHold: boolean
  /** Its batch was stopped: it is not sent for the first time. */
  isBatchStopped: boolean
}

/** `RestoreDoubt` of the order `c` of a payout `p`. */
export const doubtOfOrder = restoreDoubt('payouts', {
  createdAt: sql`p.created_at`,
  environment: sql`c.environment`,
  provider: sql`c.provider`,
})

/** Of a request `r` for approval: the provider cannot have its payout, also not since a restore. */
export const canEnd = sql`not exists (
  select from payouts p join provider_payouts c on c.home = p.home and c.payout_id = p.id
  where p.home = r.home and p.id = r.id and ${doubtOfOrder} in ('comparing', 'uncompared'))`

/**
 * A report that contradicts the end of the payout waits for the provider's own answer, since `updated_at` of the order: after the end only
 * a change of the order moves that time, and such a report.
 */
const isConfirming = sql`c.updated_at > coalesce(p.reversed_at, p.completed_at)`

const orderColumns = sql`m.kind as merchant_kind, c.provider, c.state, c.provider_reference, c.attempts, coalesce(m.verification_status = 'verified', p.purpose <> 'merchant') as is_merchant_verified,
  m.suspended_at is not null as is_merchant_suspended, ${isOnHold(sql`p`)} as is_on_hold,
  exists (select from payout_batches b where b.home = p.home and b.id = p.batch_id and b.stopped_at is not null) as is_batch_stopped,
  ${doubtOfOrder} as restore_doubt`

/** A payout as operators read it, with the name of its merchant. */
export type NamedPayout = OrderedPayout & { merchantName: string | null }

const withOrder = sql`
    from payouts p
    join provider_payouts c on c.home = p.home and c.payout_id = p.id
    left join merchants m on m.id = p.merchant_id`

/** A payout and its order, locked until the transaction ends. One outside has no order, so what sends and settles never finds it. */
export async function lockPayout(tx: Tx, key: { home: number; id: string }): Promise<OrderedPayout | undefined> {
  return tx.maybeOne<OrderedPayout>(sql`
    select ${columns}, ${orderColumns} ${withOrder}
    where p.home = ${key.home} and p.id = ${key.id}
    for no key update of p, c`)
}

/** A payout that its merchant may still end. One outside is as one that was never sent. */
export type EndablePayout = Payout & Pick<OrderedPayout, 'state' | 'restoreDoubt'>

/** A payout as above, or one outside. */
export async function lockEndable(tx: Tx, key: { home: number; id: string }): Promise<EndablePayout | undefined> {
  const ordered = await lockPayout(tx, key)
  if (ordered) return ordered
  const [outside] = await tx.rows<Payout>(sql`
    select ${columns} from payouts p
    where p.home = ${key.home} and p.id = ${key.id} and p.method = 'outside'
    for no key update`)
  return outside && { ...outside, state: 'queued', restoreDoubt: null }
}

/** Any payout, for operators. */
export async function findOrderedPayout(db: Runner, key: { home: number; id: string }): Promise<NamedPayout | undefined> {
  return db.maybeOne<NamedPayout>(sql`
    select ${columns}, ${orderColumns}, m.display_name as merchant_name ${withOrder}
    where p.home = ${key.home} and p.id = ${key.id}`)
}

export type OperatorFilter = {
  environment?: Environment
  status?: PayoutStatus
  approval?: Approval
  network?: Network
  /** Only payouts that have neither ended nor been cancelled. */
  isUnfinished: boolean
}

/** Payouts of all merchants, newest first, one more than requested. */
export async function listOrderedPayouts(db: Runner, filter: OperatorFilter, range: ListRange): Promise<NamedPayout[]> {
  const { environment = null, status = null, approval = null, network = null, isUnfinished } = filter
  return db.rows<NamedPayout>(sql`
    select ${columns}, ${orderColumns}, m.display_name as merchant_name ${withOrder}
    where (${environment}::text is null or p.environment = ${environment}::text)
      ${isUnfinished ? sql`and p.status in ('pending', 'processing')` : sql``}
      ${approval === 'required' ? sql`and p.approval = 'required' and p.approval_by = 'operators'` : sql`and (${approval}::text is null or p.approval = ${approval}::text)`}
      and (${status}::text is null or p.status = ${status}::text)
      and (${network}::text is null or p.network = ${network}::text)
      ${newestFirst(range, sql`p`)}`)
}

/** An order that is due, claimed by this process until its lease ends. The state is the one before the claim. */
export type DuePayout = OrderedPayout & {
  idempotencyKey: string
  requestBody: string
  orderMac: string | null
  approvalMac: string | null
  /** Seconds since it was first sent; null if it was never sent. */
  sentSeconds: number | null
  /** Seconds since it was requested. */
  ageSeconds: number
  /** Seconds until it may be sent. */
  waitSeconds: number
  /** Seconds since a report that contradicts its end; null: none waits for the provider's own answer. */
  confirmingSeconds: number | null
}

/** `single`: all orders that are not of a batch. A batch's orders at one provider, never sent or sent before. */
export type PayoutLane = 'single' | { provider: string; environment: Environment; isSent: boolean }

const inLane = (lane: PayoutLane): Sql =>
  lane === 'single'
    ? sql`not is_batch`
    : sql`is_batch and provider = ${lane.provider} and environment = ${lane.environment}
        and ${lane.isSent ? sql`state not in ('queued', 'unsent', 'deferred')` : sql`state in ('queued', 'unsent', 'deferred')`}`

/**
 * Claims orders of a lane that are due, or the named one of any lane. An order that will be sent now is marked `claimed` before it is sent: if this process
 * crashes during the call, the order must not look as if it was certainly never sent.
 */
export async function claimDuePayouts(
  db: Runner,
  wanted: { limit: number; leaseSeconds: number; lane: PayoutLane; only?: { home: number; id: string } },
): Promise<DuePayout[]> {
  const { limit, leaseSeconds, lane, only } = wanted
  return db.rows<DuePayout>(sql`
    with due as (
      select home, payout_id, state,
        -- While a restore is being compared with the providers, nothing is sent for the first time.
        state in ('queued', 'unsent', 'deferred') and not ${isComparing} as is_first
      from provider_payouts
      -- It is kept in whole milliseconds: one that was made due this moment may have been rounded up.
      where next_attempt_at <= clock_now() + interval '1 millisecond' and not ${isClockBehind} and ${only ? sql`home = ${only.home} and payout_id = ${only.id}` : inLane(lane)}
      order by next_attempt_at limit ${limit}
      for update skip locked
    ),
    taken as (
      update provider_payouts c
      set next_attempt_at = clock_now() + make_interval(secs => ${leaseSeconds}), attempts = c.attempts + 1,
        state = case when due.is_first then 'claimed' else c.state end,
        -- What certainly never left us before is first sent now.
        first_sent_at = case when due.is_first then clock_now() else c.first_sent_at end
      from due
      where c.home = due.home and c.payout_id = due.payout_id
      returning c.home, c.payout_id, c.provider, c.environment, due.state, c.provider_reference, c.idempotency_key, c.request_body, c.order_mac, c.approval_mac, c.attempts, c.updated_at,
        case when due.state in ('queued', 'unsent', 'deferred') then null
          else extract(epoch from clock_now() - c.first_sent_at)::double precision end as sent_seconds
    )
    select ${columns}, ${orderColumns}, c.idempotency_key, c.request_body, c.order_mac, c.approval_mac, c.sent_seconds,
      extract(epoch from clock_now() - p.created_at)::double precision as age_seconds,
      coalesce(greatest(0, extract(epoch from p.waits_until - clock_now())), 0)::double precision as wait_seconds,
      case when ${isConfirming} then extract(epoch from clock_now() - c.updated_at)::double precision end as confirming_seconds
    from taken c
    join payouts p on p.home = c.home and p.id = c.payout_id
    left join merchants m on m.id = p.merchant_id`)
}

/** The changes when a payout moves, or when something was learned about its order. */
export type PayoutChange = {
  status: PayoutStatus
  held: boolean
  /** Omitted: unchanged. */
  lateSuccess?: LateSuccess | null
  network: Network | null
  failureCode: PayoutFailureCode | null
  failureText: string | null
  state: PayoutOrderState
  providerReference: string | null
  /** Null: no more queries. Omitted: unchanged. */
  nextAttemptSeconds?: number | null
}

/** Writes a change of a payout that this transaction has locked. An unknown transition violates `payouts_transition_known`. */
export async function updatePayout(tx: Tx, key: { home: number; id: string }, change: PayoutChange): Promise<void> {
  const isScheduled = change.nextAttemptSeconds !== undefined
  const [row] = await tx.rows<{ hasDueDeliveries: boolean }>(sql`
    with before as materialized (select home, id, status from payouts where home = ${key.home} and id = ${key.id}),
    moved as (
      update payouts p
      set status = ${change.status}, held = ${change.held},
        late_success = case when ${change.lateSuccess !== undefined} then ${change.lateSuccess ?? null} else p.late_success end,
        -- An order that the provider has was approved. A restored database may not know who approved it.
        approval = case when p.approval = 'required' and ${change.status} not in ('pending', 'cancelled') then 'approved' else p.approval end,
        network = ${change.network}, failure_code = ${change.failureCode},
        failure_text = ${change.failureText}, updated_at = clock_now(),
        completed_at = case when ${change.status} = 'completed' then coalesce(p.completed_at, clock_now()) else p.completed_at end,
        reversed_at = case when ${change.status} = 'reversed' then coalesce(p.reversed_at, clock_now()) end
      from before b
      where p.home = b.home and p.id = b.id
      returning p.*, b.status as status_before
    ),
    ordered as (
      update provider_payouts
      set state = ${change.state}, provider_reference = ${change.providerReference},
        -- Null where a restored database did not know that it had been sent.
        first_sent_at = coalesce(first_sent_at, case when ${change.state} not in ('queued', 'withdrawn') then clock_now() end),
        next_attempt_at = case when ${isScheduled} then clock_now() + make_interval(secs => ${change.nextAttemptSeconds ?? null}) else next_attempt_at end,
        updated_at = case when ${isScheduled} then clock_now() else updated_at end
      where home = ${key.home} and payout_id = ${key.id}
    ),
    ${recordPayoutEvents(sql`moved`)}
    select exists (select from enqueued_deliveries) as has_due_deliveries`)
  if (row!.hasDueDeliveries) await notifyAfterCommit(tx, [webhooksDue])
}

/** Operators have decided that the books are right about a payout that has ended: later messages of the provider count again. */
export async function acceptReportsAgain(tx: Tx, key: { home: number; id: string }): Promise<void> {
  await tx.rows(sql`
    update payouts set held = false, updated_at = clock_now()
    where home = ${key.home} and id = ${key.id}`)
}

/** Writes a decision. An approved payout is due at once, and has its code (order-mac.ts), unless others decide next. */
export async function decidePayout(
  tx: Tx,
  key: { home: number; id: string },
  decision: { by: ApproversOfPayout } & ({ approval: 'required' | 'refused' } | { approval: 'approved'; mac: string }),
): Promise<void> {
  const { approval, by } = decision
  await tx.rows(sql`
    with decided as (
      update payouts set approval = ${approval}, approval_by = ${by}, updated_at = clock_now() where home = ${key.home} and id = ${key.id}
    )
    update provider_payouts set next_attempt_at = case when ${approval} = 'approved' then clock_now() end,
      approval_mac = ${approval === 'approved' ? decision.mac : null}, updated_at = clock_now()
    where home = ${key.home} and payout_id = ${key.id}`)
}

/** Sets when an order is queried next; null: no more queries. `isEnded`: its payout has ended, see `isConfirming`. */
export async function scheduleCheck(
  db: Runner,
  key: { home: number; id: string },
  seconds: number | null,
  isEnded = false,
): Promise<void> {
  await db.rows(sql`
    update provider_payouts
    set next_attempt_at = clock_now() + make_interval(secs => ${seconds}), updated_at = case when ${isEnded} then updated_at else clock_now() end
    where home = ${key.home} and payout_id = ${key.id} and state in ('claimed', 'unknown', 'accepted')`)
}

/** Makes an order due now: a message arrived that must be confirmed by a query. */
export async function checkPayoutSoon(db: Runner, key: { home: number; id: string }): Promise<void> {
  await db.rows(sql`
    update provider_payouts set next_attempt_at = clock_now()
    where home = ${key.home} and payout_id = ${key.id} and state in ('unknown', 'accepted')`)
}

/** A report contradicts the end of a payout: the provider is asked at these times. A repeated report does not start them again. */
export async function startConfirming(
  tx: Tx,
  key: { home: number; id: string },
  seconds: { first: number; last: number },
): Promise<void> {
  await tx.rows(sql`
    update provider_payouts c
    -- Later than the end of the payout, also if this transaction began before it.
    set next_attempt_at = clock_now() + make_interval(secs => ${seconds.first}), updated_at = greatest(clock_now(), c.updated_at + interval '1 millisecond')
    from payouts p
    where p.home = ${key.home} and p.id = ${key.id} and c.home = p.home and c.payout_id = p.id
      and (c.next_attempt_at is not null and ${isConfirming} and c.updated_at > clock_now() - make_interval(secs => ${seconds.last})) is not true`)
}

/** The payout that a provider's reference belongs to. */
export async function findPayoutReference(
  db: Runner,
  key: { provider: string; environment: Environment; reference: string },
): Promise<{ home: number; id: string } | undefined> {
  return db.maybeOne<{ home: number; id: string }>(sql`
    select home, payout_id as id from provider_payouts
    where provider = ${key.provider} and environment = ${key.environment} and provider_reference = ${key.reference}`)
}

/** How many system payouts were ordered for a break so far. */
export async function countReturns(db: Runner, key: { home: number; breakId: string }): Promise<number> {
  return db.value<number>(sql`
    select count(*) as count from payouts where home = ${key.home} and break_id = ${key.breakId}`)
}

/**
 * Moves the times of orders in flight together with a clock that was set back by this many seconds. This includes when they were sent: an
 * order that looks younger than it is would be sent again after the provider has forgotten its key.
 */
export async function movePayoutTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update provider_payouts
    set next_attempt_at = ${moved(sql`next_attempt_at`, seconds)}, first_sent_at = ${earlier(sql`first_sent_at`, seconds)}
    where next_attempt_at is not null`)
}
