/**
 * The full check, in short steps that continue where the last one stopped, in any process. Invariant: it delays no incremental check, and
 * a process that crashes in the middle loses one step at most.
 */
import { claimPart, recordEnd, recordFailure, recordStep } from './check-cursor.sql.ts'
import { stopAndAlert, type WatchBooksDeps } from './stop-and-alert.ts'
import { partsOfAll } from './verify-all.ts'

/** `budgetMs`: no further step starts later. `rows`: the maximum number in a step. */
type Pace = { budgetMs: number; rows?: number }

/** Runs one step; returns false if none is due. */
async function walkStep(deps: WatchBooksDeps, rows: number): Promise<boolean> {
  const parts = partsOfAll(deps)
  const claim = await claimPart(
    deps.db,
    parts.map(({ name }) => name),
  )
  if (!claim) return false
  const part = parts.find(({ name }) => name === claim.part)!
  const size = Math.min(claim.rows ?? part.size, rows)
  try {
    const step = await part.step(claim.after, size)
    if (!step) await recordEnd(deps.db, claim)
    else {
      await recordStep(deps.db, claim, step.after, step.violations)
      await stopAndAlert(deps, step.violations)
    }
  } catch (error) {
    deps.log.error('books.whole_check_failed', error, {
      part: claim.part,
      rows: size,
    })
    await recordFailure(deps.db, claim, Math.max(1, Math.floor(size / 2)))
  }
  return true
}

/** Runs one step, and more while there is time; returns whether more are due. */
export async function walkBooks(deps: WatchBooksDeps, { budgetMs, rows = Infinity }: Pace): Promise<boolean> {
  const end = performance.now() + budgetMs
  do if (!(await walkStep(deps, rows))) return false
  while (performance.now() < end)
  return true
}
