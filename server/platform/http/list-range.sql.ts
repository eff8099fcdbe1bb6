/** The rows that a list by time asks for, as the end of its statement. */
import { sql, type Sql } from '../db/db.ts'
import type { ListRange } from './page.ts'

/**
 * The end of a `where`, and what follows: the rows in the range, newest first, one more than the limit. `row` names a relation with
 * `created_at` and `id`.
 */
export function newestFirst(range: ListRange, row: Sql): Sql {
  const { after, createdFrom = null, createdTo = null, limit } = range
  return sql`
      and (${createdFrom}::timestamptz is null or ${row}.created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or ${row}.created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (${row}.created_at, ${row}.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by ${row}.created_at desc, ${row}.id desc
    limit ${limit + 1}`
}
