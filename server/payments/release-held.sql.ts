/** What operators have decided about money that differs from its payment: it leaves suspense once, and the payment comes to an end. */
import { postTransfers } from '../ledger/transfer.sql.ts'
import { countPayments } from '../pages/page.sql.ts'
import { sql, type Tx } from '../platform/db.ts'

export type Release = {
  home: number
  paymentId: string
  /** To the merchant's wallet, or back to where the provider keeps it, who gives it to the payer. */
  to: 'wallet' | 'payer'
  movementId: string
  transferId: string
  actor: string
  requestId: string
}

/**
 * Ends a held payment as voided and moves what lies in suspense for it; false where the payment is not held. It stays held: whatever the
 * provider says of it later credits nothing. Locks go payment, page, accounts, as when settling.
 */
export async function releaseHeldMoney(tx: Tx, release: Release, changedPayload: string): Promise<boolean> {
  const isToWallet = release.to === 'wallet'
  const rows = await tx.rows<{ done: number }>(sql`
    with payment as materialized (
      select p.home, p.id, p.environment, p.merchant_id, p.page_id, p.holds_place,
        coalesce((select t.to_status from payment_transitions t where t.from_status = p.status and t.to_status = 'voided'), p.status) as to_status
      from payments p
      where p.home = ${release.home} and p.id = ${release.paymentId} and p.held
      for no key update
    ),
    moved as (
      update payments p
      set status = y.to_status, holds_place = false, updated_at = clock_now()
      from payment y
      where p.home = y.home and p.id = y.id
      returning y.home, y.page_id, y.holds_place as released
    ),
    page_changes as (
      select home, page_id, 0::bigint as paid, 0::bigint as total, (count(*) filter (where released))::integer as released
      from moved group by home, page_id
    ),
    ${countPayments},
    postings as (
      select 1::bigint as ord, y.home, y.environment, ${release.transferId}::uuid as transfer_id, ${release.movementId}::uuid as movement_id,
        case when ${isToWallet}::boolean then 'suspense_release' else 'suspense_return' end as kind,
        'suspense' as debit_kind, '00000000-0000-0000-0000-000000000000'::uuid as debit_holder,
        case when ${isToWallet}::boolean then 'wallet' else 'provider_clearing' end as credit_kind,
        case when ${isToWallet}::boolean then y.merchant_id else '00000000-0000-0000-0000-000000000000'::uuid end as credit_holder,
        s.amount, y.id as payment_id, y.page_id, null::uuid as payout_id, null::uuid as break_id, ${release.actor}::text as actor, ${release.requestId}::text as request_id
      from payment y
      -- Money of another currency was never in these books: there is nothing to move then.
      join ledger_transfers s on s.home = y.home and s.payment_id = y.id and s.kind = 'suspense'
      where (select count(*) from counting_pages) >= 0
    ),
    ${postTransfers},
    told as (select pg_notify('payments_changed', ${changedPayload}) from moved)
    select 1 as done, (select count(*) from told) as told from payment`)
  return rows.length === 1
}
