/**
 * Ledger transfers: the only writer of ledger_transfers. Invariant: each transfer moves one amount from one account to another, is
 * never changed, and takes the next place (seq) in both accounts, without a gap.
 */
import { sql, type Runner } from '../platform/db.ts'

/**
 * Common table expressions that post transfers, to be spliced into the statement that makes them necessary. They read a CTE
 * `postings (ord, home, environment, transfer_id, movement_id, kind, debit_kind, debit_holder, credit_kind, credit_holder, amount,
 * payment_id, page_id, actor, request_id)` and end with the CTE `posted`. Accounts are locked in (home, id) order. An account that does not
 * exist makes the insert fail on its not-null columns, so a posting can never be dropped in silence.
 */
export const postTransfers = sql`
  posting_accounts as materialized (
    select a.home, a.id, a.environment, a.kind, a.holder, a.balance, a.last_seq
    from ledger_accounts a
    where (a.home, a.environment, a.kind, a.holder) in (
      select home, environment, debit_kind, debit_holder from postings
      union
      select home, environment, credit_kind, credit_holder from postings)
    order by a.home, a.id
    for no key update
  ),
  posting_sides as (
    select p.ord, p.transfer_id, 'debit' as side, -p.amount as delta, a.home, a.id, a.balance, a.last_seq
    from postings p
    join posting_accounts a on a.home = p.home and a.environment = p.environment and a.kind = p.debit_kind and a.holder = p.debit_holder
    union all
    select p.ord, p.transfer_id, 'credit', p.amount, a.home, a.id, a.balance, a.last_seq
    from postings p
    join posting_accounts a on a.home = p.home and a.environment = p.environment and a.kind = p.credit_kind and a.holder = p.credit_holder
  ),
  posting_places as (
    select transfer_id, side, id as account_id,
      last_seq + row_number() over account as seq,
      (balance + sum(delta) over account)::bigint as balance_after
    from posting_sides
    window account as (partition by home, id order by ord, transfer_id rows unbounded preceding)
  ),
  posted_accounts as (
    update ledger_accounts a
    set balance = a.balance + d.delta, last_seq = a.last_seq + d.transfers
    from (select home, id, sum(delta)::bigint as delta, count(*) as transfers from posting_sides group by home, id) d
    where a.home = d.home and a.id = d.id
  ),
  posted as (
    insert into ledger_transfers (home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount,
      debit_seq, credit_seq, debit_balance_after, credit_balance_after, payment_id, page_id, actor, request_id, created_at)
    select p.home, p.transfer_id, p.movement_id, p.environment, p.kind, d.account_id, c.account_id, p.amount,
      d.seq, c.seq, d.balance_after, c.balance_after, p.payment_id, p.page_id, p.actor, p.request_id, clock_now()
    from postings p
    left join posting_places d on d.transfer_id = p.transfer_id and d.side = 'debit'
    left join posting_places c on c.transfer_id = p.transfer_id and c.side = 'credit'
  )`

export type WalletLine = {
  transferId: string
  seq: number
  kind: 'payment' | 'provider_fee' | 'suspense'
  direction: 'credit' | 'debit'
  amount: number
  balanceAfter: number
  paymentId: string | null
  createdAt: Date
}

export type WalletLineFilter = {
  direction: 'credit' | 'debit' | 'all'
  /** Only lines before this seq: where the page before ended. */
  beforeSeq: number | null
  /** Kinds of transfer; null: any. */
  kinds: WalletLine['kind'][] | null
  createdFrom: string | null
  createdTo: string | null
  minAmount: number | null
  maxAmount: number | null
  paymentId: string | null
  pageId: string | null
}

/** The newest lines of one account, in the order of its seq; each side is read by its own index and the two are merged. */
export async function listWalletLines(
  db: Runner,
  account: { home: number; accountId: string },
  filter: WalletLineFilter,
  limit: number,
): Promise<WalletLine[]> {
  const before = filter.beforeSeq ?? Number.MAX_SAFE_INTEGER
  const lines = (side: 'credit' | 'debit') =>
    side === 'credit'
      ? sql`
      select id as transfer_id, credit_seq as seq, kind, 'credit' as direction, amount, credit_balance_after as balance_after, payment_id, created_at
      from ledger_transfers
      where home = ${account.home} and credit_account_id = ${account.accountId} and credit_seq < ${before}
        and ${filter.direction} <> 'debit' and ${conditions(filter)}
      order by credit_seq desc limit ${limit}`
      : sql`
      select id as transfer_id, debit_seq as seq, kind, 'debit' as direction, amount, debit_balance_after as balance_after, payment_id, created_at
      from ledger_transfers
      where home = ${account.home} and debit_account_id = ${account.accountId} and debit_seq < ${before}
        and ${filter.direction} <> 'credit' and ${conditions(filter)}
      order by debit_seq desc limit ${limit}`
  return db.rows<WalletLine>(sql`(${lines('credit')}) union all (${lines('debit')}) order by seq desc limit ${limit}`)
}

function conditions(filter: WalletLineFilter) {
  return sql`(${filter.createdFrom}::timestamptz is null or created_at >= ${filter.createdFrom})
        and (${filter.createdTo}::timestamptz is null or created_at < ${filter.createdTo})
        and (${filter.minAmount}::bigint is null or amount >= ${filter.minAmount})
        and (${filter.maxAmount}::bigint is null or amount <= ${filter.maxAmount})
        and (${filter.kinds}::text[] is null or kind = any(${filter.kinds}))
        and (${filter.paymentId}::uuid is null or payment_id = ${filter.paymentId})
        and (${filter.pageId}::uuid is null or page_id = ${filter.pageId})`
}
