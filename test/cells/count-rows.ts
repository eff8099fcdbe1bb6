/** Shows that a refused request wrote nothing. */
import type { TestApp } from '../app.ts'

/** The rows of every table, by table. */
export async function countRows(app: TestApp): Promise<Record<string, number>> {
  const { rows: tables } = await app.owner.pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`,
  )
  const counted = tables
    .map(({ name }) => `select '${name}' as name, count(*)::integer as count from ${name}`)
    .join(' union all ')
  const { rows } = await app.owner.pool.query<{ name: string; count: number }>(counted)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}
