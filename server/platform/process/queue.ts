/** A short queue for expensive work. Invariant: work that does not fit is refused at once, before it starts. */
import type { Refusal } from '../refusal.ts'

type QueueOptions = {
  maxRunning: number
  maxWaiting: number
  /** The error when the maximum number is waiting. */
  overloaded: Refusal
}

/**
 * Runs work in order of arrival, at most `maxRunning` at a time. Throws `overloaded` before it returns a promise, so that a
 * caller that does not wait for the work still learns whether it was accepted.
 */
export function createQueue({
  maxRunning,
  maxWaiting,
  overloaded,
}: QueueOptions): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []

  async function run<Result>(turn: Promise<void> | undefined, work: () => Promise<Result>): Promise<Result> {
    await turn
    try {
      return await work()
    } finally {
      // The finished work passes its place on, so `running` stays the same.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return (work) => {
    if (running < maxRunning) {
      running += 1
      return run(undefined, work)
    }
    if (waiting.length >= maxWaiting) throw overloaded
    return run(new Promise<void>((resolve) => waiting.push(resolve)), work)
  }
}
