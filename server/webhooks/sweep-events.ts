/**
 * Makes up for deliveries that an event should have and has not: after a restored backup, or a mistake of ours. Invariant: a chain is
 * made up for once, under the very id that settlement would have given it.
 */
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { enqueueMissing } from './event.sql.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** One statement looks at so much of the past at first: twice as much after each that was quick, half as much after one that was not. */
const firstSliceMs = 600_000
const quickMs = 100
const atOnce = 1000

/**
 * Rounds of a job; each looks at a slice of time and answers whether there is more. The first pass begins a day back, each later one
 * an hour: what is older was looked at before.
 */
export function createEventSweep(deps: { db: Db; clock: Clock; log: Log }): () => Promise<boolean> {
  const { db, clock, log } = deps
  let fromMs = clock.now() - dayMs
  let sliceMs = firstSliceMs
  return async () => {
    const nowMs = clock.now()
    const isLast = fromMs + sliceMs >= nowMs
    // The clock of another process may run ahead of this one's.
    const toMs = isLast ? nowMs + hourMs : fromMs + sliceMs
    const startedAt = performance.now()
    // Also what fails is too long: it leaves half.
    sliceMs /= 2
    const count = await enqueueMissing(db, { fromMs, toMs, limit: atOnce })
    if (performance.now() - startedAt < quickMs) sliceMs = Math.min(sliceMs * 4, dayMs)
    if (count > 0) log.warn('webhook.deliveries_added', { count })
    if (count === atOnce) return true
    fromMs = isLast ? nowMs - hourMs : toMs
    return !isLast
  }
}
