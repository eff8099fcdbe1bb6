/** The only access to closed_days and closed_day_homes: with them the books can be checked without reading the whole history. */
import { rangesOf } from '../../money/ledger/home-ranges.ts'
import type { HomeRange } from '../../platform/ids.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'

/** `2026-09-30`, in East Africa Time. */
export type Day = string

/** An hour after the end of a day no open transaction belongs to it any more: no transaction lasts for minutes. */
const quietHours = 1

/**
 * The next day that can be closed, if there is one: days are closed in order, from the day of the first transfer on. `now`: another clock
 * than the database's, which must agree.
 */
export async function findDayToClose(db: Runner, now: Date | null): Promise<Day | undefined> {
  return db.maybeValue<Day>(sql`
    select to_char(next.day, 'YYYY-MM-DD') as day
    from (
      select coalesce(
        (select max(day) + 1 from closed_days),
        (select ((min(created_at) at time zone 'UTC') + interval '3 hours')::date from ledger_transfers)) as day
    ) next
    where ((next.day + 1)::timestamp - interval '3 hours') at time zone 'UTC' + make_interval(hours => ${quietHours})
      <= least(clock_now(), ${now}::timestamptz)`)
}

/** The homes with transfers on the day, in ranges that a statement digests in seconds. */
export async function findHomeRanges(db: Runner, day: Day): Promise<HomeRange[]> {
  const homes = await db.rows<{ home: number; transfers: number }>(sql`
    select home, count(*)::integer as transfers from ledger_transfers
    where created_at >= (${day}::date::timestamp - interval '3 hours') at time zone 'UTC'
      and created_at < (${day}::date::timestamp + interval '21 hours') at time zone 'UTC'
    group by home order by home`)
  return rangesOf(homes)
}

export type HomeDigest = { home: number; transfers: number; digest: Buffer }

/** Reads all transfers of the day in these homes. */
export async function digestHomes(db: Runner, day: Day, { first, last }: HomeRange): Promise<HomeDigest[]> {
  return db.rows<HomeDigest>(sql`
    select home, transfers::integer as transfers, digest from ledger_home_digests(${day}::date, ${first}::smallint, ${last}::smallint) order by home`)
}

/** The digest of a day: the digest of its homes' digests. */
export const digestOfHomes = (homes: Sql): Sql =>
  sql`sha256(coalesce(string_agg(${homes}.digest, ''::bytea order by ${homes}.home), ''::bytea))`

export type DayDigest = { transfers: number; digest: Buffer }

const homeColumns = { home: 'smallint', transfers: 'bigint', digest: 'bytea' } as const

/** Undefined if another process has closed it. */
export async function insertClosedDay(tx: Tx, day: Day, homes: HomeDigest[]): Promise<DayDigest | undefined> {
  return tx.maybeOne<DayDigest>(sql`
    with h as materialized (select * from ${recordset(homes, 'i', homeColumns)}),
    closed as (
      insert into closed_days (day, version, transfers, digest, closed_at)
      select ${day}::date, 2, coalesce(sum(h.transfers), 0), ${digestOfHomes(sql`h`)}, clock_now() from h
      on conflict (day) do nothing
      returning transfers, digest
    ),
    closed_homes as (
      insert into closed_day_homes (day, home, transfers, digest)
      select ${day}::date, h.home, h.transfers, h.digest from h, closed
    )
    select transfers, digest from closed`)
}
