/**
 * Adds deliveries that an event should have and does not have: after a restored backup, or after a bug. Invariant: a missing chain is added
 * once, under the same id that settlement would have given it.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { enqueueMissing } from './event.sql.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** The first time range of one statement. It doubles after each quick statement and halves after each slow one. */
const firstSliceMs = 600_000
const quickMs = 100
const batchSize = 1000

/**
 * Rounds of a job. Each round checks a slice of time and returns whether there is more. The first pass begins a day ago, each later one an
 * hour ago: older events were checked before.
 */
export function createEventSweep(deps: { db: Db; clock: Clock; log: Log }): () => Promise<boolean> {
  const { db, clock, log } = deps
  let fromMs = clock.now() - dayMs
  let sliceMs = firstSliceMs
  return async () => {
    const nowMs = clock.now()
    const isLast = fromMs + sliceMs >= nowMs
    // The clock of another process may be ahead of this one's.
    const toMs = isLast ? nowMs + hourMs : fromMs + sliceMs
    const startedAt = performance.now()
    // A statement that fails also counts as slow, so the slice is halved before it runs.
    sliceMs /= 2
    const count = await enqueueMissing(db, { fromMs, toMs, limit: batchSize })
    if (performance.now() - startedAt < quickMs) sliceMs = Math.min(sliceMs * 4, dayMs)
    if (count > 0) log.warn('webhook.deliveries_added', { count })
    if (count === batchSize) return true
    fromMs = isLast ? nowMs - hourMs : toMs
    return !isLast
  }
}
