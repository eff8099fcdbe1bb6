/**
 * Removes rows whose period is over. Invariant: one process at a time works on a rule, in batches that are short, separate transactions.
 * After an interruption the next turn continues.
 */
import type { Log } from '../../platform/process/log.ts'
import { rules, type RetentionDeps, type Rule } from './retention-rules.ts'
import { claimTurns, endTurns, type Ended, type Turn } from './turn.sql.ts'

/** Longer than a round, including its last statement. */
const leaseSeconds = 120
/** A worker that must stop waits no longer than this and one batch. */
const roundMs = 3_000

/** Runs batches of one rule until none of its rows is left or the time is over. */
async function removeBatches(
  deps: RetentionDeps,
  rule: Rule,
  turn: Turn,
  deadline: number,
): Promise<{ removed: number; position: string | null; hasMore: boolean }> {
  let removed = 0
  let position = turn.position
  for (;;) {
    const removal = await rule.remove(deps, { limit: rule.batchSize, position, nowMs: turn.claimedAt.getTime() })
    const result = typeof removal === 'number' ? { removed: removal, position, hasMore: removal >= rule.batchSize } : removal
    removed += result.removed
    position = result.position
    if (!result.hasMore || deps.clock.now() >= deadline) return { removed, position, hasMore: result.hasMore }
  }
}

/** Claims all rules that are due and releases those for which there is no time. Returns false when none is due. */
export async function pruneExpiredRows(deps: RetentionDeps & { log: Log }, only: readonly Rule[] = rules): Promise<boolean> {
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
      const { removed, position, hasMore } = await removeBatches(deps, rule, turn, deadline)
      ended.push({ turn, done: { removed, position, nextInSeconds: hasMore ? 0 : rule.everySeconds } })
      if (removed > 0) deps.log.info('retention.rows_deleted', { rule: rule.name, removed })
    } catch (error) {
      // The rule keeps its lease and is tried again after it. The other rules continue.
      failures.push(error)
    }
  }
  await endTurns(deps.db, ended)
  if (failures.length > 0) throw failures[0]
  return true
}
