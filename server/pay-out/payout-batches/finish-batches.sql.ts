/**
 * Finishes batches whose payouts have all ended. Invariant: the end and its event are recorded by one statement, once. The data of the
 * event contains no personal data.
 */
import { sql, type Db } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { eventData, recordEvents } from '../../merchants/webhooks/event.sql.ts'
import { withProgress } from './batch.sql.ts'

const batchData = eventData(sql`
        select wire_id('pb', b.id) as id, b.status, b.row_count as rows, b.total, b.fees, 'TZS' as currency, g.completed, g.failed, g.cancelled, g.paid_amount,
          case when b.failure_code is not null then ${eventData(sql`select b.failure_code as code`)} end as failure,
          wire_time(b.created_at) as created_at, wire_time(b.approved_at) as approved_at, wire_time(b.finished_at) as finished_at,
          wire_time(b.updated_at) as updated_at`)

/** Returns how many it has finished, at most `limit`. */
export async function finishBatches({ db }: { db: Db }, limit: number): Promise<number> {
  const [row] = await db.rows<{ count: number; hasDueDeliveries: boolean }>(sql`
    with ended as materialized (
      select b.home, b.id from payout_batches b
      where b.status in ('running', 'stopped') and b.finished_at is null and not exists (
        select from payouts p where p.home = b.home and p.batch_id = b.id and p.status in ('pending', 'processing'))
      order by b.approved_at limit ${limit}
      for no key update skip locked
    ),
    finished as (
      update payout_batches b
      set status = case b.status when 'running' then 'done' else b.status end, finished_at = clock_now(), updated_at = clock_now()
      from ended e
      where b.home = e.home and b.id = e.id
      returning b.*
    ),
    ${recordEvents(sql`
      select b.home, event_id(b.home, 'payout_batch.completed', b.id) as id, 'payout_batch.completed' as type, b.merchant_id, b.environment,
        null::uuid as payment_id, null::uuid as payout_id, 1 as occurrence, ${batchData} as data
      from finished b ${withProgress}`)}
    select count(*) as count, exists (select from enqueued_deliveries) as has_due_deliveries from finished`)
  if (row!.hasDueDeliveries) await notifyAfterCommit(db, [webhooksDue])
  return row!.count
}
