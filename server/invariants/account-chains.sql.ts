/** The chain of each account: each line continues the one before, and the last one is the balance. */
import { sql, type Sql } from '../platform/db.ts'
import { holderOf, type Scope } from './scope.sql.ts'

/**
 * The chain of each account: of all of its lines, or of those after the last one that was found right. Together with the balances as they
 * stood there that says as much, unless what lies before was changed since: the digests of closed days would show it.
 */
export function brokenChains(scope: Scope): Sql {
  const known =
    scope.since === null
      ? sql`(select null::smallint as home, null::uuid as account_id, 0::bigint as seq, 0::bigint as balance)`
      : sql`checked_accounts`
  return sql`
      with accounts as (
        select a.home, a.id, a.holder, a.environment, a.balance, a.last_seq, coalesce(c.seq, 0) as from_seq, coalesce(c.balance, 0) as from_balance
        from ledger_accounts a
        left join ${known} c on c.home = a.home and c.account_id = a.id
        where ${scope.since === null ? sql`true` : sql`a.last_seq <> coalesce(c.seq, 0) or a.balance <> coalesce(c.balance, 0)`}
      ),
      lines as (
        select a.home, a.id as account_id, a.from_seq, a.from_balance, t.debit_seq as seq, -t.amount as delta, t.debit_balance_after as balance_after
        from accounts a join ledger_transfers t on t.home = a.home and t.debit_account_id = a.id and t.debit_seq > a.from_seq
        union all
        select a.home, a.id, a.from_seq, a.from_balance, t.credit_seq, t.amount, t.credit_balance_after
        from accounts a join ledger_transfers t on t.home = a.home and t.credit_account_id = a.id and t.credit_seq > a.from_seq
      ),
      checked as (
        select home, account_id, seq, balance_after,
          from_balance + sum(delta) over account as expected_balance, from_seq + row_number() over account as expected_seq
        from lines
        window account as (partition by home, account_id order by seq rows unbounded preceding)
      ),
      totals as (select home, account_id, sum(delta) as balance, count(*) as transfers from lines group by home, account_id)
      select format('account %s: line %s should be line %s with balance %s, not %s', account_id, seq, expected_seq, expected_balance, balance_after) as what, c.home,
        (select ${holderOf(sql`a.holder`)} from accounts a where a.home = c.home and a.id = c.account_id) as merchant_id,
        (select a.environment from accounts a where a.home = c.home and a.id = c.account_id) as environment
      from checked c where seq <> expected_seq or balance_after <> expected_balance
      union all
      select format('account %s: balance %s after %s transfers, but its transfers say %s after %s', a.id, a.balance, a.last_seq,
        a.from_balance + coalesce(t.balance, 0), a.from_seq + coalesce(t.transfers, 0)), a.home, ${holderOf(sql`a.holder`)}, a.environment
      from accounts a
      left join totals t on t.home = a.home and t.account_id = a.id
      where a.balance <> a.from_balance + coalesce(t.balance, 0) or a.last_seq <> a.from_seq + coalesce(t.transfers, 0)`
}

/** Remembers up to where the chains were found right, unless they are not: in one statement, which sees one moment. */
export const rememberChains: Sql = sql`
  with broken as materialized (${brokenChains({ since: new Date(0) })})
  insert into checked_accounts as c (home, account_id, seq, balance)
  select a.home, a.id, a.last_seq, a.balance
  from ledger_accounts a
  left join checked_accounts k on k.home = a.home and k.account_id = a.id
  where a.last_seq > coalesce(k.seq, 0) and not exists (select from broken)
  order by a.home, a.id
  on conflict (home, account_id) do update set seq = excluded.seq, balance = excluded.balance where c.seq < excluded.seq`
