/** The statements on receipts and receipt_sweep: which completed payments and refunds have no receipt yet, and how far the sweep has come. */
import type { PayerLanguage } from '../../domain/language.ts'
import type { PayoutMethod } from '../../domain/payout.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'

/**
 * Locks the sweep for this transaction; undefined while another worker holds it. Payments older than `sweptUntil` are done. Both times are
 * the database's, which the events have too: all workers share the mark, and their own clocks differ.
 */
export async function claimSweep(tx: Tx): Promise<{ sweptUntil: Date; now: Date } | undefined> {
  const [sweep] = await tx.rows<{ sweptUntil: Date; now: Date }>(sql`
    select swept_until, clock_now() as now from receipt_sweep for update skip locked`)
  return sweep
}

export async function moveSweep(tx: Tx, sweptUntil: Date): Promise<void> {
  await tx.rows(sql`update receipt_sweep set swept_until = ${sweptUntil}`)
}

/** A completed payment or refund, as its receipt shows it. */
export type PaidPayment = {
  home: number
  eventId: string
  paymentId: string
  environment: Environment
  /** TZS. */
  amount: number
  /** The received amount in TZS, when it differs from `amount`. */
  amountReceived: number | null
  /** Of the refund if it is one. */
  completedAt: Date
  /** E.164. */
  phoneNumber: string
  network: Network | null
  /** Null: the payer gave none. */
  customerEmail: string | null
  payerLanguage: PayerLanguage
  pageTitle: string
  merchantName: string
  /** What the merchant chose for its payers; null: nothing. */
  supportPhone: string | null
  supportEmail: string | null
  supportWhatsapp: string | null
  isWebhookTest: boolean
  isMerchantVerified: boolean
  pageId: string
  shortCode: string
  networkReceipt: string | null
  /** Null: the receipt of the payment itself. */
  refundId: string | null
  /** TZS. */
  refundAmount: number | null
  refundMethod: PayoutMethod | null
}

/** Payments and refunds whose completion was booked in a time range and that have no receipt, oldest first. */
export async function findWithoutReceipt(
  tx: Tx,
  wanted: { fromMs: number; toMs: number; limit: number },
): Promise<PaidPayment[]> {
  const [from, to] = [new Date(wanted.fromMs), new Date(wanted.toMs)]
  return tx.rows<PaidPayment>(sql`
    with due as materialized (
      select e.home, e.id, e.payment_id, e.payout_id, e.created_at from events e
      where e.created_at >= ${from} and e.created_at < ${to} and e.type in ('payment.completed', 'refund.completed')
        -- Operators may complete a refund again: its payer has read that it arrived.
        and e.occurrence = 1
        -- One that came back since was not returned to its payer.
        and (e.type = 'payment.completed' or exists (select from payouts o where o.home = e.home and o.id = e.payout_id and o.status = 'completed'))
        and not exists (select from receipts r where r.home = e.home and r.event_id = e.id)
      order by e.created_at, e.id limit ${wanted.limit}
    )
    select d.home, d.id as event_id, p.id as payment_id, p.environment, p.amount, p.amount_received, d.created_at as completed_at, p.phone_number, p.network,
      p.customer_email, p.payer_language, coalesce(p.description, g.title) as page_title, m.display_name as merchant_name, s.phone as support_phone, s.email as support_email, s.whatsapp as support_whatsapp, g.kind = 'webhook_tests' as is_webhook_test,
      m.verification_status = 'verified' as is_merchant_verified, p.page_id, p.short_code, p.network_receipt, o.id as refund_id, o.amount as refund_amount, o.method as refund_method
    from due d
    left join payouts o on o.home = d.home and o.id = d.payout_id
    join payments p on p.home = d.home and p.id = coalesce(d.payment_id, o.refund_of)
    join payment_pages g on g.home = p.home and g.id = p.page_id
    join merchants m on m.id = p.merchant_id
    left join support_contacts s on s.merchant_id = p.merchant_id
    order by d.created_at, d.id`)
}

type Counted = { name: string; count: number }

/** How many receipts of test payments each address was sent in the last hour. Addresses without one are left out. */
export async function countTestReceipts(runner: Runner, addresses: string[]): Promise<Counted[]> {
  return runner.rows(sql`
    select lower(recipient) as name, count(*) as count from mails
    where kind = 'test_receipt' and lower(recipient) = any(${addresses}::text[]) and created_at > clock_now() - interval '1 hour'
    group by lower(recipient)`)
}

/** The same for real payments, in the last 24 hours. */
export async function countReceipts(runner: Runner, addresses: string[]): Promise<Counted[]> {
  return runner.rows(sql`
    select lower(recipient) as name, count(*) as count from mails
    where kind = 'receipt' and lower(recipient) = any(${addresses}::text[]) and created_at > clock_now() - interval '24 hours'
    group by lower(recipient)`)
}

/** How many receipts were sent for payments of each page in the last hour. */
export async function countReceiptsOfPages(runner: Runner, pageIds: string[]): Promise<Counted[]> {
  return runner.rows(sql`
    select page_id::text as name, count(*) as count from receipts
    where outcome = 'mailed' and page_id = any(${pageIds}::uuid[]) and created_at > clock_now() - interval '1 hour'
    group by page_id`)
}

/** The outcome of a payment's receipt. */
export type ReceiptOutcome = 'mailed' | 'no_address' | 'too_many' | 'not_wanted'

export type Receipt = { home: number; eventId: string; pageId: string; outcome: ReceiptOutcome }

const receiptColumns = { home: 'smallint', eventId: 'uuid', pageId: 'uuid', outcome: 'text' } as const

/** A second receipt for a payment is a bug: the constraint then also undoes the mails of this transaction. */
export async function insertReceipts(tx: Tx, receipts: Receipt[]): Promise<void> {
  await tx.rows(sql`
    insert into receipts (home, event_id, page_id, outcome)
    select i.home, i.event_id, i.page_id, i.outcome
    from ${recordset(receipts, 'i', receiptColumns)}`)
}
