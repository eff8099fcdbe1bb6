/**
 * The latest time that the database's clock has shown, and the correction of times in a row after that clock was set back.
 * Invariant: the correction never shortens a lease: the mark is never later than the last moment of the old clock.
 */
import { sql, type Runner, type Sql, type Tx } from './db.ts'

/** A clock that is set back by less than this needs no correction: work only waits that much longer. */
export const stepSeconds = 30

/** Keeps the mark near the clock. Returns false, and leaves the mark, when the clock is more than `stepSeconds` behind it. */
export async function advanceMark(db: Runner, atMostEverySeconds: number): Promise<boolean> {
  const [row] = await db.rows<{ isBehind: boolean }>(sql`
    with advanced as (
      update clock_marks set seen_at = clock_now() where seen_at < clock_now() - make_interval(secs => ${atMostEverySeconds})
    )
    select seen_at > clock_now() + make_interval(secs => ${stepSeconds}) as is_behind from clock_marks`)
  return !row!.isBehind
}

/** Locks the mark; returns how many seconds the clock is behind it. */
export async function lockMark(tx: Tx): Promise<number> {
  return tx.value<number>(sql`
    select extract(epoch from seen_at - clock_now())::double precision as behind_seconds from clock_marks for update`)
}

export async function setMark(tx: Tx): Promise<void> {
  await tx.rows(sql`update clock_marks set seen_at = clock_now()`)
}

/** True while the clock is behind and the times of rows are not corrected yet: the age of a row is unknown. */
export const isClockBehind = sql`exists (select from clock_marks where seen_at > clock_now() + make_interval(secs => ${stepSeconds}))`

/** The column's time minus these seconds: for times in the past, so that their age stays the same. */
export const earlier = (column: Sql, seconds: number): Sql => sql`${column} - make_interval(secs => ${seconds})`

/** A future time minus these seconds; a past time stays. */
export const moved = (column: Sql, seconds: number): Sql =>
  sql`case when ${column} > clock_now() then ${earlier(column, seconds)} else ${column} end`
