/**
 * So many calls to somebody else in one window, which all processes spend from together. Invariant: what is kept for those that come
 * first is never spent by those that can wait. Counted in PostgreSQL, as limits are (`limits.ts`).
 */
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Db } from './db.ts'
import type { Log } from './log.ts'

export type Budget = {
  /** Spends one and answers 0, or answers in how many ms to ask again. Who can wait leaves `kept` of them to others. */
  spend(kept?: number): Promise<number>
  /** Nothing is left for so long: whoever gave us the budget says so. */
  exhaust(forMs: number): Promise<void>
}

export type BudgetOptions = { name: string; quota: number; windowSeconds: number; db: Pick<Db, 'pool'>; log: Log }

export function createBudget({ name, quota, windowSeconds, db, log }: BudgetOptions): Budget {
  const counter = new RateLimiterPostgres({
    points: quota,
    duration: windowSeconds,
    storeClient: db.pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: 'budget',
    clearExpiredByTimeout: false,
  })

  return {
    async spend(kept = 0) {
      try {
        const { consumedPoints, msBeforeNext } = await counter.consume(name)
        if (consumedPoints <= quota - kept) return 0
        await counter.reward(name)
        return Math.max(1, msBeforeNext)
      } catch (outcome) {
        if (outcome instanceof RateLimiterRes) return Math.max(1, outcome.msBeforeNext)
        // Uncounted, it is the other side that says when it is too much.
        log.error('a budget could not be counted', outcome, { budget: name })
        return 0
      }
    },
    async exhaust(forMs) {
      try {
        await counter.block(name, Math.ceil(forMs / 1000))
      } catch (error) {
        log.error('a budget could not be counted', error, { budget: name })
      }
    },
  }
}
