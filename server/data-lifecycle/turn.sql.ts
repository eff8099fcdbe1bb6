/** The only statements on `retention_turns`. Invariant: a rule is in one process's hands at a time, by the database's clock. */
import { moved } from '../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../platform/db/db.ts'

export type Turn = {
  rule: string
  /** The last row that a rule which looks at each row once has looked at; null at its beginning. */
  position: string | null
  /** When the turn is over: also what tells it from any later one. */
  leaseUntil: Date
}

/** Gives a turn to each of these rules that has none yet; answers whether there was one. */
async function addRules(db: Runner, rules: string[]): Promise<boolean> {
  const added = await db.rows(sql`
    insert into retention_turns (rule) select unnest(${rules}::text[]) on conflict (rule) do nothing returning rule`)
  return added.length > 0
}

/** Takes the rule that has waited longest, of these, for so long; undefined while none is due. */
export async function claimTurn(db: Runner, rules: string[], seconds: number): Promise<Turn | undefined> {
  const turn = await claimDueTurn(db, rules, seconds)
  if (turn) return turn
  return (await addRules(db, rules)) ? claimDueTurn(db, rules, seconds) : undefined
}

async function claimDueTurn(db: Runner, rules: string[], seconds: number): Promise<Turn | undefined> {
  const [turn] = await db.rows<Turn>(sql`
    update retention_turns t set lease_until = clock_now() + make_interval(secs => ${seconds})
    where t.rule = (
      select rule from retention_turns
      where rule = any(${rules}::text[]) and next_at <= clock_now() and (lease_until is null or lease_until <= clock_now())
      order by next_at, rule limit 1
      for update skip locked)
    returning t.rule, t.position, t.lease_until`)
  return turn
}

/** Gives a rule back. One whose turn was over meanwhile, and that another process has taken, is left to that one. */
export async function endTurn(
  db: Runner,
  turn: Turn,
  done: { removed: number; position: string | null; nextInSeconds: number },
): Promise<void> {
  await db.rows(sql`
    update retention_turns set lease_until = null, position = ${done.position}::text, removed = removed + ${done.removed}::integer,
      ended_at = clock_now(), next_at = clock_now() + make_interval(secs => ${done.nextInSeconds})
    where rule = ${turn.rule} and lease_until = ${turn.leaseUntil}`)
}

export type TurnState = { rule: string; nextAt: Date; endedAt: Date | null; removed: number }

export async function readTurns(db: Runner): Promise<TurnState[]> {
  return db.rows<TurnState>(sql`select rule, next_at, ended_at, removed from retention_turns`)
}

/** Moves what is still to come with a clock that was set back by so many seconds. */
export async function moveTurnTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update retention_turns set lease_until = ${moved(sql`lease_until`, seconds)}, next_at = ${moved(sql`next_at`, seconds)}`)
}
