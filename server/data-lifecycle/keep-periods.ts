/**
 * Removes rows whose time is over. Invariant: one process works on a rule at a time, in batches of which each is a short transaction of
 * its own; whatever ends it in between, the next turn goes on.
 */
import type { Log } from '../platform/process/log.ts'
import { rules, type RetentionDeps, type Rule } from './periods.ts'
import { endTurn, claimTurn } from './turn.sql.ts'

/** Longer than a turn takes, with the statement that it is in the middle of. */
const leaseSeconds = 120
/** A worker that is told to stop does not have to wait longer than this and one batch. */
const turnMs = 3_000

async function removeBatches(
  deps: RetentionDeps,
  rule: Rule,
  from: string | null,
): Promise<{ removed: number; position: string | null; hasMore: boolean }> {
  const deadline = deps.clock.now() + turnMs
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

/** Takes the turn of one rule; false when none is due. */
export async function keepPeriods(deps: RetentionDeps & { log: Log }, only: readonly Rule[] = rules): Promise<boolean> {
  const turn = await claimTurn(
    deps.db,
    only.map(({ name }) => name),
    leaseSeconds,
  )
  const rule = only.find(({ name }) => name === turn?.rule)
  if (!turn || !rule) return false
  const { removed, position, hasMore } = await removeBatches(deps, rule, turn.position)
  await endTurn(deps.db, turn, { removed, position, nextInSeconds: hasMore ? 0 : rule.everySeconds })
  if (removed > 0) deps.log.info('retention.rows_deleted', { rule: rule.name, removed })
  return true
}
