/** Money in suspense for a held payment, and the end of the payment after the money was returned. */
import { transfersOfPayment } from '../../money/ledger/transfer.sql.ts'
import { countPayments } from '../pages/page.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { movedColumns, recordPaymentEvents } from './payment-event.sql.ts'

/** TZS in suspense for a payment; 0 if none arrived, or it was in another currency. */
export async function findHeldMoney(db: Runner, payment: { home: number; paymentId: string }): Promise<number> {
  return db.value<number>(sql`
    select coalesce(sum(case when a.id = t.credit_account_id then t.amount else -t.amount end), 0)::bigint as amount
    from (${transfersOfPayment(sql`${payment.home}::smallint`, sql`${payment.paymentId}::uuid`)}) t
    join ledger_accounts a on a.home = ${payment.home} and a.id in (t.debit_account_id, t.credit_account_id) and a.kind = 'suspense'`)
}

/** A held payment, locked: the amount in suspense for it, in TZS, and the booked fee; undefined if it is not held. */
export async function lockHeldMoney(
  tx: Tx,
  payment: { home: number; paymentId: string },
): Promise<{ putAside: number; fee: number } | undefined> {
  const [held] = await tx.rows(sql`
    select from payments where home = ${payment.home} and id = ${payment.paymentId} and held for no key update`)
  if (!held) return undefined
  // Read after the lock: a fee that was booked while we waited for the lock counts.
  return tx.one<{ putAside: number; fee: number }>(sql`
    select coalesce(sum(amount) filter (where kind = 'suspense'), 0)::bigint as put_aside,
      coalesce(sum(amount) filter (where kind = 'provider_fee'), 0)::bigint as fee
    from (${transfersOfPayment(sql`${payment.home}::smallint`, sql`${payment.paymentId}::uuid`)}) t`)
}

/** Holds a payment whose money was returned to the payer before the payment was known; false if it was credited, or is held already. */
export async function holdReturned(tx: Tx, payment: { home: number; paymentId: string }): Promise<boolean> {
  return tx.any(sql`
    with held as (
      update payments set held = true, updated_at = clock_now()
      where home = ${payment.home} and id = ${payment.paymentId} and status <> 'completed' and not held
      returning home, id
    )
    update provider_charges c set next_attempt_at = null, ended_at = null, recheck_at = null, updated_at = clock_now()
    from held h where c.home = h.home and c.payment_id = h.id
    returning c.home`)
}

/**
 * Ends a held payment as voided after its money was returned; returns false if the payment is not held. It stays held: later messages of
 * the provider about it credit nothing. A payment that had ended before keeps its status and sends nothing. Locks in the order payment, page, as in settling.
 */
export async function voidHeldPayment(
  tx: Tx,
  payment: { home: number; paymentId: string },
  changedPayload: string,
): Promise<boolean> {
  const rows = await tx.rows<{ hasDueDeliveries: boolean }>(sql`
    with payment as materialized (
      select p.home, p.id, p.holds_place, p.status,
        coalesce((select t.to_status from payment_transitions t where t.from_status = p.status and t.to_status = 'voided'), p.status) as to_status
      from payments p
      where p.home = ${payment.home} and p.id = ${payment.paymentId} and p.held
      for no key update
    ),
    moved as (
      update payments p
      set status = y.to_status, holds_place = false, updated_at = clock_now()
      from payment y
      where p.home = y.home and p.id = y.id
      returning ${movedColumns}, y.to_status <> y.status as ends, y.holds_place as released
    ),
    ${countPayments(sql`
      select home, page_id, 0::bigint as paid, 0::bigint as total, (count(*) filter (where released))::integer as released
      from moved group by home, page_id`)},
    ${recordPaymentEvents(sql`moved`)}
    select exists (select from enqueued_deliveries) as has_due_deliveries from payment`)
  const news = rows.map(() => ({ channel: 'payments_changed', payload: changedPayload }))
  if (rows[0]?.hasDueDeliveries === true) news.push(webhooksDue)
  if (news.length > 0) await notifyAfterCommit(tx, news)
  return rows.length === 1
}
