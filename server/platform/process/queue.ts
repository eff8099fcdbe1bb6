/** A short queue in front of costly work. Invariant: what does not fit is refused at once, before anything of it has started. */
import type { Refusal } from '../refusal.ts'

type QueueOptions = {
  maxRunning: number
  maxWaiting: number
  /** What is thrown when as many are waiting as may. */
  overloaded: Refusal
}

/**
 * Runs what it is given, in the order it came, at most `maxRunning` at a time. Throws `overloaded`, and does so before it returns a
 * promise, so that a caller who does not wait for the work still learns whether it was taken.
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
      // The one that ends hands its place over, so `running` stays as it is.
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
