/** The promises about our books and a provider's messages: money in suspense, breaks, and the reconciliation of each day. */
import { sql } from '../../platform/db/db.ts'
import { transfersOfPayment } from '../../money/ledger/transfer.sql.ts'
import { merchantOfTransfer, nearHomes, within, type Check } from './scope.sql.ts'

const t = sql`t`

export const providerPromises: readonly Check[] = [
  {
    invariant: 'I8',
    over: 'ledger_transfers',
    broken: (scope) => sql`
      select format('transfer %s put money aside without a break', t.id) as what, t.home, ${merchantOfTransfer(t)} as merchant_id
      from ledger_transfers t
      where ${within(scope, t, 'created_at')} and t.kind = 'suspense' and 0 = (
        select count(*) from breaks c where c.home = t.home and c.payment_id = t.payment_id and c.kind = 'amount_differs')`,
  },
  {
    invariant: 'I8',
    over: 'ledger_transfers',
    broken: (scope) => sql`
      select format('transfer %s took money out of suspense without a resolved break', t.id) as what, t.home,
        ${merchantOfTransfer(t)} as merchant_id
      from ledger_transfers t
      join ledger_accounts a on a.home = t.home and a.id = t.debit_account_id and a.kind = 'suspense' and ${nearHomes(scope, sql`a.home`)}
      -- Money that is returned to the payer is reserved while its break is open.
      where ${within(scope, t, 'created_at')} and t.kind <> 'return_reserved' and 0 = (
        select count(*) from breaks c where c.home = t.home and c.payment_id = t.payment_id and c.kind = 'amount_differs' and c.resolved_at is not null)`,
  },
  {
    invariant: 'I8',
    over: 'ledger_transfers',
    broken: (scope) => sql`
      with touched as materialized (
        select distinct t.home, t.payment_id
        from ledger_transfers t
        join ledger_accounts a on a.home = t.home and a.id in (t.debit_account_id, t.credit_account_id) and a.kind = 'suspense' and ${nearHomes(scope, sql`a.home`)}
        where ${within(scope, t, 'created_at')}
      )
      select format('suspense holds %s for payment %s, which has %s open break and is %s', l.amount, l.payment_id,
        case when b.id is null then 'no' else 'an' end, case when p.held then 'held' else 'not held' end) as what,
        l.home, p.merchant_id
      from (
        select s.home, s.payment_id, (
          select coalesce(sum(case when c.kind = 'suspense' then x.amount else 0 end - case when d.kind = 'suspense' then x.amount else 0 end), 0)
          from (${transfersOfPayment(sql`s.home`, sql`s.payment_id`)}) x
          join ledger_accounts d on d.home = s.home and d.id = x.debit_account_id
          join ledger_accounts c on c.home = s.home and c.id = x.credit_account_id) as amount
        from touched s
      ) l
      left join lateral (select * from payments x where x.home = l.home and x.id = l.payment_id offset 0) p on true
      left join lateral (
        select * from breaks x where x.home = l.home and x.payment_id = l.payment_id and x.kind = 'amount_differs' and x.resolved_at is null offset 0
      ) b on true
      where l.amount < 0 or l.payment_id is null or (l.amount > 0 and (b.id is null or not coalesce(p.held, false)))
        -- After its return, too: a later success would credit it again.
        or (not p.held and p.status <> 'completed')`,
  },
  {
    invariant: 'I8',
    over: 'reconciliation_runs',
    broken: (scope) => sql`
      select format('%s of %s (%s, %s, %s): %s succeeded there, %s are in our books, %s in suspense, %s in breaks', r.subject, r.day, r.provider,
        r.environment, n.key, n.value ->> 'provider', n.value ->> 'credited', n.value ->> 'suspended', n.value ->> 'in_breaks') as what
      from reconciliation_runs r
      cross join lateral jsonb_each(r.by_network) as n
      where ${scope.keys ? sql`r.id = any(${scope.keys.ids}::uuid[])` : sql`r.ended_at >= ${scope.since}::timestamptz`}
        and r.kind = 'daily' and r.ended_at is not null and (n.value ->> 'provider')::bigint
        <> (n.value ->> 'credited')::bigint + (n.value ->> 'suspended')::bigint + (n.value ->> 'in_breaks')::bigint
          + coalesce((n.value ->> 'decided')::bigint, 0)`,
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
  {
    invariant: 'I8',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s was returned to its payer, and is not held', p.id) as what, p.home, p.merchant_id, p.environment
      from payments p
      join breaks c on c.home = p.home and c.payment_id = p.id and c.kind = 'amount_differs' and c.resolution = 'return_to_payer' and c.resolved_at is not null
      where not p.held and p.status <> 'completed' and ${within(scope, sql`p`, 'updated_at')}`,
  },
]
