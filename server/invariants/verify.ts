/** Checks on a live database that what must always be true of the money is true. One command for tests, operators and restores. */
import { sql, type Db } from '../platform/db.ts'
import { invariants, type Scope } from './verify.sql.ts'

export type Violation = { invariant: string; promise: string; what: string }

/** Whole tables take longer than what a request waits for; a service that has grown must not stop looking because of that. */
const statementTimeoutMs = 15 * 60_000

/**
 * Every broken promise, at most 20 rows of each; empty when all is well. Reads one snapshot, so a busy service does not disturb it. With
 * `since` it reads what has changed since then, one closed day besides, and whatever is as quick to read.
 */
export async function verify(db: Pick<Db, 'snapshot'>, scope: Scope = { since: null }): Promise<Violation[]> {
  return db.snapshot(async (tx) => {
    // Whole tables meet whole tables here: nested loops, which fresh statistics would suggest, never end on them.
    if (scope.since === null) await tx.rows(sql`set local enable_nestloop = off`)
    const violations: Violation[] = []
    for (const [invariant, { promise, query }] of Object.entries(invariants)) {
      const rows = await tx.rows<{ what: string }>(sql`select what from (${query(scope)}) as broken limit 20`)
      violations.push(...rows.map(({ what }) => ({ invariant, promise, what })))
    }
    return violations
  }, statementTimeoutMs)
}
