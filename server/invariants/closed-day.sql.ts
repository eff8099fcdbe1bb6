/** The door to closed_days and checked_accounts: what lets the books be checked without reading all that ever was. */
import { sql, type Runner } from '../platform/db.ts'
import { rememberChains } from './account-chains.sql.ts'

/** `2026-09-30`, as East Africa has it. */
export type Day = string

/** An hour after a day's end nothing is on its way any more that belongs to it: no transaction lasts for minutes. */
const quietHours = 1

/** The next day that can be closed, if one can: they are closed in turn, from that of the first transfer on. */
export async function findDayToClose(db: Runner): Promise<Day | undefined> {
  const [row] = await db.rows<{ day: Day }>(sql`
    select to_char(next.day, 'YYYY-MM-DD') as day
    from (
      select coalesce(
        (select max(day) + 1 from closed_days),
        (select ((min(created_at) at time zone 'UTC') + interval '3 hours')::date from ledger_transfers)) as day
    ) next
    where ((next.day + 1)::timestamp - interval '3 hours') at time zone 'UTC' + make_interval(hours => ${quietHours}) <= clock_now()`)
  return row?.day
}

export type DayDigest = { transfers: number; digest: Buffer }

/** Reads all transfers of the day. */
export async function digestDay(db: Runner, day: Day): Promise<DayDigest> {
  const [row] = await db.rows<DayDigest>(sql`select transfers, digest from ledger_day_digest(${day}::date)`)
  return row!
}

/** False where another process has closed it. */
export async function insertClosedDay(db: Runner, day: Day, { transfers, digest }: DayDigest): Promise<boolean> {
  const rows = await db.rows(sql`
    insert into closed_days (day, transfers, digest, closed_at, rechecked_at)
    values (${day}::date, ${transfers}, ${digest}, clock_now(), clock_now())
    on conflict (day) do nothing
    returning day`)
  return rows.length > 0
}

/** Notes what a check that found nothing wrong has read: up to where each account's chain goes, and the closed day whose turn it was. */
export async function noteChecked(db: Runner): Promise<void> {
  await db.rows(rememberChains)
  await db.rows(sql`
    update closed_days set rechecked_at = clock_now() where day = (select day from closed_days order by rechecked_at, day limit 1)`)
}
