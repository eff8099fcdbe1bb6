/**
 * Natural batching: while one batch is on its way, whatever arrives waits; when it returns, all that waits leaves as one. There is
 * no timer, so an idle system answers at once (a batch of one) and a busy one pays for one round trip per batch.
 * Invariant: each item gets exactly one answer, and a bad item never sinks its neighbours.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { isUnavailable, waitedTooLong } from './db.ts'
import { Refusal } from '../refusal.ts'
import { outsideTraces } from '../process/trace.ts'

type Answer<Result> = Result | Promise<Result>

export type BatchOptions<Item, Result> = {
  /**
   * Runs one batch and answers in the same order. It must be all or nothing, because a failed batch is tried again item by item. The next
   * batch does not wait for an answer that is a promise.
   */
  run(items: Item[]): Promise<Answer<Result>[]>
  /** Most items in one statement. */
  maxBatch?: number
  /** Most items that may wait; over it an item is refused at once with 503 `overloaded`. */
  maxWaiting?: number
  /**
   * When the batch in hand has been on its way for so long, whoever comes next is refused at once with 503 `overloaded`, instead of waiting
   * for its end. Undefined: all wait.
   */
  shedAfterMs?: number
  /**
   * Between two batches the event loop turns once, so that whoever has just been answered and asks again at once leaves with the next one.
   * Without it those who ask again and those who waited take turns, in batches of half the size: worth a turn where a statement costs much
   * whatever it holds.
   */
  gathers?: boolean
  /** Two items with the same key never share a batch: the second one must see what the first one did. */
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
      // A later item of a key that was left behind must stay behind it too: the order within a key is kept.
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
        // A database that is away is away for each of them: trying them one by one would only make everybody wait.
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
      // The microtask lets everything that arrived in this turn of the event loop share the first batch.
      queueMicrotask(() => void outsideTraces(drain))
    })
}
