/** The payouts of a batch, moved together. */
import { sql, type Tx } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { recordPayoutEvents } from './payout-event.sql.ts'
import { doubtOfOrder } from './payout.sql.ts'
import type { Money } from './post-payout.ts'

/**
 * Cancels at most `limit` payouts of a batch that were certainly never sent, and returns them; their money is still reserved. An order
 * that another transaction has locked is left to the sender, which cancels it once the batch is stopped. So is one that may have been sent
 * in the time that a restore has lost: it ends as the provider says.
 */
export async function cancelUnsentOfBatch(tx: Tx, batch: { home: number; id: string }, limit: number): Promise<Money[]> {
  const rows = await tx.rows<Money & { hasDueDeliveries: boolean }>(sql`
    with unsent as materialized (
      select p.home, p.id
      from payouts p
      join provider_payouts c on c.home = p.home and c.payout_id = p.id
      where p.home = ${batch.home} and p.batch_id = ${batch.id} and p.status = 'pending' and c.state in ('queued', 'unsent', 'deferred')
        and coalesce(${doubtOfOrder}, '')
          not in ('comparing', 'uncompared')
      order by p.batch_row limit ${limit}
      for no key update of p, c skip locked
    ),
    moved as (
      update payouts p set status = 'cancelled', updated_at = clock_now()
      from unsent u
      where p.home = u.home and p.id = u.id
      returning p.*, 'pending' as status_before
    ),
    ordered as (
      update provider_payouts c
      set state = 'withdrawn', next_attempt_at = null, updated_at = clock_now()
      from unsent u
      where c.home = u.home and c.payout_id = u.id
    ),
    ${recordPayoutEvents(sql`moved`)}
    select m.home, m.id, m.merchant_id, m.purpose, m.method, m.break_id, m.refund_of, m.environment, m.amount, m.fee, m.requested_by,
      exists (select from enqueued_deliveries) as has_due_deliveries
    from moved m`)
  if (rows[0]?.hasDueDeliveries) await notifyAfterCommit(tx, [webhooksDue])
  return rows
}
