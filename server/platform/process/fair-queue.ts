/**
 * A short queue for expensive work that many callers share. Invariant: the caller with the fewest recent turns runs first, so
 * that a flood waits behind all other callers. When the queue is full, work is refused before it starts, and it is the work of
 * the caller with the most turns.
 */
import type { Refusal } from '../refusal.ts'

export type FairQueueOptions = {
  maxRunning: number
  /** Maximum work of one first key that runs at once. */
  maxRunningPerKey?: number
  maxWaiting: number
  /** The order among callers with equally many turns: `newest` where a caller that has waited long has probably left or tried again. */
  first: 'oldest' | 'newest'
  /** The error for a caller that does not fit. */
  overloaded: Refusal
}

/** Runs work for the caller named by `keys` (first the account, then its address); the turns of every key count. */
export type FairQueue = {
  run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result>
  /** Removes one turn of each key: the call was not part of a flood. */
  forgive(keys: readonly string[]): void
}

/** Turns are remembered for one to two windows. */
const windowMs = 60_000

type Waiting = { keys: readonly string[]; start(): void; refuse(): void }

/** How often each key was noted recently. */
export function createRecentCounts() {
  let [current, previous] = [new Map<string, number>(), new Map<string, number>()]
  let since = performance.now()

  function renew(): void {
    const elapsedMs = performance.now() - since
    if (elapsedMs < windowMs) return
    previous = elapsedMs < 2 * windowMs ? current : new Map()
    current = new Map()
    since = performance.now()
  }

  return {
    of(keys: readonly string[]): number {
      renew()
      return keys.reduce((sum, key) => sum + (current.get(key) ?? 0) + (previous.get(key) ?? 0), 0)
    },
    note(keys: readonly string[], change: 1 | -1): void {
      renew()
      for (const key of keys) current.set(key, (current.get(key) ?? 0) + change)
    },
  }
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { maxRunning, maxRunningPerKey = Infinity, maxWaiting, first, overloaded } = options
  const turns = createRecentCounts()
  const runningByKey = new Map<string, number>()
  let running = 0
  /** Oldest first. */
  const waiting: Waiting[] = []

  const mayRun = (keys: readonly string[]): boolean =>
    running < maxRunning && (keys[0] === undefined || (runningByKey.get(keys[0]) ?? 0) < maxRunningPerKey)

  function count(keys: readonly string[], change: 1 | -1): void {
    running += change
    const [key] = keys
    if (key === undefined) return
    const sum = (runningByKey.get(key) ?? 0) + change
    if (sum === 0) runningByKey.delete(key)
    else runningByKey.set(key, sum)
  }

  function startNext(): void {
    let next: Waiting | undefined
    for (const one of first === 'oldest' ? waiting : waiting.toReversed()) {
      if (mayRun(one.keys) && (next === undefined || turns.of(one.keys) < turns.of(next.keys))) next = one
    }
    if (next === undefined) return
    waiting.splice(waiting.indexOf(next), 1)
    next.start()
  }

  async function run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      count(keys, -1)
      startNext()
    }
  }

  /** Counts at once, so that no other caller takes the place meanwhile. */
  function take(keys: readonly string[]): void {
    count(keys, 1)
    turns.note(keys, 1)
  }

  /** Frees one place if a waiting caller has had more turns than `keys`. */
  function evict(keys: readonly string[]): boolean {
    const [most] = waiting.toSorted((one, other) => turns.of(other.keys) - turns.of(one.keys))
    if (most === undefined) return false
    const difference = turns.of(most.keys) - turns.of(keys)
    if (difference < 0 || (difference === 0 && first === 'oldest')) return false
    waiting.splice(waiting.indexOf(most), 1)
    most.refuse()
    return true
  }

  function enqueue<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    if (mayRun(keys)) {
      take(keys)
      return run(keys, work)
    }
    if (waiting.length >= maxWaiting && !evict(keys)) throw overloaded
    return new Promise<void>((resolve, reject) => {
      const start = (): void => {
        take(keys)
        resolve()
      }
      waiting.push({ keys, start, refuse: () => reject(overloaded) })
    }).then(() => run(keys, work))
  }

  return { run: enqueue, forgive: (keys) => turns.note(keys, -1) }
}
