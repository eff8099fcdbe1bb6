/**
 * A small value in the database that every process needs: read again on each notification and additionally every few seconds.
 * Invariant: `fresh` never returns a value that was read longer ago than `maxAgeMs`; if the value cannot be read any more, it
 * fails.
 */
import type { Log } from '../process/log.ts'

export type Watched<Value> = {
  /** The last value, of any age: for display only. */
  last(): Value
  /** A value that was read at most `maxAgeMs` ago. Reads now if the last read is older. */
  fresh(): Promise<Value>
  /** Reads the current value, which includes everything that was committed before this call. */
  reread(): Promise<void>
  /** Stops reading; resolves when the last read is over. */
  close(): Promise<void>
}

export type WatchedOptions<Value> = {
  /** The name of the value, for the log. */
  name: string
  read(): Promise<Value>
  everyMs: number
  maxAgeMs: number
  log: Log
}

export async function openWatched<Value>({ name, read, everyMs, maxAgeMs, log }: WatchedOptions<Value>): Promise<Watched<Value>> {
  // A monotonic clock: an old value must not look new because the time of day was set back.
  let readAt = performance.now()
  let value = await read()
  let reading: Promise<void> | undefined
  let isRereadDue = false

  async function readUntilCurrent(): Promise<void> {
    try {
      do {
        isRereadDue = false
        const startedAt = performance.now()
        value = await read()
        readAt = startedAt
      } while (isRereadDue)
    } finally {
      reading = undefined
    }
  }

  function reread(): Promise<void> {
    // A read in flight may have started before the change that this call is about.
    isRereadDue = true
    reading ??= readUntilCurrent()
    return reading
  }

  const timer = setInterval(() => {
    reread().catch((error: unknown) => log.warn('watched_value.read_failed', { what: name, error: String(error) }))
  }, everyMs)
  timer.unref()

  return {
    last: () => value,
    async fresh() {
      if (performance.now() - readAt > maxAgeMs) await (reading ?? reread())
      return value
    },
    reread,
    async close() {
      clearInterval(timer)
      await reading?.catch(() => undefined)
    },
  }
}
