/**
 * Counts the reads of the five-minute check of the books, statement by statement, as PostgreSQL counts them: the numbers are the
 * same on a busy machine.
 */
import { Sql, type Db, type Query } from '../server/platform/db/db.ts'
import { runnerOf } from '../server/platform/db/runner.ts'
import { sealSpans } from '../server/assurance/invariants/sealed-span.sql.ts'
import { verifyNew, type Violation } from '../server/assurance/invariants/verify.ts'

type Plan = {
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

type Explained = { Plan: Plan }

/** The rows read by the plan's leaf nodes: table rows and index entries, including filtered ones. */
function rowsOf(plan: Plan): number {
  if (plan.Plans) return plan.Plans.reduce((sum, part) => sum + rowsOf(part), 0)
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(rows * plan['Actual Loops'])
}

/** Counts the plan's reads of an index by time, which has an entry for every few pages of all past data. */
function timeScansOf(plan: Plan): number {
  const own = plan['Index Name']?.endsWith('_by_time') ? plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum, part) => sum + timeScansOf(part), own)
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
  /** Pages of 8 KiB that were read, in memory or not. */
  pages: number
  /** Rows that were read; an index with one more level does not change this number. */
  rows: number
  /** The number of reads of an index by time. */
  timeScans: number
  statements: { pages: number; rows: number; words: string }[]
  violations: string[]
}

/** A few words that identify a statement: its text about a row that violates its rule. */
export const labelOf = (words: string): string => (/format\('([^']*)'/.exec(words)?.[1] ?? words).slice(0, 60)

/** Seals the last two hours as the earlier checks would have: in stretches of five minutes. */
export async function sealAsBefore(db: Db): Promise<void> {
  for (let lagSeconds = 3_600; lagSeconds >= 0; lagSeconds -= 300) await sealSpans(db, { lagSeconds, steps: 1 })
}

/** Runs the check of all rows since a moment, with each of its statements explained. */
export const costOfCheck = (db: Db, since: Date): Promise<Cost> =>
  explained(db, async (source) => (await verifyNew(source, since)).violations)

/** Runs a check in one snapshot, with each of its statements explained. */
export async function explained(db: Db, check: (source: Pick<Db, 'snapshot'>) => Promise<Violation[]>): Promise<Cost> {
  const statements: Cost['statements'] = []
  let timeScans = 0
  const client = await db.pool.connect()
  const runner = runnerOf(async <Row>(query: Sql | Query): Promise<Row[]> => {
    const values: unknown[] = []
    const text = textOf(query as Sql, values)
    // A statement that sets parameters reads nothing.
    if (/^\s*(with|select)/.test(text) && !text.includes('set_config')) {
      const { rows } = await client.query<{ 'QUERY PLAN': [Explained] }>(
        `explain (analyze, buffers, timing off, format json) ${text}`,
        values,
      )
      const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      timeScans += timeScansOf(plan)
      const words = text.trim().replaceAll(/\s+/g, ' ')
      statements.push({ pages, rows: rowsOf(plan), words })
    }
    const { rows } = await client.query(text, values)
    return rows as Row[]
  })
  try {
    await client.query('begin isolation level repeatable read, read only')
    const violations = await check({
      snapshot: (read) => read(runner),
    })
    return {
      pages: statements.reduce((sum, { pages }) => sum + pages, 0),
      rows: statements.reduce((sum, { rows }) => sum + rows, 0),
      timeScans,
      statements,
      violations: violations.map(({ invariant, what }) => `${invariant}: ${what}`),
    }
  } finally {
    await client.query('rollback')
    client.release(true)
  }
}
