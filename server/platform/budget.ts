/**
 * So many calls to somebody else in one window, which all processes spend from together. Invariant: what is kept for those that come
 * first is never spent by those that can wait.
 */
import { count, setCount } from './counts.sql.ts'
import type { Db } from './db.ts'
import type { Log } from './log.ts'

export type Budget = {
  /**
   * Spends one and answers 0, or answers in how many ms to ask again. Who can wait leaves `kept` of them to others. Those that name
   * `atMost` spend no more than that together.
   */
  spend(kept?: number, atMost?: number): Promise<number>
  /** Nothing is left for so long: whoever gave us the budget says so. */
  exhaust(forMs: number): Promise<void>
}

export type BudgetOptions = { name: string; quota: number; windowSeconds: number; db: Db; log: Log }

export function createBudget({ name, quota, windowSeconds, db, log }: BudgetOptions): Budget {
  const key = `budget:${name}`
  const lastKey = `${key}:last`
  const windowMs = windowSeconds * 1000

  return {
    async spend(kept = 0, atMost) {
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
        log.error('a budget could not be counted', error, { budget: name })
        return 0
      }
    },
    async exhaust(forMs) {
      try {
        await setCount(db, key, quota + 1, forMs)
      } catch (error) {
        log.error('a budget could not be counted', error, { budget: name })
      }
    },
  }
}
