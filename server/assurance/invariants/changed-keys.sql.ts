/** The rows that changed since a moment, found by the tables themselves or by the transfers made since then. */
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { recentIn, type Keys, type Places, type Recent, type Scope } from './scope.sql.ts'

async function readKeys(db: Runner, query: Sql): Promise<Keys> {
  const rows = await db.rows<{ home: number; id: string }>(query)
  return { homes: rows.map(({ home }) => home), ids: rows.map(({ id }) => id) }
}

const recentTransfers = (scope: Scope): Sql => recentIn(scope, 'ledger_transfers', sql`t`, 'created_at')

export const changedAccounts = (db: Runner, scope: Scope): Promise<Keys> =>
  readKeys(
    db,
    sql`
    select t.home, t.debit_account_id as id from ledger_transfers t where ${recentTransfers(scope)}
    union
    select t.home, t.credit_account_id from ledger_transfers t where ${recentTransfers(scope)}`,
  )

export const changedBreaks = (db: Runner, scope: Scope): Promise<Keys> =>
  readKeys(
    db,
    sql`select distinct t.home, t.break_id as id from ledger_transfers t where t.break_id is not null and ${recentTransfers(scope)}`,
  )

/**
 * If more rows of a table have changed, they are not listed: each check finds them by their time, which then costs little in comparison.
 */
const listedAtMost = 5_000

async function readPlaces(db: Runner, condition: Sql): Promise<Places | undefined> {
  const rows = await db.rows<{ place: string }>(sql`select r.ctid::text as place from ${condition} limit ${listedAtMost + 1}`)
  return rows.length > listedAtMost ? undefined : rows.map(({ place }) => place)
}

/**
 * The rows that were created or changed since a moment, for each table with such times. An index by time has an entry for every few pages
 * of the whole history, so it is read here once and not by each check.
 */
export async function readRecent(db: Runner, since: Date): Promise<Recent> {
  const made = async (table: Sql) => ({
    created_at: await readPlaces(db, sql`${table} r where r.created_at >= ${since}::timestamptz`),
  })
  const changed = async (table: Sql) => ({
    updated_at: await readPlaces(db, sql`${table} r where r.updated_at >= ${since}::timestamptz`),
  })
  return {
    ledger_transfers: await made(sql`ledger_transfers`),
    events: await made(sql`events`),
    webhook_deliveries: await made(sql`webhook_deliveries`),
    payments: { ...(await made(sql`payments`)), ...(await changed(sql`payments`)) },
    payouts: { ...(await made(sql`payouts`)), ...(await changed(sql`payouts`)) },
  }
}
