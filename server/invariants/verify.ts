/** Checks on a live database that what must always be true of the money is true. One command for tests, operators and restores. */
import type { Environment } from '../config.ts'
import { sql, type Db } from '../platform/db.ts'
import type { Scope } from './scope.sql.ts'
import { checks, promises, type Severity } from './verify.sql.ts'

export type Violation = {
  invariant: string
  promise: string
  severity: Severity
  what: string
  /** Whose money it is about; null where that cannot be said. */
  home: number | null
  merchantId: string | null
  /** Null: either. */
  environment: Environment | null
}

/** Whole tables take longer than what a request waits for; a service that has grown must not stop looking because of that. */
const statementTimeoutMs = 15 * 60_000

/** Of each check. */
const rowsAtMost = 20

/**
 * Every broken promise, at most 20 rows of each check; empty when all is well. Reads one snapshot, so a busy service does not disturb it.
 * With `since` it reads what has changed since then, one closed day besides, and whatever is as quick to read. `only`: these promises.
 */
export async function verify(
  db: Pick<Db, 'snapshot'>,
  scope: Scope = { since: null },
  only: readonly string[] = Object.keys(promises),
): Promise<Violation[]> {
  return db.snapshot(async (tx) => {
    // Whole tables meet whole tables here: nested loops, which fresh statistics would suggest, never end on them.
    if (scope.since === null) await tx.rows(sql`set local enable_nestloop = off`)
    const violations: Violation[] = []
    for (const name of only) {
      for (const { invariant, broken } of checks) {
        if (invariant !== name) continue
        const rows = await tx.rows<Pick<Violation, 'what' | 'home' | 'merchantId' | 'environment'>>(sql`
          select found ->> 'what' as what, (found ->> 'home')::integer as home, (found ->> 'merchant_id')::uuid as merchant_id,
            found ->> 'environment' as environment
          from (select to_jsonb(broken) as found from (${broken(scope)}) as broken limit ${rowsAtMost}) as broken`)
        violations.push(...rows.map((row) => ({ invariant, ...promises[invariant]!, ...row })))
      }
    }
    return violations
  }, statementTimeoutMs)
}
