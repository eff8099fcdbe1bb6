/** Applies `migrations/*.sql` in order, each in its own transaction; processes that start together take turns by an advisory lock. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Db } from './db.ts'

const folder = join(import.meta.dirname, '../../migrations')

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const entries = files.map(async (file): Promise<[string, Migration]> => {
    const text = await readFile(join(folder, file), 'utf8')
    return [
      file.slice(0, -'.sql'.length),
      {
        async up(db) {
          // A migration that must wait for a lock gives up rather than queue every other statement behind itself.
          await sql.raw(`set local lock_timeout = '5s'`).execute(db)
          await sql.raw(text).execute(db)
        },
      },
    ]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Brings the schema up to date; answers with the names of the migrations that it applied. `db` must be one without a role. */
export async function migrate(db: Db): Promise<string[]> {
  // The pool is the caller's: destroying Kysely would end it, so it is only ever let go of.
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: db.pool }) })
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: readMigrations } })
  const applied: string[] = []
  for (;;) {
    const { error, results } = await migrator.migrateUp()
    if (error !== undefined) throw error
    if (!results || results.length === 0) return applied
    applied.push(...results.map((result) => result.migrationName))
  }
}

/** The newest migration that this code was written for; a process is ready only when the database is at least there. */
export async function newestMigration(): Promise<string> {
  return Object.keys(await readMigrations())
    .sort()
    .at(-1)!
}

/** The newest migration that the database has. */
export async function appliedMigration(db: Pick<Db, 'pool'>): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ name: string }>('select name from kysely_migration order by name desc limit 1')
  return rows[0]?.name
}
