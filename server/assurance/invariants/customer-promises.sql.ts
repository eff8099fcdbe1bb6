/** The promise about customers: their totals are what the ledger lines that were counted add up to. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { idsOf, type Check } from './scope.sql.ts'

/** The counted lines of an account `a` on one side. */
const side = (account: Sql, seq: Sql): Sql => sql`
  select t.kind, t.amount, t.payout_id, t.break_id from ledger_transfers t
  where t.home = a.home and ${account} = a.id and ${seq} <= case a.kind when 'wallet' then n.wallet_seq else n.receivable_seq end`

export const customerPromises: readonly Check[] = [
  {
    invariant: 'customers',
    over: 'merchants',
    broken: (scope) => sql`
      select format('the customers of %s in %s have %s payments of %s TZS and refunds of %s, but %s of %s and refunds of %s were booked', n.merchant_id,
        n.environment, c.payments, c.paid, c.refunded, l.payments, l.paid, l.refunded) as what
      from customer_counts n
      cross join lateral (
        select coalesce(sum(paid_count), 0) as payments, coalesce(sum(paid_total), 0) as paid, coalesce(sum(refunded_total), 0) as refunded
        from customers where home = n.home and merchant_id = n.merchant_id and environment = n.environment
      ) c
      cross join lateral (
        select count(*) filter (where t.kind in ('payment', 'suspense_release')) as payments,
          coalesce(sum(case when t.kind in ('payment', 'suspense_release', 'credit_added') then t.amount
            when t.kind in ('credit_reversed', 'credit_reversed_owed') then -t.amount end), 0) as paid,
          coalesce(sum(case when t.kind in ('refund', 'refund_again') then o.amount when t.kind = 'refund_reversal' then -o.amount
            when o.id is not null and t.kind in ('payout_raised', 'payout_raised_owed') then t.amount
            when o.id is not null and t.kind = 'payout_lowered' then -t.amount
            when t.kind = 'payout_again_owed' and not exists (select from ledger_transfers w
              where w.home = n.home and w.payout_id = t.payout_id and w.kind = 'refund_again' and w.break_id = t.break_id) then o.amount end), 0) as refunded
        from ledger_accounts a
        cross join lateral (
          ${side(sql`t.credit_account_id`, sql`t.credit_seq`)} union all ${side(sql`t.debit_account_id`, sql`t.debit_seq`)}
        ) t
        left join payouts o on o.home = n.home and o.id = t.payout_id and o.purpose = 'refund'
        where a.home = n.home and a.environment = n.environment and a.holder = n.merchant_id and a.kind in ('wallet', 'receivable')
      ) l
      where n.merchant_id = any(${idsOf(scope)}::uuid[])
        and (c.payments, c.paid, c.refunded) is distinct from (l.payments, l.paid, l.refunded)`,
  },
]
