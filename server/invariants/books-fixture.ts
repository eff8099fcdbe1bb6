/** Shared by the tests of the checks of the books. */
import type pg from 'pg'
import type { TestApp } from '../../test/app.ts'
import type { Runner, Sql } from '../platform/db/db.ts'
import type { Violation } from './verify.ts'
import { walkBooks } from './walk-books.ts'
import { watchBooks } from './watch-books.ts'

/** Makes the next full check due in all its parts. */
export async function makeWholeCheckDue(app: TestApp): Promise<void> {
  await app.owner.pool.query(
    `update check_cursors set pass_started_at = pass_started_at - interval '25 hours', lease_until = null where pass = 'whole'`,
  )
}

/** Runs the full check, then the incremental check. Returns the broken promises. */
export async function checkAll(app: TestApp): Promise<Violation[]> {
  await makeWholeCheckDue(app)
  await walkBooks(app.deps, { budgetMs: 60_000 })
  return watchBooks(app.deps)
}

/** Runs the work in a transaction that is rolled back, and always releases the connection. */
export async function undone(app: TestApp, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await app.owner.pool.connect()
  try {
    await client.query('begin')
    await client.query('set local idle_in_transaction_session_timeout = 0')
    await work(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const isSql = (value: unknown): value is Sql => typeof value === 'object' && value !== null && 'strings' in value

function compile(piece: Sql, values: unknown[]): string {
  return piece.strings.reduce((text, next, index) => {
    const value = piece.values[index - 1]
    return text + (isSql(value) ? compile(value, values) : `$${values.push(value)}`) + next
  })
}

/** Runs statements within the caller's open transaction. */
export function runnerOf(client: pg.PoolClient): Runner {
  const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    async rows<Row>(query: Sql) {
      const values: unknown[] = []
      const { rows } = await client.query(compile(query, values), values)
      return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value]))) as Row[]
    },
  }
}
