/** Payments for their merchant: the list, one payment, and the provider's messages about it. */
import type { PaymentStatus } from '../../domain/payment.ts'
import type { BreakKind } from '../../domain/break.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { seenBy } from '../../accounts/members/access.sql.ts'
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { holdsFolded, holdsText } from '../../platform/db/holds-text.sql.ts'
import type { CustomValue } from '../../domain/custom-field.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { Network } from '../../domain/network.ts'
import type { MerchantFields, Payment } from './payment.ts'
import { isTaking } from '../pages/page.sql.ts'
import { shownReceipt } from './payment.sql.ts'

export type OwnerPayment = Payment &
  MerchantFields & {
    /** Null where the payment was not made on a page that its owner sees. */
    page: { id: string; title: string; slug: string } | null
    paymentRequestId: string | null
    customerName: string | null
    customerEmail: string | null
    /** Null: none were given. */
    customFields: CustomValue[] | null
    /** Since when a break about it waits for operators, and of which kind; null if none does. */
    reviewSince: Date | null
    reviewReason: BreakKind | null
    /** The provider has shown that it was not paid: its credit was reversed. */
    creditReversedAt: Date | null
    /** TZS of its refunds that have not failed. */
    refundedAmount: number
    /** The payer's origin, as the merchant's own link gave it. */
    updatedAt: Date
  }

export type OwnerPaymentFilter = {
  ids?: string[]
  status?: PaymentStatus
  network?: Network
  pageId?: string
  requestId?: string
  minAmount?: number
  maxAmount?: number
  /** The whole phone number of the payer (E.164). */
  phoneNumber?: string
  merchantReference?: string
  /** Entries that its metadata contains. */
  metadata?: Record<string, string>
  search?: PaymentSearch
}

/** What a person typed: payments with one of these. */
export type PaymentSearch = (
  | {
      /** A part of the payer's name or e-mail or of the merchant's reference; letter case is ignored. */
      text: string
      /** A run of digits within the payer's phone number. */
      digits?: string
    }
  /** The whole phone number of the payer (E.164). */
  | { phoneNumber: string }
) & {
  /** What was typed names them in another way, in an index of its own. */
  named?: string[]
}

const columns = sql`p.home, p.id, p.merchant_id, p.environment, p.page_id, p.status, p.amount, p.amount_received, p.currency, p.phone_number, p.network,
  p.failure_code, p.late, p.expires_at, p.completed_at, p.created_at, p.updated_at, p.customer_name, p.customer_email, p.custom_fields, p.merchant_reference, p.metadata,
  p.description, p.payer_language, p.credit_reversed_at, p.short_code, ${shownReceipt}, p.refunded_amount,
  r.opened_at as review_since, r.kind as review_reason, case when not g.is_hidden then json_build_object('id', g.id, 'title', g.title, 'slug', g.slug) end as page,
  case when g.kind = 'request' then g.id end as payment_request_id`

/** The oldest open break of a payment `p`. */
const review = sql`left join lateral (
  select b.opened_at, b.kind from breaks b
  where b.home = p.home and b.payment_id = p.id and b.resolved_at is null order by b.id limit 1) r on true`

/** The payments `p` of an owner that the caller sees. */
export const ofOwner = (owner: Owner): Sql =>
  sql`p.home = ${owner.merchant.home} and p.merchant_id = ${owner.merchant.id} and p.environment = ${owner.environment} ${seenBy(owner, sql`p.created_at`)}`

/** Payments `p` one by one by primary key: with the merchant in the condition, the planner could read its whole history. */
const ofIds = ({ merchant }: Owner, ids: string[]): Sql => sql`
  unnest(${ids}::uuid[]) as k (id) cross join lateral (select * from payments where home = ${merchant.home} and id = k.id offset 0) p`

/** How far a list was read. `areNamedShown`: also the named payments behind this place; the rest of the list leaves them out. */
export type PaymentsPlace = { createdAt: Date; id: string; areNamedShown: boolean }

/** `last`: how far the list was searched, if the search stopped before the end of the history. */
export type PaymentsPage = { payments: OwnerPayment[]; hasMore: boolean; last: PaymentsPlace | undefined }

export type PaymentsRange = ListRange & { among: number; areNamedShown?: boolean }

type Span = Omit<ListRange, 'limit'>

