/** The only statements on `retention_turns`. Invariant: one process at a time works on a rule, by the database's clock. */
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'

export type Turn = {
  rule: string
  /** For a rule that checks each row once: the last row that it checked; null at the start. */
  position: string | null
  /** When the lease ends. It also distinguishes this turn from a later one. */
  leaseUntil: Date
  /** By the database's clock, so that a worker whose clock is ahead removes nothing early. */
  claimedAt: Date
}

/** Adds those of these rules that are new. Returns whether there was a new one. */
async function addRules(db: Runner, rules: string[]): Promise<boolean> {
  return db.any(sql`
    insert into retention_turns (rule) select unnest(${rules}::text[]) on conflict (rule) do nothing returning rule`)
}

/** Claims those of these rules that are due, for `seconds`. The rules that have waited longest come first. */
export async function claimTurns(db: Runner, rules: string[], seconds: number): Promise<Turn[]> {
  const turns = await claimDueTurns(db, rules, seconds)
  if (turns.length > 0) return turns
  return (await addRules(db, rules)) ? claimDueTurns(db, rules, seconds) : []
}

async function claimDueTurns(db: Runner, rules: string[], seconds: number): Promise<Turn[]> {
  return db.rows<Turn>(sql`
    with due as (
      select rule, next_at from retention_turns
      where rule = any(${rules}::text[]) and next_at <= clock_now() and (lease_until is null or lease_until <= clock_now())
      order by next_at, rule
      for update skip locked),
    claimed as (
      update retention_turns t set lease_until = clock_now() + make_interval(secs => ${seconds}) from due where t.rule = due.rule
      returning t.rule, t.position, t.lease_until, due.next_at)
    select rule, position, lease_until, clock_now() as claimed_at from claimed order by next_at, rule`)
}

/** The result of a turn; null when there was no time for it. */
export type Ended = { turn: Turn; done: { removed: number; position: string | null; nextInSeconds: number } | null }

const resultColumns = {
  rule: 'text',
  leaseUntil: 'timestamptz',
  removed: 'integer',
  position: 'text',
  seconds: 'double precision',
} as const

/** Releases rules. A rule whose lease expired and that another process has claimed stays with that process. */
export async function endTurns(db: Runner, ended: Ended[]): Promise<void> {
  const results = ended.map(({ turn: { rule, leaseUntil }, done }) => ({
    rule,
    leaseUntil,
    removed: done?.removed ?? 0,
    position: done?.position ?? null,
    seconds: done?.nextInSeconds ?? null,
  }))
  await db.rows(sql`
    update retention_turns t set lease_until = null, position = case when e.seconds is null then t.position else e.position end,
      removed = t.removed + e.removed, ended_at = case when e.seconds is null then t.ended_at else clock_now() end,
      next_at = coalesce(clock_now() + make_interval(secs => e.seconds), t.next_at)
    from ${recordset(results, 'e', resultColumns)}
    where t.rule = e.rule and t.lease_until = e.lease_until`)
}

export type TurnState = { rule: string; nextAt: Date; endedAt: Date | null; removed: number }

export async function readTurns(db: Runner): Promise<TurnState[]> {
  return db.rows<TurnState>(sql`select rule, next_at, ended_at, removed from retention_turns`)
}

/** Moves future times when the clock was set back by that many seconds. */
export async function moveTurnTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update retention_turns set lease_until = ${moved(sql`lease_until`, seconds)}, next_at = ${moved(sql`next_at`, seconds)}`)
}
