/**
 * Applies `migrations/*.sql` in order; an advisory lock serialises processes that start together. Each migration is one
 * transaction, in which no statement waits for a lock long enough to disturb others: it gives up, and the whole migration is
 * retried. A file that begins with `-- outside a transaction` runs statement by statement (concurrent indexes, validations) and
 * may be run again from its start.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { PoolClient } from 'pg'
import { databaseErrorCode, type Db } from './db.ts'

const ownFolder = join(import.meta.dirname, '../../../migrations')

const outsideMark = '-- outside a transaction'

/** The longest time that other statements queue behind a migration that waits for a table. */
const lockTimeoutMs = 400
/** An index build waits for transactions to end, and blocks no other statement. */
const patientLockTimeoutMs = 600_000
const maxTries = 60
const lockNotAvailable = '55P03'

async function namesIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return files.map((file) => file.slice(0, -'.sql'.length))
}

type Migrations = Record<string, Migration & { isOutside: boolean }>

async function readMigrations(folder: string): Promise<Migrations> {
  const entries = (await namesIn(folder)).map(async (name) => {
    const text = await readFile(join(folder, `${name}.sql`), 'utf8')
    const isOutside = text.startsWith(outsideMark)
    const migration: Migration & { isOutside: boolean } = {
      isOutside,
      async up(db) {
        if (!isOutside) {
          await sql.raw(`set local lock_timeout = '${lockTimeoutMs}ms'`).execute(db)
          await sql.raw(text).execute(db)
          return
        }
        await sql.raw(`set lock_timeout = '${patientLockTimeoutMs}ms'`).execute(db)
        for (const statement of text.split(/;\s*\n/)) if (/^[^-\s]/m.test(statement)) await sql.raw(statement).execute(db)
      },
    }
    return [name, migration] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/**
 * Brings the schema up to date; returns the names of the migrations that it applied. `db` must have no role and at least two
 * connections. A schema that is newer than this version stays unchanged.
 */
export async function migrate(db: Db, folder = ownFolder): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const lock = await db.pool.connect()
  try {
    // Poll for the lock instead of waiting: an index build would wait for a statement that waits here.
    while (!(await isMine(lock))) await sleep(200)
    return await applyAll(db, migrations)
  } finally {
    // Closing its connection releases the lock.
    lock.release(true)
  }
}

async function isMine(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(hashtext('malipo migrations')) as mine`)
  return rows[0]!.mine
}

async function applyAll(db: Db, migrations: Migrations): Promise<string[]> {
  // The pool belongs to the caller: destroying Kysely would end the pool, so Kysely is only dropped.
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: db.pool }) })
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } })
  const applied: string[] = []
  for (let tries = 1; ;) {
    const done = await appliedMigrations(db)
    const next = Object.keys(migrations).find((name) => !done.has(name))
    if (next === undefined) return applied
    const { error, results = [] } = await migrator.migrateUp({ disableTransactions: migrations[next]!.isOutside })
    if (error === undefined) {
      applied.push(...results.map((result) => result.migrationName))
      tries = 1
    } else {
      if (databaseErrorCode(error) !== lockNotAvailable || tries >= maxTries) throw error
      tries += 1
      // Let the statements that queued behind it run first.
      await sleep(lockTimeoutMs + Math.random() * lockTimeoutMs)
    }
  }
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

/** The newest migration that the database has. */
export async function appliedMigration(db: Pick<Db, 'pool'>): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ name: string }>('select name from kysely_migration order by name desc limit 1')
  return rows[0]?.name
}

async function appliedMigrations(db: Pick<Db, 'pool'>): Promise<Set<string>> {
  const { rows: tables } = await db.pool.query<{ isThere: boolean }>(
    `select to_regclass('kysely_migration') is not null as "isThere"`,
  )
  if (!tables[0]!.isThere) return new Set()
  const { rows } = await db.pool.query<{ name: string }>('select name from kysely_migration')
  return new Set(rows.map(({ name }) => name))
}
