/** The promises about the ledger: accounts, transfers, and what the service may do to them. */
import { sql } from '../../platform/db/db.ts'
import { brokenEnds, brokenLines } from './account-chains.sql.ts'
import {
  holderOf,
  merchantOfTransfer,
  missingConstraints,
  missingIndexes,
  nearHomes,
  permissions,
  within,
  type Check,
} from './scope.sql.ts'

const t = sql`t`

export const ledgerPromises: readonly Check[] = [
  {
    invariant: 'I1',
    over: 'ledger_transfers',
    broken: (scope) => sql`
      select format('transfer %s moves %s from account %s to account %s', t.id, t.amount, t.debit_account_id, t.credit_account_id) as what,
        t.home, ${merchantOfTransfer(t)} as merchant_id, t.environment
      from ledger_transfers t
      where (t.amount <= 0 or t.debit_account_id = t.credit_account_id) and ${within(scope, t, 'created_at')}`,
  },
  {
    invariant: 'I1',
    over: 'glance',
    broken: () => missingConstraints(['ledger_transfers_amount_positive', 'ledger_transfers_two_accounts']),
  },
  {
    invariant: 'I2',
    over: 'homes',
    broken: ({ keys }) => sql`
      with sums as (
        select a.home, a.environment, sum(a.balance) as total
        from ledger_accounts a where a.home = any(${keys?.homes ?? []}::smallint[]) group by a.home, a.environment having sum(a.balance) <> 0
      )
      select format('home %s, %s: the balances sum to %s', s.home, s.environment, s.total) as what, s.home, s.environment,
        -- The difference concerns one merchant if exactly its accounts differ from their last lines by this sum.
        (select case when count(distinct o.holder) = 1 and sum(o.excess) = s.total then ${holderOf(sql`min(o.holder::text)::uuid`)} end
          from (
            select a.holder, a.balance - coalesce(
              (select d.debit_balance_after from ledger_transfers d
                where d.home = a.home and d.debit_account_id = a.id and d.debit_seq = a.last_seq),
              (select c.credit_balance_after from ledger_transfers c
                where c.home = a.home and c.credit_account_id = a.id and c.credit_seq = a.last_seq), 0) as excess
            from ledger_accounts a where a.home = s.home and a.environment = s.environment
          ) o where o.excess <> 0) as merchant_id
      from sums s`,
  },
  { invariant: 'I3', over: 'ledger_transfers', broken: brokenLines },
  { invariant: 'I3', over: 'ledger_accounts', broken: brokenEnds },
  {
    invariant: 'I3',
    over: 'ledger_accounts',
    broken: (scope) => sql`
      select format('account %s (%s) holds %s', a.id, a.kind, a.balance) as what, a.home, ${holderOf(sql`a.holder`)} as merchant_id, a.environment
      from ledger_accounts a
      where a.kind in ('wallet', 'payouts_reserved') and a.balance < 0 and ${within(scope, sql`a`, 'created_at')}`,
  },
  {
    invariant: 'I3',
    over: 'glance',
    broken: () =>
      missingConstraints(['wallet_not_overdrawn', 'reserve_not_overdrawn', 'receivable_not_positive', 'returns_not_overdrawn']),
  },
  {
    invariant: 'I4',
    over: 'glance',
    broken: () => permissions(['ledger_transfers', 'events', 'closed_days', 'closed_day_homes']),
  },
  {
    invariant: 'I5',
    over: 'glance',
    broken: () => missingIndexes(['ledger_transfers_one_credit_per_payment', 'ledger_transfers_once_per_payout_and_break']),
  },
  {
    invariant: 'I14',
    over: 'ledger_transfers',
    broken: (scope) => sql`
      select format('transfer %s crosses environments', t.id) as what, t.home, ${merchantOfTransfer(t)} as merchant_id
      from ledger_transfers t
      join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id and ${nearHomes(scope, sql`d.home`)}
      join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id and ${nearHomes(scope, sql`c.home`)}
      where (d.environment <> t.environment or c.environment <> t.environment) and ${within(scope, t, 'created_at')}`,
  },
  {
    invariant: 'I14',
    over: 'glance',
    broken: () => missingConstraints(['ledger_transfers_debit_account', 'ledger_transfers_credit_account', 'payments_page']),
  },
  {
    invariant: 'I16',
    over: 'ledger_transfers',
    broken: (scope) => sql`
      select format('transfer %s has no actor or no request id', t.id) as what
      from ledger_transfers t where (t.actor = '' or t.request_id = '') and ${within(scope, t, 'created_at')}`,
  },
]
