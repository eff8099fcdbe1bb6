/**
 * Applies `migrations/*.sql` in order; an advisory lock serialises processes that start together. Each migration is one
 * transaction, in which no statement waits for a lock long enough to disturb others: it gives up, and the whole migration is
 * retried. A file that begins with `-- outside a transaction` runs statement by statement (concurrent indexes, validations) and
 * may be run again from its start.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { CommandError } from '../process/commands.ts'
import { databaseErrorCode, type Db } from './db.ts'
import { encodingProblem, readDatabaseText } from './database-text.sql.ts'
import { lackOf, owningLogin } from './logins.sql.ts'

const ownFolder = join(import.meta.dirname, '../../../migrations')

const outsideMark = '-- outside a transaction'

/** The longest time that other statements queue behind a migration that waits for a table. */
const lockTimeoutMs = 400
/** An index build waits for transactions to end, and blocks no other statement. */
const patientLockTimeoutMs = 600_000
const maxTries = 60
const lockNotAvailable = '55P03'

// Existing databases have the table under this name, which is that of the package that applied their migrations.
const createRecord = `create table if not exists kysely_migration (
  name varchar(255) primary key, timestamp varchar(255) not null)`
const record = `insert into kysely_migration (name, timestamp)
  values ($1, to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** The names of the migrations in a folder, in their order. */
async function namesIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return files.map((file) => file.slice(0, -'.sql'.length))
}

/**
 * Brings the schema up to date; returns the names of the migrations that it applied. `db` must have no role. A schema that is newer
 * than this version stays unchanged.
 */
export async function migrate(db: Db, folder = ownFolder): Promise<string[]> {
  const client = await db.pool.connect()
  try {
    // Poll for the lock instead of waiting: an index build would wait for a statement that waits here.
    while (!(await isMine(client))) await sleep(200)
    const applied = await appliedMigrations(client)
    const names = await namesIn(folder)
    const due = names.filter((name) => !applied.has(name))
    if (due.length === 0) return []
    // What is applied must be the beginning of the files: a migration relies on all that stand before it, and on nothing else.
    if (!names.slice(0, applied.size).every((name) => applied.has(name))) {
      throw new CommandError(
        'The database has migrations that these files do not continue. Start the version that made its schema, or use an empty database.',
      )
    }
    const unfit = encodingProblem(await readDatabaseText(client))
    if (unfit !== undefined) throw new CommandError(`${unfit} Nothing was changed.`)
    // Checked first, so that a login without a right changes nothing instead of stopping between two migrations.
    const lack = await lackOf(client)
    if (lack !== undefined) {
      throw new CommandError(
        `${lack} Nothing was changed. Let an administrator run ops/logins.sql in this database once, and migrate as ${owningLogin}: its address is DATABASE_OWNER_URL.`,
      )
    }
    await client.query(createRecord)
    for (const name of due) await applyWithPatience(client, name, await readFile(join(folder, `${name}.sql`), 'utf8'))
    return due
  } finally {
    // Closing its connection releases the lock.
    client.release(true)
  }
}

async function isMine(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(hashtext('malipo migrations')) as mine`)
  return rows[0]!.mine
}

async function applyWithPatience(client: PoolClient, name: string, text: string): Promise<void> {
  const apply = text.startsWith(outsideMark) ? applyOutside : applyInside
  for (let tries = 1; ; tries += 1) {
    try {
      return await apply(client, name, text)
    } catch (error) {
      if (databaseErrorCode(error) !== lockNotAvailable || tries >= maxTries) throw error
      // Let the statements that queued behind it run first.
      await sleep(lockTimeoutMs + Math.random() * lockTimeoutMs)
    }
  }
}

async function applyInside(client: PoolClient, name: string, text: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '${lockTimeoutMs}ms'`)
    // What a migration writes has seals (0046-row-seals).
    await client.query(`set local malipo.changes_by_hand = 'sealed'`)
    await client.query(text)
    await client.query(record, [name])
    await client.query('commit')
  } catch (error) {
    // A connection that is gone cannot roll back, and need not; the first error says why.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function applyOutside(client: PoolClient, name: string, text: string): Promise<void> {
  await client.query(`set lock_timeout = '${patientLockTimeoutMs}ms'`)
  for (const statement of text.split(/;\s*\n/)) if (/^[^-\s]/m.test(statement)) await client.query(statement)
  await client.query(record, [name])
}

let newest: Promise<string> | undefined

/**
 * The newest migration that this code was written for; a process is ready only when the database is at least at that migration.
 * Read once: the files of the next version may be put in the same place while this version still runs.
 */
export function newestMigration(): Promise<string> {
  newest ??= namesIn(ownFolder).then((names) => names.at(-1)!)
  return newest
}

export async function appliedMigration(db: Pick<Db, 'pool'>): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ name: string }>('select name from kysely_migration order by name desc limit 1')
  return rows[0]?.name
}

async function appliedMigrations(client: PoolClient): Promise<Set<string>> {
  const { rows: tables } = await client.query<{ isThere: boolean }>(
    `select to_regclass('kysely_migration') is not null as "isThere"`,
  )
  if (!tables[0]!.isThere) return new Set()
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration')
  return new Set(rows.map(({ name }) => name))
}
