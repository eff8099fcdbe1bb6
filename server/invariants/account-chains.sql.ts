/** The chain of each account: each line continues the one before, and the last one is the balance. */
import { sql, type Sql } from '../platform/db.ts'
import { holderOf, within, type Scope } from './scope.sql.ts'

const ownerOf = (alias: Sql): Sql => sql`
  (select ${holderOf(sql`a.holder`)} from ledger_accounts a where a.home = ${alias}.home and a.id = ${alias}.account_id) as merchant_id,
  (select a.environment from ledger_accounts a where a.home = ${alias}.home and a.id = ${alias}.account_id) as environment`

/** How many lines an account has at a place, and the balance that they left. */
const linesAt = (alias: Sql, account: Sql, seq: Sql): Sql => sql`(
  select count(*) as lines, min(balance) as balance from (
    select d.debit_balance_after as balance from ledger_transfers d
    where d.home = ${alias}.home and d.debit_account_id = ${account} and d.debit_seq = ${seq}
    union all
    select c.credit_balance_after from ledger_transfers c
    where c.home = ${alias}.home and c.credit_account_id = ${account} and c.credit_seq = ${seq}
  ) at_place)`

/**
 * Lines that do not continue their neighbour: each is compared with the line before it and no other. Where that holds for all lines of an account,
 * and its last one is its balance, the balance is the sum of its lines and their places have no gap.
 */
export function brokenLines(scope: Scope): Sql {
  return sql`
      with lines as (
        select t.home, t.debit_account_id as account_id, t.debit_seq as seq, -t.amount as delta, t.debit_balance_after as balance_after
        from ledger_transfers t where ${within(scope, sql`t`, 'created_at')}
        union all
        select t.home, t.credit_account_id, t.credit_seq, t.amount, t.credit_balance_after
        from ledger_transfers t where ${within(scope, sql`t`, 'created_at')}
      )
      select format('account %s: line %s has balance %s; %s lines have its place, %s the place before, with balance %s, and it moves %s', l.account_id,
        l.seq, l.balance_after, here.lines, before.lines, coalesce(before.balance, 0), l.delta) as what, l.home, ${ownerOf(sql`l`)}
      from lines l
      cross join lateral ${linesAt(sql`l`, sql`l.account_id`, sql`l.seq - 1`)} before
      cross join lateral ${linesAt(sql`l`, sql`l.account_id`, sql`l.seq`)} here
      where here.lines <> 1 or before.lines <> case when l.seq = 1 then 0 else 1 end
        or l.balance_after <> coalesce(before.balance, 0) + l.delta`
}

/** Accounts whose balance and number of lines are not those of their last line. */
export function brokenEnds(scope: Scope): Sql {
  return sql`
      select format('account %s: balance %s after %s transfers, but line %s is there %s times with balance %s, and %s lines come after it', a.id, a.balance,
        a.last_seq, a.last_seq, last.lines, coalesce(last.balance, 0), beyond.lines) as what, a.home, ${holderOf(sql`a.holder`)} as merchant_id, a.environment
      from ledger_accounts a
      cross join lateral ${linesAt(sql`a`, sql`a.id`, sql`a.last_seq`)} last
      cross join lateral (
        select (select count(*) from ledger_transfers d where d.home = a.home and d.debit_account_id = a.id and d.debit_seq > a.last_seq)
          + (select count(*) from ledger_transfers c where c.home = a.home and c.credit_account_id = a.id and c.credit_seq > a.last_seq) as lines
      ) beyond
      where ${within(scope, sql`a`, 'created_at')}
        and (last.lines <> case when a.last_seq = 0 then 0 else 1 end or a.balance <> coalesce(last.balance, 0) or beyond.lines > 0)`
}
