/**
 * What the payments of a wallet brought, by day, page and network. Invariant: a stored day equals the ledger, because it is summed once,
 * after it was closed; a day that is not stored yet is read from the ledger.
 */
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import type { TakingKind } from '../../domain/page.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { isTaking } from '../../collect/pages/page.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'

/** `2026-09-30`, in East Africa Time. */
export type Day = string

export type WalletDay = {
  home: number
  merchantId: string
  environment: Environment
  pageId: string | null
  pageKind: TakingKind
  network: Network | null
  payments: number
  amount: number
}

const dayOf = (moment: Sql): Sql => sql`((${moment} at time zone 'UTC') + interval '3 hours')::date`

/** The page of a payment `p`, or its kind if its page is hidden: a payment request has a page of its own, for one payment. */
const pageId = sql`case when not g.is_hidden then g.id end`
const pageKind = sql`case when g.is_hidden then g.kind else 'page' end`

/** The oldest closed day that is not summed. */
export async function findDayToSum(db: Runner): Promise<Day | undefined> {
  return db.maybeValue<Day>(sql`
    select to_char(c.day, 'YYYY-MM-DD') as day from closed_days c
    where c.day > coalesce((select max(s.day) from summed_days s), '-infinity'::date)
    order by c.day limit 1`)
}

const isOnDay = (
  moment: Sql,
  day: Day,
): Sql => sql`(${moment} >= (${day}::date::timestamp - interval '3 hours') at time zone 'UTC'
      and ${moment} < (${day}::date::timestamp + interval '21 hours') at time zone 'UTC')`

/** The homes with transfers on a closed day. A day of version 1 has no rows of its homes: its transfers are counted. */
export async function listHomesOfDay(db: Runner, day: Day): Promise<{ home: number; transfers: number }[]> {
  return db.rows<{ home: number; transfers: number }>(sql`
    select home, transfers::integer as transfers from closed_day_homes where day = ${day}::date
    union all
    select t.home, count(*)::integer from ledger_transfers t
    where ${isOnDay(sql`t.created_at`, day)} and (select version from closed_days where day = ${day}::date) = 1
    group by t.home
    order by home`)
}

/** Reads the transfers of a day in these homes. */
export async function sumWalletDays(db: Runner, day: Day, homes: { first: number; last: number }): Promise<WalletDay[]> {
  return db.rows<WalletDay>(sql`
    select t.home, a.holder as merchant_id, t.environment, ${pageId} as page_id, ${pageKind} as page_kind, p.network,
      count(*) as payments, sum(t.amount)::bigint as amount
    from ledger_transfers t
    join ledger_accounts a on a.home = t.home and a.id = t.credit_account_id and a.kind = 'wallet'
    join payments p on p.home = t.home and p.id = t.payment_id
    join payment_pages g on g.home = p.home and g.id = p.page_id
    where ${isOnDay(sql`t.created_at`, day)} and t.home between ${homes.first} and ${homes.last} and t.kind = 'payment'
    group by 1, 2, 3, 4, 5, 6`)
}

const columns = {
  home: 'smallint',
  merchantId: 'uuid',
  environment: 'text',
  pageId: 'uuid',
  pageKind: 'text',
  network: 'text',
  payments: 'bigint',
  amount: 'bigint',
} as const

/** A row that another process has stored is the same row: the day is closed. */
export async function insertWalletDays(tx: Tx, day: Day, rows: readonly WalletDay[]): Promise<void> {
  await tx.rows(sql`
    insert into wallet_days (home, merchant_id, environment, day, page_id, page_kind, network, payments, amount)
    select i.home, i.merchant_id, i.environment, ${day}::date, i.page_id, i.page_kind, i.network, i.payments, i.amount
    from ${recordset(rows, 'i', columns)}
    on conflict do nothing`)
}

export async function markSummed(tx: Tx, day: Day): Promise<void> {
  await tx.rows(sql`insert into summed_days (day, summed_at) values (${day}::date, clock_now()) on conflict do nothing`)
}

/** The last stored day. */
export async function findSummedUntil(db: Runner): Promise<Day | undefined> {
  return db.maybeValue<Day>(sql`
    select to_char(day, 'YYYY-MM-DD') as day from summed_days order by day desc limit 1`)
}

/** `from`, and `to`, are included; `shareFrom` is the first day of the part whose pages and networks are wanted. */
export type TakingsSpan = { from: Day; shareFrom: Day; to: Day }

/** The unstored part: lines of the account after this seq, on days after `after`. */
export type UnstoredPart = { accountId: string | null; afterSeq: number; after: Day }

/** Only the columns of what it is `by` are set. A title is missing for hidden pages. */
export type Taking = {
  by: 'day' | 'network' | 'page'
  day: Day | null
  network: Network | null
  pageId: string | null
  pageKind: TakingKind | null
  title: string | null
  payments: number
  amount: number
}

/**
 * The sums of a span by day, and of its last part by network and for the `pages` pages that brought most; what is zero is omitted, and
 * so are payments that tested a webhook, which the stored days have.
 */
export async function sumTakings(
  db: Runner,
  owner: Owner,
  span: TakingsSpan,
  unstored: UnstoredPart,
  pages: number,
): Promise<Taking[]> {
  const { merchant, environment } = owner
  return db.rows<Taking>(sql`
    with taken as materialized (
      select day, page_id, page_kind, network, payments, amount from wallet_days
      where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment}
        and day between ${span.from}::date and least(${span.to}::date, ${unstored.after}::date)
        and ${isTaking(owner, sql`page_id`)}
      union all
      select ${dayOf(sql`t.created_at`)}, ${pageId}, ${pageKind}, p.network, count(*), sum(t.amount)::bigint
      from ledger_transfers t
      join payments p on p.home = t.home and p.id = t.payment_id
      join payment_pages g on g.home = p.home and g.id = p.page_id
      where t.home = ${merchant.home} and t.credit_account_id = ${unstored.accountId} and t.credit_seq > ${unstored.afterSeq}
        and t.kind = 'payment' and g.kind <> 'webhook_tests' and ${dayOf(sql`t.created_at`)} > ${unstored.after}::date
        and ${dayOf(sql`t.created_at`)} between ${span.from}::date and ${span.to}::date
      group by 1, 2, 3, 4
    ),
    best_pages as (
      select page_id, page_kind, sum(payments)::bigint as payments, sum(amount)::bigint as amount from taken
      where day >= ${span.shareFrom}::date
      group by page_id, page_kind order by sum(amount) desc, page_id limit ${pages}
    )
    select 'day' as by, to_char(day, 'YYYY-MM-DD') as day, null::text as network, null::uuid as page_id, null::text as page_kind, null::text as title,
      sum(payments)::bigint as payments, sum(amount)::bigint as amount
    from taken group by taken.day
    union all
    select 'network', null, network, null, null, null, sum(payments)::bigint, sum(amount)::bigint
    from taken where day >= ${span.shareFrom}::date group by taken.network
    union all
    select 'page', null, null, b.page_id, b.page_kind, g.title, b.payments, b.amount
    from best_pages b
    left join payment_pages g on g.home = ${merchant.home} and g.id = b.page_id
    order by amount desc, day, page_id`)
}
