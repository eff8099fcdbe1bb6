/** What has changed since a moment, told by the transfers made since then, of tables that do not tell themselves. */
import { sql, type Runner, type Sql } from '../platform/db.ts'
import type { Keys } from './scope.sql.ts'

async function readKeys(db: Runner, query: Sql): Promise<Keys> {
  const rows = await db.rows<{ home: number; id: string }>(query)
  return { homes: rows.map(({ home }) => home), ids: rows.map(({ id }) => id) }
}

export const changedAccounts = (db: Runner, since: Date): Promise<Keys> =>
  readKeys(
    db,
    sql`
    select home, debit_account_id as id from ledger_transfers where created_at >= ${since}::timestamptz
    union
    select home, credit_account_id from ledger_transfers where created_at >= ${since}::timestamptz`,
  )

export const changedBreaks = (db: Runner, since: Date): Promise<Keys> =>
  readKeys(
    db,
    sql`select distinct home, break_id as id from ledger_transfers where created_at >= ${since}::timestamptz and break_id is not null`,
  )
