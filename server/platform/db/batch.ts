/**
 * Natural batching: while one batch is in flight, new items wait; when it returns, all waiting items leave as one batch. There is
 * no timer, so an idle system answers at once (a batch of one) and a busy one pays for one round trip per batch. Invariant: each
 * item gets exactly one answer, and a bad item never fails the other items.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { isUnavailable, outsideJoinedTx, waitedTooLong } from './db.ts'
import { Refusal } from '../refusal.ts'
import { outsideTraces } from '../process/trace.ts'

/** A statement that takes this long is blocked: requests are then refused (`shedAfterMs`) instead of queueing behind it. */
export const blockedAfterMs = 1_000

type Answer<Result> = Result | Promise<Result>

export type BatchOptions<Item, Result> = {
  /**
   * Runs one batch and answers in the same order. It must be all or nothing, because a failed batch is retried item by item. The
   * next batch does not wait for an answer that is a promise.
   */
  run(items: Item[]): Promise<Answer<Result>[]>
  /** Maximum number of items in one statement. */
  maxBatch?: number
  /** Maximum number of waiting items; above it an item is refused at once with 503 `overloaded`. */
  maxWaiting?: number
  /**
   * When the current batch has been in flight for this long, new items are refused at once with 503 `overloaded` instead of
   * waiting for its end. Undefined: all items wait.
   */
  shedAfterMs?: number
  /**
   * Between two batches the event loop turns once, so that a caller that was just answered and calls again at once joins the next
   * batch. Without it, those callers and the waiting ones alternate in batches of half the size. Useful for statements whose cost
   * hardly depends on their size.
   */
  gathers?: boolean
  /** Two items with the same key never share a batch: the second one must see the effect of the first one. */
  keyOf?(item: Item): string
}

export type Batch<Item, Result> = (item: Item) => Promise<Result>

type Waiting<Item, Result> = { item: Item; resolve(result: Answer<Result>): void; reject(error: unknown): void }

export function createBatch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { keyOf, gathers = false, maxBatch = 256, maxWaiting = 20_000, shedAfterMs = Infinity } = options
  let waiting: Waiting<Item, Result>[] = []
  let running = false
  let runningSince = 0

  function run(items: Item[]): Promise<Answer<Result>[]> {
    runningSince = performance.now()
    return options.run(items)
  }

  function takeBatch(): Waiting<Item, Result>[] {
    if (!keyOf) {
      const taken = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      return taken
    }
    const keys = new Set<string>()
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    for (const entry of waiting) {
      const key = keyOf(entry.item)
      if (taken.length < maxBatch && !keys.has(key)) taken.push(entry)
      else left.push(entry)
      // A later item with the same key must also stay behind: the order within a key is kept.
      keys.add(key)
    }
    waiting = left
    return taken
  }

  async function runOne(entry: Waiting<Item, Result>): Promise<void> {
    try {
      const [result] = await run([entry.item])
      entry.resolve(result as Answer<Result>)
    } catch (error) {
      entry.reject(error)
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const taken = takeBatch()
      try {
        const results = await run(taken.map((entry) => entry.item))
        if (results.length !== taken.length) throw new Error(`A batch of ${taken.length} got ${results.length} answers.`)
        taken.forEach((entry, index) => entry.resolve(results[index] as Answer<Result>))
      } catch (error) {
        // An unavailable database fails for each item: trying them one by one would only add waiting time.
        if (taken.length === 1 || (isUnavailable(error) && !waitedTooLong(error))) for (const entry of taken) entry.reject(error)
        else for (const entry of taken) await runOne(entry)
      }
      if (gathers) await turn()
    }
    running = false
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.length >= maxWaiting || (running && performance.now() - runningSince > shedAfterMs)) {
        reject(new Refusal(503, 'overloaded', 'Too many requests are waiting. Try again shortly.', { retryAfterSeconds: 1 }))
        return
      }
      waiting.push({ item, resolve, reject })
      if (running) return
      running = true
      // The microtask lets all items of this turn of the event loop share the first batch.
      queueMicrotask(() => void outsideTraces(() => outsideJoinedTx(drain)))
    })
}
