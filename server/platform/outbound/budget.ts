/**
 * A number of calls to another service in one window, which all processes spend from together. Invariant: calls that can wait
 * never spend the part that is reserved for urgent calls; and a caller that has spent more than a small share leaves a part to
 * the others, so that a flood from one caller never uses up the whole window.
 */
import { count, countWithin, setCount } from '../db/counts.sql.ts'
import type { Db } from '../db/db.ts'
import type { Log } from '../process/log.ts'
import { Refusal } from '../refusal.ts'

export type Budget = {
  /**
   * Spends one call and returns 0, or returns the ms to wait before the next try. A call that can wait leaves `kept` calls to
   * others. Calls of one `lane` that pass `atMost` spend at most that many together.
   */
  spend(kept?: number, atMost?: number, lane?: string): Promise<number>
  /**
   * The same for a caller that is named by its groups, from the widest to the narrowest (a merchant, a page, a network address).
   * `isFlooded`: calls are left, but not for callers that have spent as many as this one.
   */
  spendAs(callers: readonly string[]): Promise<{ waitMs: number; isFlooded: boolean }>
  /** The other service reported that nothing is left: blocks the budget for this long. */
  exhaust(forMs: number): Promise<void>
}

export type BudgetOptions = { name: string; quota: number; windowSeconds: number; db: Db; log: Log }

/** A caller that has spent at most this part of a window leaves nothing to others. */
const smallShare = 1 / 10
/**
 * The part that a caller leaves to others at the start of a window, for each of its groups that has spent more than a small
 * share, from the widest to the narrowest. It is reduced in proportion while the group has spent less than half a window, and it
 * shrinks to nothing until the window ends.
 */
const leftToOthers = [1 / 2, 1 / 8, 1 / 8]

export function createBudget({ name, quota, windowSeconds, db, log }: BudgetOptions): Budget {
  const key = `budget:${name}`
  const windowMs = windowSeconds * 1000
  const small = Math.max(1, Math.floor(quota * smallShare))

  /** The part of the window that a caller leaves to others, from what its groups have spent in it, this call included. */
  async function shareLeft(callers: readonly string[]): Promise<number> {
    let share = 0
    for (const [depth, caller] of callers.entries()) {
      const spent = await count(db, `${key}:${caller}`, 1, windowMs)
      if (spent.count <= small) break
      share += (leftToOthers[depth] ?? 0) * Math.min(1, spent.count / (quota / 2))
    }
    return share
  }

  async function spend(kept = 0, atMost?: number, lane = 'last'): Promise<number> {
    const laneKey = `${key}:${lane}`
    try {
      if (atMost !== undefined) {
        const ofLane = await count(db, laneKey, 1, windowMs)
        if (ofLane.count > atMost) {
          await count(db, laneKey, -1, windowMs)
          return Math.max(1, ofLane.msLeft)
        }
      }
      const spent = await count(db, key, 1, windowMs)
      if (spent.count <= quota - kept) return 0
      if (spent.count <= quota) await count(db, key, -1, windowMs)
      if (atMost !== undefined) await count(db, laneKey, -1, windowMs)
      return Math.max(1, spent.msLeft)
    } catch (error) {
      // If the count fails, let the call pass: the other service enforces its limit itself.
      log.error('budget.count_failed', error, { budget: name })
      return 0
    }
  }

  async function spendAs(callers: readonly string[]): Promise<{ waitMs: number; isFlooded: boolean }> {
    try {
      const kept = quota * (await shareLeft(callers))
      const spent = await countWithin(db, key, { quota, kept, windowMs })
      if (spent.isCounted) return { waitMs: 0, isFlooded: false }
      if (spent.count >= quota) return { waitMs: Math.max(1, spent.msLeft), isFlooded: false }
      // Half-way between the moment when one more call may pass and the end of the window: many callers wait for the same few
      // calls.
      const oneMoreMs = spent.msLeft - ((quota - spent.count - 1) / kept) * windowMs
      return { waitMs: Math.max(1_000, Math.round((oneMoreMs + spent.msLeft) / 2)), isFlooded: true }
    } catch (error) {
      // A flood that keeps the database busy must not pass uncounted.
      if (error instanceof Refusal) return { waitMs: 1_000, isFlooded: true }
      log.error('budget.count_failed', error, { budget: name })
      return { waitMs: 0, isFlooded: false }
    }
  }

  return {
    spend,
    spendAs,
    async exhaust(forMs) {
      try {
        await setCount(db, key, quota + 1, forMs)
      } catch (error) {
        log.error('budget.count_failed', error, { budget: name })
      }
    },
  }
}
