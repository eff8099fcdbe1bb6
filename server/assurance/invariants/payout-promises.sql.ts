/** The promises about a payout: where its money is, and that one key leads to one payout. */
import { sql } from '../../platform/db/db.ts'
import { changedPayouts, missingConstraints, within, type Check } from './scope.sql.ts'

const p = sql`p`

export const payoutPromises: readonly Check[] = [
  {
    invariant: 'I7',
    over: 'payouts',
    broken: (scope) => sql`
      select format('payout %s is %s: took %s, paid %s, came back %s, gave back %s', p.id, p.status, t.taken, t.paid, t.returned, t.given_back) as what,
        p.home, p.merchant_id, p.environment
      from payouts p
      cross join lateral (
        select coalesce(sum(amount) filter (where kind in ('payout', 'payout_fee', 'payout_again', 'payout_again_owed',
            'refund', 'refund_fee', 'refund_again')), 0) as taken,
          coalesce(sum(amount) filter (where kind in ('payout_settled', 'payout_fee_settled')), 0) as paid,
          coalesce(sum(amount) filter (where kind in ('payout_returned', 'payout_fee_returned')), 0) as returned,
          coalesce(sum(amount) filter (where kind in ('payout_reversal', 'refund_reversal')), 0) as given_back,
          coalesce(sum(amount) filter (where kind in ('payout_written_off', 'payout_fee_written_off')), 0)
            - coalesce(sum(amount) filter (where kind = 'payout_write_off_returned'), 0) as written_off,
          coalesce(sum(amount) filter (where kind in ('payout_raised', 'payout_raised_owed')), 0)
            - coalesce(sum(amount) filter (where kind = 'payout_lowered'), 0) as corrected
        from ledger_transfers where home = p.home and payout_id = p.id
      ) t
      -- Operators may have booked it again: once for each contradiction that they resolved so.
      cross join lateral (
        select count(*) as again from breaks b
        where b.home = p.home and b.payout_id = p.id and b.resolution = 'payout_paid_after_all'
      ) d
      -- A refund outside the wallet moves nothing in the books.
      cross join lateral (select case p.method when 'outside' then 0 else p.amount + p.fee end as debited) m
      where ${changedPayouts(scope)} and p.purpose <> 'return_to_payer' and (t.taken <> m.debited * (1 + d.again)
        or t.taken - t.given_back <> case when p.status in ('pending', 'processing', 'completed') then m.debited else 0 end
        or t.paid - t.returned <> case when p.status = 'completed' then m.debited else 0 end
        or t.paid not in (m.debited * d.again, m.debited * (1 + d.again))
        or (p.status in ('completed', 'reversed') and t.paid = 0 and m.debited > 0)
        or (p.status in ('pending', 'processing', 'failed', 'cancelled') and d.again = 0 and t.paid <> 0)
        or p.amount + t.corrected < 0 or (p.status <> 'completed' and t.corrected <> 0)
        or (t.written_off > 0) <> (p.late_success is not distinct from 'written_off'))`,
  },
  {
    invariant: 'I7',
    over: 'ledger_accounts',
    broken: (scope) => sql`
      select format('the reserve of merchant %s (%s) holds %s, but %s is in flight', a.holder, a.environment, a.balance, coalesce(w.total, 0)) as what,
        a.home, a.holder as merchant_id, a.environment
      from ledger_accounts a
      left join (
        select home, merchant_id, environment, sum(amount + fee) as total from payouts
        where status in ('pending', 'processing') and method = 'provider' group by home, merchant_id, environment
      ) w on w.home = a.home and w.merchant_id = a.holder and w.environment = a.environment
      where ${within(scope, sql`a`, 'created_at')} and a.kind = 'payouts_reserved' and a.balance <> coalesce(w.total, 0)`,
  },
  {
    invariant: 'approvals',
    over: 'payouts',
    broken: (scope) => sql`
      select format('payout %s is approved by %s, but the request of its members is %s with %s of %s votes', p.id, p.approval_by, coalesce(r.status, 'missing'),
        v.votes, r.approvers) as what, p.home, p.merchant_id, p.environment
      from payouts p
      left join approval_requests r on r.home = p.home and r.id = p.id
      cross join lateral (select count(*) as votes from approval_votes where home = p.home and request_id = p.id) v
      where ${within(scope, p, 'updated_at')} and p.approval = 'approved' and (p.approval_by = 'members' or r.id is not null)
        and (r.status is distinct from 'approved' or v.votes < r.approvers)
        -- What the provider had before a restore was approved; the database may not know who approved it.
        and not exists (select from restores b where b.noted_at > p.created_at)`,
  },
  {
    invariant: 'I12',
    over: 'payouts',
    broken: (scope) => sql`
      select format('payout %s shares its key with another one of merchant %s', p.id, p.merchant_id) as what
      from payouts p where ${within(scope, p, 'created_at')} and 1 < (
        select count(*) from payouts o where o.home = p.home and o.merchant_id = p.merchant_id and o.environment = p.environment
          and o.idempotency_hash = p.idempotency_hash)`,
  },
  { invariant: 'I12', over: 'glance', broken: () => missingConstraints(['payouts_one_per_idempotency_key']) },
  {
    invariant: 'I15',
    over: 'payouts',
    broken: (scope) => sql`
      select format('payout %s is of %s %s with a fee of %s', p.id, p.amount, p.currency, p.fee) as what
      from payouts p
      where (p.amount <= 0 or p.fee < 0 or p.currency <> 'TZS') and ${within(scope, p, 'created_at')}`,
  },
  {
    invariant: 'I16',
    over: 'payouts',
    broken: (scope) => sql`
      select format('payout %s has no requester or no request id', p.id) as what
      from payouts p where (p.requested_by = '' or p.request_id = '') and ${within(scope, p, 'created_at')}`,
  },
]
