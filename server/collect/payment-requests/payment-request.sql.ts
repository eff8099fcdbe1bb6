/** The statements on payment_requests. Every read of a merchant's request takes its owner. */
import type { RequestStatus } from '../../domain/payment-request.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { seenBy } from '../../accounts/members/access.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { PaymentRequest } from './payment-request.ts'

/** The status of the request of a page `g`. A late success counts: what is paid is never expired or cancelled. */
const status = sql`case when g.paid_count > 0 then 'paid' when not g.active then 'cancelled'
  when g.expires_at <= clock_now() then 'expired' else 'open' end`

const columns = sql`g.home, g.id, g.environment, ${status} as status, g.slug, g.title, g.description, g.amount, g.currency, g.merchant_reference,
  g.metadata, q.customer_name, q.customer_email, q.customer_phone, g.expires_at, g.redirect_url, g.success_message, g.language, g.paid_count,
  f.id as payment_id, f.completed_at as paid_at, q.cancelled_at, g.created_at`

/** What belongs to a page `g`: its request, and its first completed payment. */
const rest = sql`
  join payment_requests q on q.home = g.home and q.id = g.id
  left join lateral (
    select p.id, p.completed_at from payments p
    where g.paid_count > 0 and p.home = g.home and p.page_id = g.id and p.status = 'completed'
    order by p.completed_at, p.id limit 1
  ) f on true`

const ofOwner = (owner: Owner): Sql =>
  sql`g.home = ${owner.merchant.home} and g.merchant_id = ${owner.merchant.id} and g.environment = ${owner.environment} and g.is_hidden and g.kind = 'request' ${seenBy(owner, sql`g.created_at`)}`

export type Customer = { customerName: string | null; customerEmail: string | null; customerPhone: string | null }

/** Stores what the page, which exists already, does not have. */
export async function insertRequest(tx: Tx, key: { home: number; id: string }, customer: Customer): Promise<void> {
  await tx.rows(sql`
    insert into payment_requests (home, id, customer_name, customer_email, customer_phone)
    values (${key.home}, ${key.id}, ${customer.customerName}, ${customer.customerEmail}, ${customer.customerPhone})`)
}

export async function findRequest(db: Runner, owner: Owner, id: string): Promise<PaymentRequest | undefined> {
  return db.maybeOne<PaymentRequest>(sql`select ${columns} from payment_pages g ${rest} where ${ofOwner(owner)} and g.id = ${id}`)
}

/** The same; its page is locked until the transaction ends, so that no payment starts on it. */
export async function lockRequest(tx: Tx, owner: Owner, id: string): Promise<PaymentRequest | undefined> {
  await tx.rows(sql`select g.id from payment_pages g where ${ofOwner(owner)} and g.id = ${id} for no key update`)
  return findRequest(tx, owner, id)
}

/** The caller has locked the request. */
export async function markCancelled(tx: Tx, key: { home: number; id: string }): Promise<void> {
  await tx.rows(sql`update payment_requests set cancelled_at = clock_now() where home = ${key.home} and id = ${key.id}`)
}

export type RequestFilter = { status?: RequestStatus; merchantReference?: string }

/** How far the list was searched, if the search stopped before its end. */
export type RequestsPage = { requests: PaymentRequest[]; hasMore: boolean; last: { createdAt: Date; id: string } | undefined }

/**
 * A page of an owner's requests, newest first. The filter for a status searches at most `among` requests: the page then holds those found
 * so far, and the next page continues from there.
 */
