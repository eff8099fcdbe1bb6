/**
 * The one statement that applies a provider's messages to payments: transition, wallet credit, page counters, event, deliveries, charge
 * and inbox, for a whole batch at once or for none of it. payment_transitions defines which moves exist, credit and end. Locks are taken
 * in one order: payments, pages, ledger accounts; payments and pages by (home, id), accounts by their keys. The parts stand in
 * judge-settlement (what each news means), move-payment (payments and charges) and book-payment (money).
 */
import type { PaymentStatus } from '../../domain/payment.ts'
import { settleInbox } from '../../money/providers/inbox.sql.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { countOnPages, findLaterFees, openBreaksOfFees, postCredits } from './book-payment.sql.ts'
import type { PromptSeconds } from './end-checks.sql.ts'
import { deriveEffects, judge, lockSubjects } from './judge-settlement.sql.ts'
import { addLaterReceipts, bindReferences, indexReceipts, movePayments, recordCharges } from './move-payment.sql.ts'
import { recordPaymentEvents } from './payment-event.sql.ts'
import { settlementColumns, settlementRow } from './settlement-row.ts'
import type { Settlement } from './settlement.ts'

export const verdicts = [
  'applied',
  'unchanged',
  /** The state machine does not allow the move: an old message after the end. */
  'ignored',
  /** A success without an amount. */
  'unproven',
  /** A webhook that must not credit by itself: the provider is queried first. */
  'to_confirm',
  /** A webhook of another amount or currency: nothing is booked, and the provider is queried. */
  'amount_to_confirm',
  /** A webhook that contradicts the credit of a payment: nothing moves, and the provider is queried. */
  'contradicts',
  'amount_differs',
  'held',
  'reference_conflict',
  /** A break has booked the money of this record: nothing moves here. */
  'found',
  'unknown_payment',
] as const
export type Verdict = (typeof verdicts)[number]

export type Settled = {
  verdict: Verdict
  status: PaymentStatus | null
  /** A success after the payment had ended differently. */
  isLate: boolean
  /** The fee was implausible: a break was opened. */
  feeWaits?: boolean
  /** The request that started the payment, if the settlement moved it. */
  startedBy?: string | null
  /** How long the credit took, for metrics; null if it credited nothing. `sinceMessage` is null if no message caused the credit. */
  creditedAfter?: { sinceCheckoutSeconds: number; sinceMessageSeconds: number | null } | null
  /** Deliveries became due, for this or another payment of its batch. */
  hasDueDeliveries?: boolean
  /** The payment has another network receipt than this news. The first one stays. */
  receiptDiffers?: boolean
}

/**
 * Applies a batch; a payment may occur in it only once. `changedPayload` is the notification to those who wait for these payments, sent
 * after the commit; null: the caller notifies, for many batches at once. `promptSeconds`: needed only for news that may leave a payment open.
 */
export async function applySettlements(
  db: Runner,
  items: Settlement[],
  changedPayload: string | null,
  promptSeconds?: PromptSeconds,
): Promise<Settled[]> {
  const rows = await db.rows<Omit<Settled, 'creditedAfter'> & { sinceCheckout: number | null; sinceMessage: number | null }>(sql`
    with input as (
      select *
      from ${recordset(items.map(settlementRow), 'i', settlementColumns, 'ord')}
    ),
    ${lockSubjects},
    ${judge},
    ${deriveEffects},
    ${movePayments},
    ${addLaterReceipts},
    ${indexReceipts},
    ${recordCharges(promptSeconds)},
    ${bindReferences},
    ${countOnPages},
    ${findLaterFees},
    ${postCredits},
    ${openBreaksOfFees},
    ${recordPaymentEvents(sql`moved`)},
    ${settleInbox(sql`judged`)}
    select j.verdict, f.payment_id is not null as fee_waits, coalesce(m.status, j.from_status) as status, coalesce(j.late and m.status is not null, false) as is_late,
      m.started_by, case when m.credits then extract(epoch from m.completed_at - m.created_at)::double precision end as since_checkout,
      case when m.credits then extract(epoch from m.completed_at - s.received_at)::double precision end as since_message,
      exists (select from enqueued_deliveries) as has_due_deliveries,
      coalesce(j.has_receipt and j.network_receipt <> j.known_receipt, false) as receipt_differs
    from judged j
    left join moved m on m.ord = j.ord
    left join settled_inbox s on s.ord = j.ord
    left join fee_breaks f on f.payment_id = j.payment_id
    order by j.ord`)
  if (changedPayload !== null) {
    const news = rows.some(({ verdict }) => verdict === 'applied')
      ? [{ channel: 'payments_changed', payload: changedPayload }]
      : []
    if (rows[0]?.hasDueDeliveries === true) news.push(webhooksDue)
    if (news.length > 0) await notifyAfterCommit(db, news)
  }
  return rows.map(({ sinceCheckout, sinceMessage, ...settled }) => ({
    ...settled,
    creditedAfter: sinceCheckout === null ? null : { sinceCheckoutSeconds: sinceCheckout, sinceMessageSeconds: sinceMessage },
  }))
}
