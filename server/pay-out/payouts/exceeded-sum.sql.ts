/** What has left a wallet today, or may still leave. Read only. */
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'

/** TZS to one phone (E.164). */
export type Share = { phoneNumber: string; amount: number }

const shareColumns = { phoneNumber: 'text', amount: 'bigint' } as const

/**
 * The sums of today (East Africa Time) with what is wanted: of the wallet, and the largest to one recipient. A payout, a refund or a row
 * counts on the day of its request, also while it waits; not one that was cancelled, failed or came back. The rows of a batch that waits
 * are no payouts yet; without `waitingRows` they do not count.
 */
export async function sumToday(
  tx: Tx,
  { merchant, environment }: Owner,
  wanted: Share[],
  { waitingRows }: { waitingRows: boolean },
): Promise<{ wallet: number; recipient: number }> {
  return tx.one<{ wallet: number; recipient: number }>(sql`
    with today as materialized (
      select p.phone_number, p.amount from payouts p
      where p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and p.environment = ${environment}
        and p.created_at >= (((clock_now() at time zone 'UTC') + interval '3 hours')::date::timestamp - interval '3 hours') at time zone 'UTC'
        and p.status in ('pending', 'processing', 'completed')
      union all
      select r.phone_number, r.amount from approval_requests q join payout_batch_rows r on r.home = q.home and r.batch_id = q.id
      where ${waitingRows}::boolean and q.home = ${merchant.home} and q.merchant_id = ${merchant.id} and q.environment = ${environment}
        and q.status = 'waiting' and q.kind = 'payout_batch' and r.state = 'ready'
        and q.created_at >= (((clock_now() at time zone 'UTC') + interval '3 hours')::date::timestamp - interval '3 hours') at time zone 'UTC'
    ),
    wanted as materialized (
      select w.phone_number, sum(w.amount) as amount from ${recordset(wanted, 'w', shareColumns)} group by w.phone_number
    ),
    before as (
      select t.phone_number, sum(t.amount) as amount from today t group by t.phone_number
    )
    select (coalesce((select sum(amount) from today), 0) + coalesce(sum(w.amount), 0))::bigint as wallet,
      coalesce(max(w.amount + coalesce(b.amount, 0)), 0)::bigint as recipient
    from wanted w left join before b on b.phone_number = w.phone_number`)
}
