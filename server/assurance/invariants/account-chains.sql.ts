/** The chain of each account: each line continues the previous one, and the last one has the account's balance. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { holderOf, within, type Scope } from './scope.sql.ts'

const ownerOf = (alias: Sql): Sql => sql`
  (select ${holderOf(sql`a.holder`)} from ledger_accounts a where a.home = ${alias}.home and a.id = ${alias}.account_id) as merchant_id,
  (select a.environment from ledger_accounts a where a.home = ${alias}.home and a.id = ${alias}.account_id) as environment`

/**
 * The number of lines up to a place of the account of `l`, and the balance after them; queried if the neighbour is not among the rows.
 */
const linesAt = (seq: Sql): Sql => sql`(
  select count(*) as lines, min(balance) as balance from (
    select d.debit_balance_after as balance from ledger_transfers d
    where not l.is_next and d.home = l.home and d.debit_account_id = l.account_id and d.debit_seq = ${seq}
    union all
    select c.credit_balance_after from ledger_transfers c
    where not l.is_next and c.home = l.home and c.credit_account_id = l.account_id and c.credit_seq = ${seq}
  ) at_place)`

/**
 * Lines that do not continue their neighbour: each is compared only with the line before it. If this holds for all lines of an account,
 * and its last line has its balance, then the balance is the sum of its lines and their places have no gap.
 */
export function brokenLines(scope: Scope): Sql {
  return sql`
      with lines as materialized (
        select t.home, t.debit_account_id as account_id, t.debit_seq as seq, -t.amount as delta, t.debit_balance_after as balance_after
        from ledger_transfers t where ${within(scope, sql`t`, 'created_at')}
        union all
        select t.home, t.credit_account_id, t.credit_seq, t.amount, t.credit_balance_after
        from ledger_transfers t where ${within(scope, sql`t`, 'created_at')}
      ),
      -- Most lines follow one that is among the rows: no other row is read for them.
      placed as materialized (
        select *, coalesce(lag(seq) over account = seq - 1, false) as is_next, lag(balance_after) over account as balance_before
        from lines window account as (partition by home, account_id order by seq)
      )
      select format('account %s: line %s has balance %s; %s lines have its place, %s the place before, with balance %s, and it moves %s', l.account_id,
        l.seq, l.balance_after, n.here, n.before, n.balance_before, l.delta) as what, l.home, ${ownerOf(sql`l`)}
      from (select * from placed where not is_next or seq = 1 or balance_after <> balance_before + delta) l
      cross join lateral ${linesAt(sql`l.seq - 1`)} before
      cross join lateral ${linesAt(sql`l.seq`)} here
      cross join lateral (
        select case when l.is_next then 1 else here.lines end as here, case when l.is_next then 1 else before.lines end as before,
          case when l.is_next then l.balance_before else coalesce(before.balance, 0) end as balance_before
      ) n
      where n.here <> 1 or n.before <> case when l.seq = 1 then 0 else 1 end
        or l.balance_after <> n.balance_before + l.delta`
}

/** Accounts whose balance and number of lines differ from those of their last line. */
export function brokenEnds(scope: Scope): Sql {
  return sql`
      select format('account %s: balance %s after %s transfers, but line %s is there %s times with balance %s, and %s lines come after it', a.id, a.balance,
        a.last_seq, a.last_seq, n.lines, n.balance, n.beyond) as what, a.home, ${holderOf(sql`a.holder`)} as merchant_id, a.environment
      from ledger_accounts a
      cross join lateral (
        select count(*) filter (where seq = a.last_seq) as lines, coalesce(min(balance) filter (where seq = a.last_seq), 0) as balance,
          count(*) filter (where seq > a.last_seq) as beyond
        from (
          select d.debit_seq as seq, d.debit_balance_after as balance from ledger_transfers d
          where d.home = a.home and d.debit_account_id = a.id and d.debit_seq >= a.last_seq
          union all
          select c.credit_seq, c.credit_balance_after from ledger_transfers c
          where c.home = a.home and c.credit_account_id = a.id and c.credit_seq >= a.last_seq
        ) ends
      ) n
      where ${within(scope, sql`a`, 'created_at')}
        and (n.lines <> case when a.last_seq = 0 then 0 else 1 end or a.balance <> n.balance or n.beyond > 0)`
}
