/**
 * The latest time that the database's clock has shown, and how a time in a row follows a clock that was set back. Invariant: a lease never
 * gets shorter by it: the mark is never later than the last moment of the old clock.
 */
import { sql, type Runner, type Sql, type Tx } from './db.ts'

/** A clock that is set back by less needs nothing: work waits so much longer. */
export const stepSeconds = 30

/** Keeps the mark near the clock. Answers false when the clock is more than `stepSeconds` behind it: then the mark stays. */
export async function advanceMark(db: Runner, atMostEverySeconds: number): Promise<boolean> {
  const [row] = await db.rows<{ isBehind: boolean }>(sql`
    with advanced as (
      update clock_marks set seen_at = clock_now() where seen_at < clock_now() - make_interval(secs => ${atMostEverySeconds})
    )
    select seen_at > clock_now() + make_interval(secs => ${stepSeconds}) as is_behind from clock_marks`)
  return !row!.isBehind
}

/** Locks the mark; answers by how many seconds the clock is behind it. */
export async function lockMark(tx: Tx): Promise<number> {
  const [row] = await tx.rows<{ behindSeconds: number }>(sql`
    select extract(epoch from seen_at - clock_now())::double precision as behind_seconds from clock_marks for update`)
  return row!.behindSeconds
}

export async function setMark(tx: Tx): Promise<void> {
  await tx.rows(sql`update clock_marks set seen_at = clock_now()`)
}

/** True while the clock was set back and the times of rows have not followed yet: how old something is cannot be told. */
export const isClockBehind = sql`exists (select from clock_marks where seen_at > clock_now() + make_interval(secs => ${stepSeconds}))`

/** So much earlier: for when something was done, so that as long ago stays as long ago. */
export const earlier = (column: Sql, seconds: number): Sql => sql`${column} - make_interval(secs => ${seconds})`

/** A time that is still to come, so much earlier; any other stays. */
export const moved = (column: Sql, seconds: number): Sql =>
  sql`case when ${column} > clock_now() then ${earlier(column, seconds)} else ${column} end`
