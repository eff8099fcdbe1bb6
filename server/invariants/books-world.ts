/** What tests of the checks of the books share. */
import type { World } from '../../test/world.ts'
import type { Violation } from './verify.ts'
import { walkBooks } from './walk-books.ts'
import { watchBooks } from './watch-books.ts'

/** The next check of everything is due in all its parts. */
export async function makeWholeCheckDue(world: World): Promise<void> {
  await world.owner.pool.query(
    `update check_cursors set pass_started_at = pass_started_at - interval '25 hours', lease_until = null where pass = 'whole'`,
  )
}

/** Checks everything, then what is new; answers what is broken. */
export async function checkAll(world: World): Promise<Violation[]> {
  await makeWholeCheckDue(world)
  await walkBooks(world.deps, { budgetMs: 60_000 })
  return watchBooks(world.deps)
}