/** Separate pieces of SQL, not parameters that may be null, so that each combination uses its own index. */
const inRangeOf = (owner: Owner, filter: OwnerPaymentFilter, { after, createdFrom, createdTo }: Span): Sql => sql`
    ${ofOwner(owner)}
      ${filter.pageId === undefined ? sql`` : sql`and p.page_id = ${filter.pageId}`}
      ${
        filter.requestId === undefined
          ? sql``
          : sql`and p.page_id = (select q.id from payment_pages q
              where q.home = ${owner.merchant.home} and q.id = ${filter.requestId} and q.kind = 'request')`
      }
      ${filter.phoneNumber === undefined ? sql`` : sql`and p.phone_number = ${filter.phoneNumber}`}
      ${filter.merchantReference === undefined ? sql`` : sql`and p.merchant_reference = ${filter.merchantReference}`}
      ${createdFrom === undefined ? sql`` : sql`and p.created_at >= ${createdFrom}::timestamptz`}
      ${createdTo === undefined ? sql`` : sql`and p.created_at < ${createdTo}::timestamptz`}
      ${after ? sql`and (p.created_at, p.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}`

/** The payments `p` that are searched, newest first. */
const lookedOf = (owner: Owner, filter: OwnerPaymentFilter, range: Span): Sql => sql`
    ${filter.ids === undefined ? sql`payments p` : ofIds(owner, filter.ids)}
    where ${inRangeOf(owner, filter, range)} ${filter.search && 'phoneNumber' in filter.search ? sql`and p.phone_number = ${filter.search.phoneNumber}` : sql``}
    order by p.created_at desc, p.id desc`

/** The conditions without an index. */
const fitsOf = (filter: OwnerPaymentFilter): Sql => {
  const { status = null, network = null, minAmount = null, maxAmount = null, metadata } = filter
  return sql`
    (${status}::text is null or p.status = ${status}::text)
    and (${network}::text is null or p.network = ${network}::text)
    and (${minAmount}::bigint is null or p.amount >= ${minAmount}::bigint)
    and (${maxAmount}::bigint is null or p.amount <= ${maxAmount}::bigint)
    and (${metadata === undefined ? null : JSON.stringify(metadata)}::jsonb is null or p.metadata @> ${metadata === undefined ? null : JSON.stringify(metadata)}::jsonb)`
}

const containsOf = (search: PaymentSearch | undefined): Sql => {
  const { text = null, digits = null } = search && 'text' in search ? search : {}
  return sql`(${text}::text is null or strpos(p.phone_number, ${digits}::text) > 0
    or ${holdsFolded(sql`p.customer_name`, text)} or ${holdsText(sql`p.customer_email`, text)}
    or ${holdsText(sql`p.merchant_reference`, text)})`
}

/**
 * A page of an owner's payments, newest first. Filters for a page, a payment request, a payer's number and the merchant's reference use an
 * index. Every other filter searches at most `among` payments, so that the cost is bounded for any history: the page then holds the payments
 * found so far, even if they are few, and the next page continues from there. Named payments are found at any place of the history.
 */
export async function listOwnerPayments(
  db: Runner,
  owner: Owner,
  filter: OwnerPaymentFilter,
  range: PaymentsRange,
): Promise<PaymentsPage> {
  const { limit, among, areNamedShown = false } = range
  const named = filter.search?.named ?? []
  const inRange = inRangeOf(owner, filter, range)
  const looked = lookedOf(owner, filter, range)
  const fits = fitsOf(filter)
  const contains = containsOf(filter.search)
  const rows = await db.rows<OwnerPayment>(sql`
    with searched as materialized (
      select p.home, p.id, p.created_at
      from (select p.home, p.id, p.created_at, p.status, p.network, p.amount, p.phone_number, p.customer_name, p.customer_email, p.merchant_reference,
          p.metadata
        from ${looked} limit ${among}) p
      where ${fits} and ${contains}
        ${areNamedShown ? sql`and p.id <> all(${named}::uuid[])` : sql``}
      order by p.created_at desc, p.id desc
      limit ${limit + 1}
    ),
    found as materialized (
      select s.home, s.id from (
        select home, id, created_at from searched
        ${named.length === 0 || areNamedShown ? sql`` : sql`union select p.home, p.id, p.created_at from ${ofIds(owner, named)} where ${inRange} and ${fits}`}
      ) s
      order by s.created_at desc, s.id desc
      limit ${limit + 1}
    )
    select ${columns}
    from found f
    join payments p on p.home = f.home and p.id = f.id
    join payment_pages g on g.home = p.home and g.id = p.page_id
    ${review}
    order by p.created_at desc, p.id desc`)
  const isFull = rows.length > limit
  const payments = rows.slice(0, limit)
  const lastShown = payments.at(-1)
  if (isFull && (named.length === 0 || areNamedShown))
    return { payments, hasMore: true, last: lastShown && { ...placeOf(lastShown), areNamedShown } }
  // Fewer than requested: either there are no more payments, or the search limit was reached.
  const [end] = await db.rows<{ createdAt: Date; id: string }>(
    sql`select p.created_at, p.id from ${looked} offset ${among - 1} limit 1`,
  )
  if (!isFull) {
    const last = end ?? lastShown
    return { payments, hasMore: end !== undefined, last: last && { ...placeOf(last), areNamedShown: true } }
  }
  // Named payments behind the end of the search wait for the next page: others between the two are not searched yet.
  const searched = end === undefined ? payments : payments.filter((payment) => !isBehind(payment, end))
  const last = searched.length < payments.length ? end : lastShown
  return { payments: searched, hasMore: true, last: last && { ...placeOf(last), areNamedShown } }
}

/** What the payments of one day (in East Africa Time) add up to. `completed`: those whose credit stands, with what was received. */
export type PaymentsOfDay = { day: string; count: number; completed: number; completedAmount: number }

/**
 * The payments that fit a filter, counted by day, newest day first, among the newest `among` of those that an index finds. `after`: only
 * payments after this time are counted, because there are more; null: all of them.
 */
export async function countOwnerPayments(
  db: Runner,
  owner: Owner,
  filter: OwnerPaymentFilter,
  range: Omit<ListRange, 'limit' | 'after'> & { among: number },
): Promise<{ days: PaymentsOfDay[]; after: Date | null }> {
  const named = filter.search?.named ?? []
  const inRange = inRangeOf(owner, filter, range)
  const looked = lookedOf(owner, filter, range)
  const fits = fitsOf(filter)
  const contains = containsOf(filter.search)
  const rows = await db.rows<Omit<PaymentsOfDay, 'day'> & { day: string | null; after: Date | null }>(sql`
    with taken as materialized (
      select p.id, p.created_at, p.status, p.network, p.amount, p.amount_received, p.credit_reversed_at, p.phone_number, p.customer_name,
        p.customer_email, p.merchant_reference, p.metadata
      from ${looked} limit ${range.among + 1}
    ),
    edge as (select case when count(*) > ${range.among}::integer then min(created_at) end as after from taken),
    searched as (
      select p.id, p.created_at, p.status, coalesce(p.amount_received, p.amount) as amount, p.credit_reversed_at
      from taken p where ${fits} and ${contains}
      ${
        named.length === 0
          ? sql``
          : sql`union select p.id, p.created_at, p.status, coalesce(p.amount_received, p.amount), p.credit_reversed_at
              from ${ofIds(owner, named)} where ${inRange} and ${fits}`
      }
    ),
    counted as (
      select ((s.created_at at time zone 'UTC') + interval '3 hours')::date as day, count(*) as count,
        count(*) filter (where s.status = 'completed' and s.credit_reversed_at is null) as completed,
        coalesce(sum(s.amount) filter (where s.status = 'completed' and s.credit_reversed_at is null), 0)::bigint as completed_amount
      from searched s, edge e
      where e.after is null or s.created_at > e.after
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

const placeOf = ({ createdAt, id }: { createdAt: Date; id: string }) => ({ createdAt, id })

/** Whether a payment is after a place in a list of the newest first. */
function isBehind(payment: { createdAt: Date; id: string }, place: { createdAt: Date; id: string }): boolean {
  const olderMs = place.createdAt.getTime() - payment.createdAt.getTime()
  return olderMs > 0 || (olderMs === 0 && payment.id < place.id)
}

/** How many payments started in a time span have ended, and how many of them completed; without those that tested a webhook. */
export type Outcomes = { completed: number; ended: number }

export async function countOutcomes(db: Runner, owner: Owner, span: { from: Date; to: Date }): Promise<Outcomes> {
  return db.one<Outcomes>(sql`
    select count(*) filter (where p.status = 'completed') as completed,
      count(*) filter (where p.status in ('completed', 'failed', 'voided', 'expired')) as ended
    from payments p
    where ${ofOwner(owner)} and p.created_at >= ${span.from}::timestamptz and p.created_at < ${span.to}::timestamptz
      and ${isTaking(owner, sql`p.page_id`)}`)
}

export async function findOwnerPayment(db: Runner, owner: Owner, id: string): Promise<OwnerPayment | undefined> {
  return db.maybeOne<OwnerPayment>(sql`
    select ${columns}
    from payments p
    join payment_pages g on g.home = p.home and g.id = p.page_id
    ${review}
    where ${ofOwner(owner)} and p.id = ${id}`)
}

export type PaymentMessage = { provider: string; body: string; receivedAt: Date }

/** The provider's messages about a payment, in the order in which they arrived. */
export async function listPaymentMessages(
  db: Runner,
  payment: { home: number; id: string },
  limit: number,
): Promise<PaymentMessage[]> {
  return db.rows<PaymentMessage>(sql`
    select provider, body, received_at from provider_inbox
    where home = ${payment.home} and payment_id = ${payment.id}
    order by received_at, event_id
    limit ${limit}`)
}
