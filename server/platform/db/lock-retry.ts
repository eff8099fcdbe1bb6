/**
 * Retries work that a locked row blocks, without holding a connection between tries. Invariant: a statement waits for a lock only
 * as long as the lock timeout of its pool; the rest of the waiting time passes outside the pool.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseErrorCode } from './db.ts'

/** Whether a statement gave up because another transaction holds a row that it needs: nothing of it was applied. */
export function waitedForLock(error: unknown): boolean {
  return databaseErrorCode(error) === '55P03'
}

const firstPauseMs = 20
const longestPauseMs = 250

/** Runs `work` until it does not fail for a lock; after `patienceMs` it throws the last error. */
export async function retryWhileLocked<Result>(work: () => Promise<Result>, patienceMs: number): Promise<Result> {
  const deadline = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!waitedForLock(error) || performance.now() + pauseMs > deadline) throw error
    }
    await sleep(pauseMs)
  }
}

/** Runs work with one key in order, one at a time; work with different keys in parallel. */
export type Turns<Key> = <Result>(key: Key, work: () => Promise<Result>) => Promise<Result>

export function createTurns<Key>(): Turns<Key> {
  const last = new Map<Key, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const result = before === undefined ? work() : before.then(work)
    const done = result.catch(() => undefined)
    last.set(key, done)
    try {
      return await result
    } finally {
      if (last.get(key) === done) last.delete(key)
    }
  }
}
