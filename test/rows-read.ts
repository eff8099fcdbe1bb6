/** How many rows a statement reads, for tests that the cost of a read does not grow with a history. */
import { sql, type Runner } from '../server/platform/db/db.ts'
import type { TestApp } from './app.ts'

/**
 * Counts the rows of a table that `work` reads. The counters of one connection are visible at once and include no reads of others.
 */
export const rowsRead = (app: TestApp, table: string, work: (db: Runner) => Promise<unknown>): Promise<number> =>
  app.db.snapshot(async (db) => {
    const count = async () => {
      const [counted] = await db.rows<{ count: number }>(sql`
        select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_all_tables where relname = ${table}`)
      return counted!.count
    }
    const before = await count()
    await work(db)
    return (await count()) - before
  })
