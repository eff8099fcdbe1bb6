/**
 * Longer than a statement waits for a row, and a transaction for its commit. `clock_now()` is the time at which the transaction began, so
 * what it writes may look this much older than what it waited for.
 */
import { sql } from './sql.ts'

export const longestWait = sql`interval '1 minute'`
export const longestWaitMs = 60_000
