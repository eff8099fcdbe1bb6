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
      join ledger_accounts a on a.home = t.home and a.id = t.debit_account_id and a.kind = 'suspense'
      -- What goes back to the payer is reserved while its break is open.
      where t.kind <> 'return_reserved' and not exists (
        select from breaks c where c.home = t.home and c.payment_id = t.payment_id and c.kind = 'amount_differs' and c.resolved_at is not null)`,
  },
  {
    invariant: 'I8',
    over: 'ledger_accounts',
    broken: () => sql`
      select format('in suspense lie %s for payment %s, which has %s open break and is %s', l.amount, l.payment_id,
        case when b.id is null then 'no' else 'an' end, case when p.held then 'held' else 'not held' end) as what,
        l.home, p.merchant_id
      from (
        select home, payment_id, sum(amount) as amount
        from (
          select a.home, t.payment_id, t.amount
          from ledger_accounts a join ledger_transfers t on t.home = a.home and t.credit_account_id = a.id where a.kind = 'suspense'
          union all
          select a.home, t.payment_id, -t.amount
          from ledger_accounts a join ledger_transfers t on t.home = a.home and t.debit_account_id = a.id where a.kind = 'suspense'
        ) lines
        group by home, payment_id
      ) l
      left join payments p on p.home = l.home and p.id = l.payment_id
      left join breaks b on b.home = l.home and b.payment_id = l.payment_id and b.kind = 'amount_differs' and b.resolved_at is null
      where l.amount < 0 or (l.amount > 0 and (b.id is null or not coalesce(p.held, false)))`,
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
      select format('payment %s is held and %s', p.id, p.status) as what, p.home, p.merchant_id, p.environment
      from payments p
      where p.held and ${within(scope, sql`p`, 'updated_at')}
        and (p.status = 'completed' or not exists (select from breaks c where c.home = p.home and c.payment_id = p.id))`,
  },
]
