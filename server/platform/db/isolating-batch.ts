/**
 * A natural batch (batch.ts) in which a locked row delays only its own group. Items belong to groups whose rows are disjoint,
 * such as homes. A batch that waits for a lock longer than its pool's lock timeout is rolled back; after that, each of its groups
 * has a separate batch until none of its items waits. Invariant: each item gets exactly one answer. A later item of the same
 * group may overtake a retried item, as it may between two processes.
 */
import { createBatch, type Batch, type BatchOptions } from './batch.ts'
import { retryWhileLocked, waitedForLock } from './lock-retry.ts'
import { createQueue } from '../process/queue.ts'
import { Refusal } from '../refusal.ts'

export type IsolatingBatchOptions<Item, Result> = Omit<BatchOptions<Item, Result>, 'run'> & {
  /** One batch, all or nothing. It waits for one row up to the lock timeout of its pool, or up to its own. */
  run(items: Item[]): Promise<Result[]>
  groupOf(item: Item): number | string
  /** How long an item is retried, in a separate group, while another transaction holds a row that it needs. */
  patienceMs: number
}

/** Connections that all separate groups use together, so that the shared batch always finds one. */
const maxIsolatedRuns = 2

export function createIsolatingBatch<Item, Result>(options: IsolatingBatchOptions<Item, Result>): Batch<Item, Result> {
  const { groupOf, patienceMs, ...batchOptions } = options
  const isolated = new Map<number | string, { batch: Batch<Item, Result>; pending: number }>()
  const inSlot = createQueue({
    maxRunning: maxIsolatedRuns,
    maxWaiting: Infinity,
    overloaded: new Refusal(503, 'overloaded', 'Too many requests are waiting. Try again shortly.'),
  })
  const newBatch = (): Batch<Item, Result> => createBatch({ ...batchOptions, run: (items) => inSlot(() => options.run(items)) })

  async function runIsolated(item: Item): Promise<Result> {
    const group = groupOf(item)
    const own = isolated.get(group) ?? { batch: newBatch(), pending: 0 }
    isolated.set(group, own)
    own.pending += 1
    try {
      return await retryWhileLocked(() => own.batch(item), patienceMs)
    } finally {
      own.pending -= 1
      if (own.pending === 0) isolated.delete(group)
    }
  }

  /** Answers of isolated items are promises: the shared batch does not wait for them. */
  async function runShared(items: Item[]): Promise<(Result | Promise<Result>)[]> {
    const shared = items.filter((item) => !isolated.has(groupOf(item)))
    try {
      const results = shared.length === 0 ? [] : await options.run(shared)
      const resultOf = new Map(shared.map((item, index) => [item, results[index]!]))
      return items.map((item) => (resultOf.has(item) ? resultOf.get(item)! : runIsolated(item)))
    } catch (error) {
      if (!waitedForLock(error)) throw error
      return items.map(runIsolated)
    }
  }

  return createBatch<Item, Result>({ ...batchOptions, run: runShared })
}
