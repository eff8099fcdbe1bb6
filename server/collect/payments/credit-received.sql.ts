/**
 * Credits a payment with received money, as operators have decided: the transition, the wallet, the page, the event and its deliveries,
 * in one statement. Invariant: a payment is credited at most once, and a credited payment is completed.
 */
import type { PaymentStatus } from '../../domain/payment.ts'
import type { Environment } from '../../domain/environment.ts'
import { systemHolder } from '../../money/ledger/account.sql.ts'
import { postTransfers, transfersOfPayment } from '../../money/ledger/transfer.sql.ts'
import { countPayments } from '../pages/page.sql.ts'
import { literal, sql, type Tx } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { movedColumns, recordPaymentEvents } from './payment-event.sql.ts'

export type ReceivedCredit = {
  home: number
  paymentId: string
  /** TZS. If it differs from the payment's amount, the payment stores both. */
  amount: number
  /** TZS that the provider took as its fee and that is not booked yet. */
  fee: number
  /** The account that holds the money: `suspense` for a held payment, else `provider_clearing`. */
  from: 'suspense' | 'provider_clearing'
  movementId: string
  transferId: string
  feeTransferId: string
  actor: string
  requestId: string
}

const system = literal(systemHolder)

/**
 * Returns false and moves nothing when the payment cannot become completed, or when it is held but the money is not in suspense. Locks in
 * the order payment, page, accounts, as in settling.
 */
export async function creditReceived(tx: Tx, credit: ReceivedCredit, changedPayload: string): Promise<boolean> {
  const rows = await tx.rows<{ hasDueDeliveries: boolean }>(sql`
    with payment as materialized (
      select p.home, p.id, p.holds_place, t.late
      from payments p
      join payment_transitions t on t.from_status = p.status and t.credits
      where p.home = ${credit.home} and p.id = ${credit.paymentId} and p.held = (${credit.from} = 'suspense')
      for no key update of p
    ),
    moved as (
      update payments p
      set status = 'completed', late = y.late, held = false, holds_place = false, failure_code = null, failure_text = null,
        amount_received = nullif(${credit.amount}::bigint, p.amount), completed_at = clock_now(), updated_at = clock_now()
      from payment y
      where p.home = y.home and p.id = y.id
      returning ${movedColumns}, true as ends, y.holds_place as released
    ),
    charged as (
      update provider_charges c set next_attempt_at = null, ended_at = null, recheck_at = null,
        ended_by = array_append(c.ended_by, 'completed by ' || ${credit.actor}::text || ' in ' || ${credit.requestId}::text), updated_at = clock_now()
      from moved m where c.home = m.home and c.payment_id = m.payment_id
    ),
    ${countPayments(sql`
      select home, page_id, 1::bigint as paid, ${credit.amount}::bigint as total, released::integer as released from moved`)},
    ${postTransfers(sql`
      select 1::bigint as ord, m.home, m.environment, ${credit.transferId}::uuid as transfer_id, ${credit.movementId}::uuid as movement_id,
        'payment' as kind, ${credit.from}::text as debit_kind, ${system}::uuid as debit_holder,
        'wallet' as credit_kind, m.merchant_id as credit_holder, ${credit.amount}::bigint as amount, m.payment_id, m.page_id,
        null::uuid as payout_id, null::uuid as break_id, ${credit.actor}::text as actor, ${credit.requestId}::text as request_id
      from moved m
      where (select count(*) from counting_pages) >= 0
      union all
      select 2, m.home, m.environment, ${credit.feeTransferId}::uuid, ${credit.movementId}::uuid, 'provider_fee',
        'provider_fees', ${system}::uuid, 'provider_clearing', ${system}::uuid,
        ${credit.fee}::bigint, m.payment_id, m.page_id, null, null, ${credit.actor}, ${credit.requestId}
      from moved m where ${credit.fee}::bigint > 0`)},
    ${recordPaymentEvents(sql`moved`)}
    select exists (select from enqueued_deliveries) as has_due_deliveries from moved m`)
  const news = rows.map(() => ({ channel: 'payments_changed', payload: changedPayload }))
  if (rows[0]?.hasDueDeliveries === true) news.push(webhooksDue)
  if (news.length > 0) await notifyAfterCommit(tx, news)
  return rows.length === 1
}

/**
 * Binds a payment that was credited to the charge that brought the money, whose break has given it up. The payment's earlier charge stays bound to it: if that one
 * succeeds too, it is a second charge.
 */
export async function bindCredited(
  tx: Tx,
  key: { home: number; paymentId: string; provider: string; environment: Environment; reference: string },
): Promise<void> {
  await tx.rows(sql`
    with charged as (
      update provider_charges set state = 'accepted', provider_reference = ${key.reference}, next_attempt_at = null, ended_at = null,
        recheck_at = null, updated_at = clock_now()
      where home = ${key.home} and payment_id = ${key.paymentId}
    )
    insert into provider_references (provider, environment, reference, home, payment_id)
    values (${key.provider}, ${key.environment}, ${key.reference}, ${key.home}, ${key.paymentId})`)
}

type Subject = { status: PaymentStatus; merchantId: string; pageId: string; creditReversedAt: Date | null }

type Credited = Subject & {
  /** TZS that reached the merchant and were not reversed; TZS that the merchant owes count as reversed. */
  credited: number
  /** TZS of the provider's fee that are booked, and that were returned and not booked again. */
  fee: number
  feeReturned: number
}

/** A payment, locked, with the amount that was credited for it. */
export async function findCredited(tx: Tx, key: { home: number; paymentId: string }): Promise<Credited | undefined> {
  const [payment] = await tx.rows<Subject>(sql`
    select status, merchant_id, page_id, credit_reversed_at from payments
    where home = ${key.home} and id = ${key.paymentId}
    for no key update`)
  if (!payment) return undefined
  // Read after the lock: transfers that were booked while we waited for the lock count.
  const [booked] = await tx.rows<{ credited: number; fee: number; feeReturned: number }>(sql`
    select coalesce(sum(case
        when kind in ('payment', 'suspense_release', 'credit_added') then amount
        when kind in ('credit_reversed', 'credit_reversed_owed') then -amount end), 0)::bigint as credited,
      coalesce(sum(case when kind in ('provider_fee', 'provider_fee_again') then amount when kind = 'provider_fee_returned' then -amount end), 0)::bigint as fee,
      coalesce(sum(case kind when 'provider_fee_returned' then amount when 'provider_fee_again' then -amount end), 0)::bigint as fee_returned
    from (${transfersOfPayment(sql`${key.home}::smallint`, sql`${key.paymentId}::uuid`)}) l`)
  return { ...payment, ...booked! }
}

/** Marks whether the credit of a payment is reversed: the provider has shown that it was not paid. */
export async function markReversed(tx: Tx, key: { home: number; paymentId: string }, isReversed: boolean): Promise<void> {
  await tx.rows(sql`
    update payments set credit_reversed_at = case when ${isReversed} then clock_now() end, updated_at = clock_now()
    where home = ${key.home} and id = ${key.paymentId}`)
}
