/** The promises about payout batches: approved as a whole, and paid row by row. */
import { sql } from '../../platform/db/db.ts'
import { idsOf, within, type Check } from './scope.sql.ts'

const p = sql`p`

export const batchPromises: readonly Check[] = [
  {
    invariant: 'batches',
    over: 'payouts',
    broken: (scope) => sql`
      select format('payout %s is of %s TZS and a fee of %s, but row %s of batch %s (%s) is %s: %s TZS and %s', p.id, p.amount, p.fee, p.batch_row, p.batch_id,
        b.status, r.state, r.amount, r.fee) as what, p.home, p.merchant_id, p.environment
      from payouts p
      left join payout_batches b on b.home = p.home and b.id = p.batch_id
      left join payout_batch_rows r on r.home = p.home and r.batch_id = p.batch_id and r.row_number = p.batch_row
      where p.batch_id is not null and ${within(scope, p, 'updated_at')} and (
        r.state is distinct from 'ready' or b.status in ('draft', 'waiting')
        or (b.merchant_id, b.environment, r.amount, r.fee, r.phone_number) is distinct from (p.merchant_id, p.environment, p.amount, p.fee, p.phone_number)
        or (b.finished_at is not null and p.status in ('pending', 'processing')))`,
  },
  {
    invariant: 'batches',
    over: 'merchants',
    broken: (scope) => sql`
      select format('batch %s is %s with %s rows of %s TZS and fees of %s, but has %s payouts of %s TZS and %s, and %s events', b.id, b.status, b.row_count, b.total,
        b.fees, s.payouts, s.total, s.fees, e.events) as what, b.home, b.merchant_id, b.environment
      from merchants m
      join payout_batches b on b.home = m.home and b.merchant_id = m.id
      cross join lateral (
        select count(*) as payouts, coalesce(sum(amount), 0) as total, coalesce(sum(fee), 0) as fees
        from payouts where home = b.home and batch_id = b.id
      ) s
      cross join lateral (
        select count(*) as events from events where home = b.home and id = event_id(b.home, 'payout_batch.completed', b.id)
          and type = 'payout_batch.completed' and merchant_id = b.merchant_id and environment = b.environment
      ) e
      where m.id = any(${idsOf(scope)}::uuid[]) and (
        (s.payouts, s.total, s.fees) is distinct from
          case when b.approved_at is null then (0::bigint, 0::numeric, 0::numeric) else (b.row_count::bigint, b.total::numeric, b.fees::numeric) end
        or e.events <> case when b.finished_at is null then 0 else 1 end)`,
  },
  {
    invariant: 'approvals',
    over: 'merchants',
    broken: (scope) => sql`
      select format('batch %s is approved, but the request of its members is %s with %s of %s votes', b.id, coalesce(r.status, 'missing'), v.votes, r.approvers) as what,
        b.home, b.merchant_id, b.environment
      from merchants m
      join payout_batches b on b.home = m.home and b.merchant_id = m.id
      left join approval_requests r on r.home = b.home and r.id = b.id
      cross join lateral (select count(*) as votes from approval_votes where home = b.home and request_id = b.id) v
      where m.id = any(${idsOf(scope)}::uuid[]) and b.approval = 'approved' and (r.status is distinct from 'approved' or v.votes < r.approvers)`,
  },
]
