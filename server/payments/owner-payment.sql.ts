/** Payments as their merchant reads them: the list, one of them, and what the provider said of it. */
import type { Owner } from '../identity/merchant.ts'
import { sql, type Runner, type Sql } from '../platform/db.ts'
import type { ListRange } from '../platform/page.ts'
import type { Payment, PaymentStatus } from './payment.ts'

export type OwnerPayment = Payment & {
  pageTitle: string
  pageSlug: string
  customerName: string
  customerEmail: string
  /** Money arrived that does not match the payment: people decide. */
  held: boolean
  updatedAt: Date
}

export type OwnerPaymentFilter = { status?: PaymentStatus; pageId?: string; minAmount?: number; maxAmount?: number }

const columns = sql`p.home, p.id, p.merchant_id, p.environment, p.page_id, p.status, p.amount, p.currency, p.phone_number, p.network,
  p.failure_code, p.late, p.expires_at, p.completed_at, p.created_at, p.updated_at, p.customer_name, p.customer_email, p.held,
  g.title as page_title, g.slug as page_slug`

const ofOwner = ({ merchant, environment }: Owner): Sql =>
  sql`p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and p.environment = ${environment}`

/** Newest first, one more than asked for. */
export async function listOwnerPayments(
  db: Runner,
  owner: Owner,
  filter: OwnerPaymentFilter,
  range: ListRange,
): Promise<OwnerPayment[]> {
  const { after, createdFrom, createdTo, limit } = range
  const { status = null, pageId = null, minAmount = null, maxAmount = null } = filter
  return db.rows<OwnerPayment>(sql`
    select ${columns}
    from payments p
    join payment_pages g on g.home = p.home and g.id = p.page_id
    where ${ofOwner(owner)}
      and (${status}::text is null or p.status = ${status}::text)
      and (${pageId}::uuid is null or p.page_id = ${pageId}::uuid)
      and (${minAmount}::bigint is null or p.amount >= ${minAmount}::bigint)
      and (${maxAmount}::bigint is null or p.amount <= ${maxAmount}::bigint)
      -- Pieces rather than parameters that may be null, so that the index leads to where the list begins.
      ${createdFrom === undefined ? sql`` : sql`and p.created_at >= ${createdFrom}::timestamptz`}
      ${createdTo === undefined ? sql`` : sql`and p.created_at < ${createdTo}::timestamptz`}
      ${after ? sql`and (p.created_at, p.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by p.created_at desc, p.id desc
    limit ${limit + 1}`)
}

export async function findOwnerPayment(db: Runner, owner: Owner, id: string): Promise<OwnerPayment | undefined> {
  const [row] = await db.rows<OwnerPayment>(sql`
    select ${columns}
    from payments p
    join payment_pages g on g.home = p.home and g.id = p.page_id
    where ${ofOwner(owner)} and p.id = ${id}`)
  return row
}

/**
 * The newest payments of whoever paid: by the whole number (E.164), or a part of the name or e-mail. Only the newest `among` payments
 * are looked through, so that the cost has an end whatever the history.
 */
export async function findPaymentsOfCustomer(
  db: Runner,
  owner: Owner,
  wanted: { phoneNumber: string | null; text: string | null; among: number; limit: number },
): Promise<OwnerPayment[]> {
  const { phoneNumber, text, among, limit } = wanted
  return db.rows<OwnerPayment>(sql`
    with newest as materialized (
      select p.home, p.id, p.phone_number, p.customer_name, p.customer_email, p.created_at
      from payments p
      where ${ofOwner(owner)}
      order by p.created_at desc, p.id desc
      limit ${among}
    )
    select ${columns}
    from newest n
    join payments p on p.home = n.home and p.id = n.id
    join payment_pages g on g.home = p.home and g.id = p.page_id
    where n.phone_number = ${phoneNumber}::text
      or strpos(lower(n.customer_name), lower(${text}::text)) > 0 or strpos(lower(n.customer_email), lower(${text}::text)) > 0
    order by n.created_at desc, n.id desc
    limit ${limit}`)
}

export type PaymentMessage = { provider: string; body: string; receivedAt: Date }

/** What the provider sent about a payment, in the order in which it came. */
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
