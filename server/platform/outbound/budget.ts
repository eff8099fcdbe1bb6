/**
 * So many calls to somebody else in one window, which all processes spend from together. Invariant: what is kept for those that come
 * first is never spent by those that can wait; and a caller that has spent more than a small share leaves a part to the others, so that a
 * flood of one never takes the window from all.
 */
import { count, countWithin, setCount } from '../db/counts.sql.ts'
import type { Db } from '../db/db.ts'
import type { Log } from '../process/log.ts'
import { Refusal } from '../refusal.ts'

export type Budget = {
  /**
   * Spends one and answers 0, or answers in how many ms to ask again. Who can wait leaves `kept` of them to others. Those that name
   * `atMost` spend no more than that together.
   */
  spend(kept?: number, atMost?: number): Promise<number>
  /**
   * The same for a caller that is named from the widest group that it belongs to to the narrowest (a merchant, a page, a network
   * address). `isFlooded`: there is something left, but not for callers that have spent as much as this one.
   */
  spendAs(callers: readonly string[]): Promise<{ waitMs: number; isFlooded: boolean }>
  /** Nothing is left for so long: whoever gave us the budget says so. */
  exhaust(forMs: number): Promise<void>
}

export type BudgetOptions = { name: string; quota: number; windowSeconds: number; db: Db; log: Log }

/** A caller that has spent no more than this part of a window is asked to leave nothing to others. */
const smallShare = 1 / 10
/**
 * What a caller leaves to others at the start of a window, for each of its groups that has spent more, from the widest inwards: as much
 * less as the group has spent less than half a window. It shrinks to nothing until the window ends.
 */
const leftToOthers = [1 / 2, 1 / 8, 1 / 8]

export function createBudget({ name, quota, windowSeconds, db, log }: BudgetOptions): Budget {
  const key = `budget:${name}`
  const lastKey = `${key}:last`
  const windowMs = windowSeconds * 1000
  const small = Math.max(1, Math.floor(quota * smallShare))

  /** The part of the window that a caller leaves to others, by what its groups have spent in it, this call included. */
  async function shareLeft(callers: readonly string[]): Promise<number> {
    let share = 0
    for (const [depth, caller] of callers.entries()) {
      const spent = await count(db, `${key}:${caller}`, 1, windowMs)
      if (spent.count <= small) break
      share += (leftToOthers[depth] ?? 0) * Math.min(1, spent.count / (quota / 2))
    }
    return share
  }

  async function spend(kept = 0, atMost?: number): Promise<number> {
    try {
      if (atMost !== undefined) {
        const last = await count(db, lastKey, 1, windowMs)
        if (last.count > atMost) {
          await count(db, lastKey, -1, windowMs)
          return Math.max(1, last.msLeft)
        }
      }
      const spent = await count(db, key, 1, windowMs)
      if (spent.count <= quota - kept) return 0
      if (spent.count <= quota) await count(db, key, -1, windowMs)
      if (atMost !== undefined) await count(db, lastKey, -1, windowMs)
      return Math.max(1, spent.msLeft)
    } catch (error) {
      // Uncounted, it is the other side that says when it is too much.
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
      // Half-way between the moment when one more may go and the end of the window: many wait for the same few.
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
