/** What is always true between our books and a provider's word: money put aside, breaks, and the comparison of each day. */
import { sql } from '../platform/db.ts'
import { merchantOfTransfer, within, type Check } from './scope.sql.ts'

export const providerPromises: readonly Check[] = [
  {
    invariant: 'I8',
    over: 'ledger_transfers',
    broken: () => sql`
      select format('transfer %s put money aside without a break', t.id) as what, t.home, ${merchantOfTransfer(sql`t`)} as merchant_id
      from ledger_transfers t
      where t.kind = 'suspense' and not exists (
        select from breaks c where c.home = t.home and c.payment_id = t.payment_id and c.kind = 'amount_differs')`,
  },
  {
    invariant: 'I8',
    over: 'ledger_transfers',
    broken: () => sql`
      select format('transfer %s took money out of suspense without a resolved break', t.id) as what, t.home,
        ${merchantOfTransfer(sql`t`)} as merchant_id
      from ledger_transfers t
      where t.kind in ('suspense_release', 'suspense_return') and not exists (
        select from breaks c where c.home = t.home and c.payment_id = t.payment_id and c.kind = 'amount_differs' and c.resolved_at is not null)`,
  },
  {
    invariant: 'I8',
    over: 'ledger_accounts',
    broken: () => sql`
      select format('suspense of home %s (%s) holds %s, what was put aside and never left is %s', a.home, a.environment, a.balance, coalesce(o.total, 0)) as what,
        a.home, null::uuid as merchant_id
      from ledger_accounts a
      left join (
        select home, environment, sum(case when kind = 'suspense' then amount else -amount end) as total
        from ledger_transfers where kind in ('suspense', 'suspense_release', 'suspense_return') group by home, environment
      ) o on o.home = a.home and o.environment = a.environment
      where a.kind = 'suspense' and a.balance <> coalesce(o.total, 0)`,
  },
  {
    invariant: 'I8',
    over: 'glance',
    broken: () => sql`
      select format('%s of %s (%s, %s, %s): %s succeeded there, %s are in our books, %s in suspense, %s in breaks', r.subject, r.day, r.provider,
        r.environment, n.key, n.value ->> 'provider', n.value ->> 'credited', n.value ->> 'suspended', n.value ->> 'in_breaks') as what
      from reconciliation_runs r
      cross join lateral jsonb_each(r.by_network) as n
      where r.kind = 'daily' and r.ended_at is not null and (n.value ->> 'provider')::bigint
        <> (n.value ->> 'credited')::bigint + (n.value ->> 'suspended')::bigint + (n.value ->> 'in_breaks')::bigint`,
  },
  {
    invariant: 'I8',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is held and %s', p.id, p.status) as what, p.home, p.merchant_id
      from payments p
      where p.held and ${within(scope, sql`p`, 'updated_at')}
        and (p.status = 'completed' or not exists (select from breaks c where c.home = p.home and c.payment_id = p.id))`,
  },
]
