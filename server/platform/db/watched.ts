/**
 * A small thing in the database that every process has to know: read again when news of it comes and every few seconds besides.
 * Invariant: `fresh` never answers with what was read longer ago than `maxAgeMs`; where it cannot be read any more, it fails.
 */
import type { Log } from '../process/log.ts'

export type Watched<Value> = {
  /** What was read last, however long ago: for what is only shown. */
  last(): Value
  /** What was read at most `maxAgeMs` ago. Reads now if that has not happened by itself. */
  fresh(): Promise<Value>
  /** Reads what is there now: nothing that was committed before this call is missing afterwards. */
  reread(): Promise<void>
  /** Reads no more; resolves when the last reading is over. */
  close(): Promise<void>
}

export type WatchedOptions<Value> = {
  /** What it is, for the log. */
  name: string
  read(): Promise<Value>
  everyMs: number
  maxAgeMs: number
  log: Log
}

export async function openWatched<Value>({ name, read, everyMs, maxAgeMs, log }: WatchedOptions<Value>): Promise<Watched<Value>> {
  // A clock that nobody sets: what is old must not look young because the time of day was put back.
  let readAt = performance.now()
  let value = await read()
  let reading: Promise<void> | undefined
  let isAskedAgain = false

  async function readUntilCurrent(): Promise<void> {
    try {
      do {
        isAskedAgain = false
        const startedAt = performance.now()
        value = await read()
        readAt = startedAt
      } while (isAskedAgain)
    } finally {
      reading = undefined
    }
  }

  function reread(): Promise<void> {
    // A reading on its way may have looked before the change that this one is about.
    isAskedAgain = true
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
