/**
 * Counters in windows, shared by all processes. Invariant: a window begins and ends by the database's clock, so that a process
 * with a wrong clock neither shortens a window nor keeps others waiting for its end.
 */
import { sql, type Runner } from './db.ts'
import { longestWaitMs } from './longest-wait.sql.ts'

export type Counted = {
  /** The count of this window, including this call. */
  count: number
  msLeft: number
}

/** With the window in which it was counted. */
export type CountedIn = Counted & { window: number }

const nowMs = sql`(extract(epoch from clock_now()) * 1000)::bigint`

/** The longest time for which a limit stays closed, for any window. */
const longestClosedMs = 600_000

/**
 * A window is over when its end has passed, or when its end is too far in the future for this window: then a clock was set back. It may
 * have begun while this statement waited for its row.
 */
const isOver = (windowMs: number) =>
  sql`(c.expire <= ${nowMs} or c.expire > ${nowMs} + ${Math.max(windowMs, longestClosedMs) + longestWaitMs}::bigint)`

/**
 * Counts `points` of `key`, in the open window or in a new one; negative points are a refund. `ofWindow`: what an earlier call answered;
 * once that window is over, nothing is counted.
 */
export async function count(
  db: Runner,
  key: string,
  points: number,
  windowMs: number,
  ofWindow: number | null = null,
): Promise<CountedIn> {
  return db.one<CountedIn>(sql`
    insert into rate_limits as c (key, points, expire)
    values (${key}, greatest(${points}::integer, 0), ${nowMs} + ${windowMs}::bigint)
    on conflict (key) do update set
      points = case when ${isOver(windowMs)} then greatest(${points}::integer, 0)
        when c.expire <> ${ofWindow}::bigint then c.points else greatest(c.points + ${points}::integer, 0) end,
      expire = case when ${isOver(windowMs)} then excluded.expire else c.expire end
    returning points as count, greatest(expire - ${nowMs}, 0) as ms_left, coalesce(expire, 0) as window`)
}

/**
 * Counts one for `key` unless the count would exceed `quota` minus the reserve. The reserve is `kept` at the start of a window
 * and shrinks to 0 at its end. One statement decides and counts, so that parallel callers never exceed the limit.
 */
export async function countWithin(
  db: Runner,
  key: string,
  { quota, kept, windowMs }: { quota: number; kept: number; windowMs: number },
): Promise<Counted & { isCounted: boolean }> {
  const [counted] = await db.rows<Counted>(sql`
    insert into rate_limits as c (key, points, expire) values (${key}, 1, ${nowMs} + ${windowMs}::bigint)
    on conflict (key) do update set
      points = case when ${isOver(windowMs)} then 1 else c.points + 1 end,
      expire = case when ${isOver(windowMs)} then excluded.expire else c.expire end
    where ${isOver(windowMs)}
      or c.points + 1 <= ${quota}::double precision - ${kept}::double precision * (c.expire - ${nowMs}) / ${windowMs}::double precision
    returning points as count, greatest(expire - ${nowMs}, 0) as ms_left`)
  if (counted) return { ...counted, isCounted: true }
  const [full] = await db.rows<Counted>(sql`
    select points as count, greatest(expire - ${nowMs}, 0) as ms_left from rate_limits where key = ${key}`)
  return { count: full?.count ?? 0, msLeft: full?.msLeft ?? 1, isCounted: false }
}

/** Opens a window of `key` with this count, for at most ten minutes. */
export async function setCount(db: Runner, key: string, points: number, windowMs: number): Promise<void> {
  await db.rows(sql`
    insert into rate_limits (key, points, expire) values (${key}, ${points}, ${nowMs} + ${Math.min(windowMs, longestClosedMs)}::bigint)
    on conflict (key) do update set points = excluded.points, expire = excluded.expire`)
}

/** The count of `key` in its window; 0 when the window is over. */
export async function findCount(db: Runner, key: string): Promise<number> {
  const [row] = await db.rows<{ points: number }>(sql`select points from rate_limits where key = ${key} and expire > ${nowMs}`)
  return row?.points ?? 0
}

export async function resetCount(db: Runner, key: string): Promise<void> {
  await db.rows(sql`delete from rate_limits where key = ${key}`)
}

/** Removes windows that are over; returns how many. */
export async function deleteOldCounts(db: Runner, limit: number): Promise<number> {
  return db.rowCount(sql`
    with old as (select key from rate_limits where expire < ${nowMs} order by expire limit ${limit} for update skip locked)
    delete from rate_limits c using old where c.key = old.key
    returning c.key`)
}
