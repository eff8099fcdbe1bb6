/**
 * Removes rows whose time is over. Invariant: one process works on a rule at a time, in batches of which each is a short transaction of
 * its own; whatever ends it in between, the next turn goes on.
 */
import type { Log } from '../platform/process/log.ts'
import { rules, type RetentionDeps, type Rule } from './periods.ts'
import { claimTurns, endTurns, type Ended } from './turn.sql.ts'

/** Longer than a round takes, with the statement that it is in the middle of. */
const leaseSeconds = 120
/** A worker that is told to stop does not have to wait longer than this and one batch. */
const roundMs = 3_000

/** Batches of one rule until nothing of it is left or the time is over. */
async function removeBatches(
  deps: RetentionDeps,
  rule: Rule,
  from: string | null,
  deadline: number,
): Promise<{ removed: number; position: string | null; hasMore: boolean }> {
  let removed = 0
  let position = from
  for (;;) {
    const answer = await rule.remove(deps, { limit: rule.atOnce, position })
    const looked = typeof answer === 'number' ? { removed: answer, position, hasMore: answer >= rule.atOnce } : answer
    removed += looked.removed
    position = looked.position
    if (!looked.hasMore || deps.clock.now() >= deadline) return { removed, position, hasMore: looked.hasMore }
  }
}

/** Takes the turns of all rules that are due; those for which there is no time are given back. False when none is due. */
export async function keepPeriods(deps: RetentionDeps & { log: Log }, only: readonly Rule[] = rules): Promise<boolean> {
  const names = only.map(({ name }) => name)
  const turns = await claimTurns(deps.db, names, leaseSeconds)
  if (turns.length === 0) return false
  const deadline = deps.clock.now() + roundMs
  const ended: Ended[] = []
  const failures: unknown[] = []
  for (const turn of turns) {
    const rule = only.find(({ name }) => name === turn.rule)!
    if (deps.clock.now() >= deadline) {
      ended.push({ turn, done: null })
      continue
    }
    try {
      const { removed, position, hasMore } = await removeBatches(deps, rule, turn.position, deadline)
      ended.push({ turn, done: { removed, position, nextInSeconds: hasMore ? 0 : rule.everySeconds } })
      if (removed > 0) deps.log.info('retention.rows_deleted', { rule: rule.name, removed })
    } catch (error) {
      // Its lease goes on: it is tried again after it, and the other rules go on meanwhile.
      failures.push(error)
    }
  }
  await endTurns(deps.db, ended)
  if (failures.length > 0) throw failures[0]
  return true
}