export async function listRequests(
  db: Runner,
  owner: Owner,
  filter: RequestFilter,
  range: ListRange & { among: number },
): Promise<RequestsPage> {
  const { after, createdFrom, createdTo, limit, among } = range
  const { status: wanted = null, merchantReference } = filter
  // Separate pieces of SQL, not parameters that may be null, so that each combination uses its own index.
  const looked = sql`
    payment_pages g
    where ${ofOwner(owner)}
      ${merchantReference === undefined ? sql`` : sql`and g.merchant_reference = ${merchantReference}`}
      ${createdFrom === undefined ? sql`` : sql`and g.created_at >= ${createdFrom}::timestamptz`}
      ${createdTo === undefined ? sql`` : sql`and g.created_at < ${createdTo}::timestamptz`}
      ${after ? sql`and (g.created_at, g.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by g.created_at desc, g.id desc`
  const rows = await db.rows<PaymentRequest>(sql`
    with found as materialized (
      select g.home, g.id
      from (select g.home, g.id, g.created_at, ${status} as status from ${looked} limit ${among}) g
      where ${wanted}::text is null or g.status = ${wanted}::text
      order by g.created_at desc, g.id desc
      limit ${limit + 1}
    )
    select ${columns}
    from found n
    join payment_pages g on g.home = n.home and g.id = n.id
    ${rest}
    order by g.created_at desc, g.id desc`)
  const requests = rows.slice(0, limit)
  if (rows.length > limit) return { requests, hasMore: true, last: requests.at(-1) }
  // Fewer than requested: either there are no more requests, or the search limit was reached.
  const [end] = await db.rows<{ createdAt: Date; id: string }>(
    sql`select g.created_at, g.id from ${looked} offset ${among - 1} limit 1`,
  )
  return { requests, hasMore: end !== undefined, last: end ?? requests.at(-1) }
}

/** What fills the form of the page of a request. */
export async function findCustomer(db: Runner, key: { home: number; id: string }): Promise<Customer | undefined> {
  return db.maybeOne<Customer>(sql`
    select customer_name, customer_email, customer_phone from payment_requests where home = ${key.home} and id = ${key.id}`)
}

/** Completed payments of a page that is paid once; more than one is a late success. */
const mostPaid = 10

/** The first completed payment on the page of a request or an invoice; one whose money the merchant still has comes before others. */
export async function findPaidPayment(db: Runner, key: { home: number; id: string }): Promise<{ id: string } | undefined> {
  return db.maybeOne<{ id: string }>(sql`
    select f.id from (
      select p.id, p.completed_at, p.credit_reversed_at, p.refunded_amount from payments p
      where p.home = ${key.home} and p.page_id = ${key.id} and p.status = 'completed'
      order by p.completed_at, p.id limit ${mostPaid}
    ) f
    order by f.credit_reversed_at is not null, f.refunded_amount > 0, f.completed_at, f.id limit 1`)
}

const noCustomer = sql`customer_name = null, customer_email = null, customer_phone = null`

/** Removes the customers from the requests of these merchants. */
export async function eraseCustomersOf(tx: Tx, merchants: { home: number; id: string }[]): Promise<void> {
  await tx.rows(sql`
    update payment_requests q set ${noCustomer}
    from unnest(${merchants.map(({ home }) => home)}::smallint[], ${merchants.map(({ id }) => id)}::uuid[]) as m (home, id)
    join payment_pages g on g.home = m.home and g.merchant_id = m.id
    where q.home = g.home and q.id = g.id`)
}

/**
 * Removes a customer from the requests that name this phone, and from those that it paid and that name no other one. Returns these
 * requests.
 */
export async function eraseCustomer(tx: Tx, phoneNumber: string): Promise<{ home: number; id: string; isOpen: boolean }[]> {
  return tx.rows<{ home: number; id: string; isOpen: boolean }>(sql`
    update payment_requests q set ${noCustomer}
    from (
      select home, id from payment_requests where customer_phone = ${phoneNumber}
      union
      select r.home, r.id from payments p join payment_requests r on r.home = p.home and r.id = p.page_id
      where p.phone_number = ${phoneNumber} and p.status = 'completed' and r.customer_phone is null
    ) own
    join payment_pages g on g.home = own.home and g.id = own.id
    where q.home = own.home and q.id = own.id
    returning q.home, q.id, ${status} = 'open' as is_open`)
}

/**
 * Removes the customers of requests that ended unpaid this many days ago. Looks at the next `limit` requests after `position`, and begins
 * again after the last one: a request may end long after it was made.
 */
export async function pruneCustomers(
  db: Runner,
  olderThanDays: number,
  position: string | null,
  limit: number,
): Promise<{ removed: number; position: string | null; hasMore: boolean }> {
  const [home, id] = (position ?? '-1 00000000-0000-0000-0000-000000000000').split(' ')
  const seen = await db.one<{ removed: number; looked: number; last: string | null }>(sql`
    with next as materialized (
      select home, id from payment_requests where (home, id) > (${home}::smallint, ${id}::uuid) order by home, id limit ${limit}
    ),
    pruned as (
      update payment_requests q set ${noCustomer}
      from next n join payment_pages g on g.home = n.home and g.id = n.id
      where q.home = n.home and q.id = n.id and num_nonnulls(q.customer_name, q.customer_email, q.customer_phone) > 0
        and g.paid_count = 0 and least(q.cancelled_at, g.expires_at) < clock_now() - make_interval(days => ${olderThanDays}::integer)
      returning q.id
    )
    select (select count(*) from pruned) as removed, (select count(*) from next) as looked,
      (select home || ' ' || id from next order by home desc, id desc limit 1) as last`)
  const hasMore = seen.looked === limit
  return { removed: seen.removed, position: hasMore ? seen.last : null, hasMore }
}
