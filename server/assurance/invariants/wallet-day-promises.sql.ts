/** The promise about the sums of closed days, which Home reads instead of the ledger. */
import { sql } from '../../platform/db/db.ts'
import { closedDays, limitsOf } from './closed-day-scope.sql.ts'
import type { Check } from './scope.sql.ts'

export const walletDayPromises: readonly Check[] = [
  {
    invariant: 'days',
    over: 'closed_days',
    broken: (scope) => {
      const { firstDay, lastDay } = limitsOf(scope)
      return sql`
      with d as materialized (
        select c.day, c.from_home, c.to_home from ${closedDays(scope)} c join summed_days s on s.day = c.day
      ),
      lines as (
        select w.day, w.home, w.merchant_id, w.environment, w.page_id, w.page_kind, w.network, w.payments as stored_payments, w.amount as stored,
          0::bigint as booked_payments, 0::bigint as booked
        from d
        join wallet_days w on w.day = d.day and w.home between d.from_home and d.to_home
        union all
        select d.day, t.home, a.holder, t.environment, case when not g.is_hidden then g.id end, case when g.is_hidden then g.kind else 'page' end, p.network,
          0, 0, 1, t.amount
        from ledger_transfers t
        join d on d.day = (t.created_at at time zone 'UTC' + interval '3 hours')::date and t.home between d.from_home and d.to_home
        join ledger_accounts a on a.home = t.home and a.id = t.credit_account_id and a.kind = 'wallet'
        join payments p on p.home = t.home and p.id = t.payment_id
        join payment_pages g on g.home = p.home and g.id = p.page_id
        where t.kind = 'payment' and t.created_at >= (${firstDay}::timestamp - interval '3 hours') at time zone 'UTC'
          and t.created_at < (${lastDay}::timestamp + interval '21 hours') at time zone 'UTC'
      )
      select format('the stored sum of %s of %s in %s, %s %s by %s, is %s payments of %s TZS, but %s of %s were booked', day, merchant_id, environment, page_kind,
        page_id, network, sum(stored_payments), sum(stored), sum(booked_payments), sum(booked)) as what, home, merchant_id, environment
      from lines
      group by day, home, merchant_id, environment, page_id, page_kind, network
      having (sum(stored_payments), sum(stored)) is distinct from (sum(booked_payments), sum(booked))`
    },
  },
  {
    // Home reads every day up to the last summed one from the stored sums.
    invariant: 'days',
    over: 'closed_days',
    broken: (scope) => sql`
      select format('the day %s was left out when days were summed', d.day) as what
      from ${closedDays(scope)} d
      where d.day < (select max(day) from summed_days) and not exists (select from summed_days s where s.day = d.day)`,
  },
]
