/** What the five-minute check of the books reads, statement by statement, as PostgreSQL counts it: the same on a busy machine. */
import { Sql, type Db, type Query, type Runner } from '../server/platform/db.ts'
import { verifyNew } from '../server/invariants/verify.ts'

type Plan = {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** What the plan reads at its ends: rows of tables and entries of indexes, also those that are left out then. */
function rowsOf(plan: Plan): number {
  if (plan.Plans) return plan.Plans.reduce((sum, part) => sum + rowsOf(part), 0)
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(rows * plan['Actual Loops'])
}

function textOf(piece: Sql, values: unknown[]): string {
  let text = piece.strings[0]!
  piece.values.forEach((value, index) => {
    text += value instanceof Sql ? textOf(value, values) : `$${values.push(value)}`
    text += piece.strings[index + 1]!
  })
  return text
}

type Cost = {
  /** Pages of 8 KiB that were looked at, in memory or not. */
  pages: number
  /** Rows that were read: not more where an index is a level deeper. */
  rows: number
  statements: { pages: number; rows: number; words: string }[]
  violations: string[]
}

/** Makes the check of what is new since a moment, with each of its statements explained. */
export async function costOfCheck(db: Db, since: Date): Promise<Cost> {
  const statements: Cost['statements'] = []
  const client = await db.pool.connect()
  const runner: Runner = {
    async rows<Row>(query: Sql | Query): Promise<Row[]> {
      const values: unknown[] = []
      const text = textOf(query as Sql, values)
      if (/^\s*(with|select)/.test(text)) {
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (analyze, buffers, format json) ${text}`,
          values,
        )
        const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
        const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
        statements.push({ pages, rows: rowsOf(plan), words: text.trim().replaceAll(/\s+/g, ' ') })
      }
      const { rows } = await client.query(text, values)
      return rows as Row[]
    },
  }
  try {
    await client.query('begin isolation level repeatable read, read only')
    const { violations } = await verifyNew({ snapshot: (read) => read(runner) }, since)
    return {
      pages: statements.reduce((sum, { pages }) => sum + pages, 0),
      rows: statements.reduce((sum, { rows }) => sum + rows, 0),
      statements,
      violations: violations.map(({ invariant, what }) => `${invariant}: ${what}`),
    }
  } finally {
    await client.query('rollback')
    client.release(true)
  }
}
