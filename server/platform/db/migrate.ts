/**
 * Applies `migrations/*.sql` in order; processes that start together take turns by an advisory lock. Each is a transaction of its own, in
 * which no statement waits for a lock long enough for others to notice: it gives up, and the whole of it is tried again. A file that begins
 * with `-- outside a transaction` is run statement by statement (concurrent indexes, validations) and may be run again from its start.
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

/** Whoever wants a table that a migration waits for stands behind it for so long at most. */
const lockTimeoutMs = 400
/** Building an index waits for transactions to end, and keeps nobody waiting. */
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
 * Brings the schema up to date; answers with the names of the migrations that it applied. `db` must be one without a role, of two
 * connections at least. A schema that is newer than this version knows is left as it is.
 */
export async function migrate(db: Db, folder = ownFolder): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const lock = await db.pool.connect()
  try {
    // Asked for again and again, not waited for: an index that is being built would wait for the statement that waits here.
    while (!(await isMine(lock))) await sleep(200)
    return await applyAll(db, migrations)
  } finally {
    // Its connection ends, and the lock with it.
    lock.release(true)
  }
}

async function isMine(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(hashtext('malipo migrations')) as mine`)
  return rows[0]!.mine
}

async function applyAll(db: Db, migrations: Migrations): Promise<string[]> {
  // The pool is the caller's: destroying Kysely would end it, so it is only ever let go of.
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
      // Those who stood behind it go first.
      await sleep(lockTimeoutMs + Math.random() * lockTimeoutMs)
    }
  }
}

let newest: Promise<string> | undefined

/**
 * The newest migration that this code was written for; a process is ready only when the database is at least there. Read once: the files
 * of the next version may be laid in the same place while this one still runs.
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
