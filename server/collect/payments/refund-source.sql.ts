/**
 * How much of a payment may be refunded. Invariant: `refunded_amount` is the sum of its refunds that have not failed; it changes in the
 * transaction that reserves or returns a refund's money, and `payments_refunds_within_amount` keeps it within the payment.
 */
import type { Network } from '../../domain/network.ts'
import type { PaymentStatus } from '../../domain/payment.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { transfersOfPayment } from '../../money/ledger/transfer.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

export type RefundSource = {
  status: PaymentStatus
  phoneNumber: string
  customerName: string | null
  network: Network | null
  isCreditReversed: boolean
  /** A break about it waits for operators. */
  isUnderReview: boolean
  /** TZS: what was credited, at most the payment's amount, less its refunds. */
  refundable: number
}

export async function findRefundSource(db: Runner, owner: Owner, id: string): Promise<RefundSource | undefined> {
  const { merchant, environment } = owner
  return db.maybeOne<RefundSource>(sql`
    select p.status, p.phone_number, p.customer_name, p.network, p.credit_reversed_at is not null as is_credit_reversed,
      exists (select from breaks b where b.home = p.home and b.payment_id = p.id and b.resolved_at is null) as is_under_review,
      greatest(0, least(coalesce(p.amount_received, p.amount), c.credited) - p.refunded_amount)::bigint as refundable
    from payments p
    cross join lateral (
      -- Operators may have corrected the credit.
      select coalesce(sum(case
        when l.kind in ('payment', 'suspense_release', 'credit_added') then l.amount
        when l.kind in ('credit_reversed', 'credit_reversed_owed') then -l.amount end), 0) as credited
      from (${transfersOfPayment(sql`p.home`, sql`p.id`)}) l
    ) c
    where p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and p.environment = ${environment} and p.id = ${id}`)
}

/** Locks the payment until the transaction ends, so that what `findRefundSource` then returns stays true. */
export async function lockRefundSource(tx: Tx, { merchant }: Owner, id: string): Promise<void> {
  await tx.rows(sql`select from payments where home = ${merchant.home} and id = ${id} for no key update`)
}

/** TZS of a refund. `paymentId`: of the same home. */
type Refunded = { home: number; paymentId: string; amount: number }

/** A new refund takes its part of the payment; too much violates `payments_refunds_within_amount`. */
export async function takeForRefund(tx: Tx, { home, paymentId, amount }: Refunded): Promise<void> {
  await tx.rows(sql`
    update payments set refunded_amount = refunded_amount + ${amount}::bigint, updated_at = clock_now()
    where home = ${home} and id = ${paymentId}`)
}

/** Operators have found that more of a refund was paid, or less. That is a fact, so it counts even if it exceeds the payment. */
export async function correctRefunded(tx: Tx, { home, paymentId, amount }: Refunded): Promise<void> {
  await tx.rows(sql`
    update payments p
    set refunded_amount = n.total, refund_overpaid = greatest(0, n.total - coalesce(p.amount_received, p.amount)), updated_at = clock_now()
    from (select home, id, refunded_amount + ${amount}::bigint as total from payments where home = ${home} and id = ${paymentId} for no key update) n
    where p.home = n.home and p.id = n.id`)
}

/** A refund has failed or came back: its part of the payment may be refunded again. */
export async function giveBackRefund(tx: Tx, refund: Refunded): Promise<void> {
  await correctRefunded(tx, { ...refund, amount: -refund.amount })
}
