/** Restores a test app's database to an earlier moment, as a restored backup does: rows of every table, and nothing at the provider. */
import type { TestApp } from './app.ts'

/** Remembers the current rows of the database; the returned function restores them. */
export async function rememberDatabase({ owner }: Pick<TestApp, 'owner'>): Promise<() => Promise<void>> {
  const { rows } = await owner.pool.query<{ name: string }>(`
    select quote_ident(c.relname) as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'`)
  const tables = rows.map(({ name }) => name)
  await owner.pool.query('drop schema if exists remembered cascade; create schema remembered')
  for (const table of tables) await owner.pool.query(`create table remembered.${table} as table public.${table}`)
  return async () => {
    const client = await owner.pool.connect()
    try {
      await client.query('begin')
      // The guards of a running service do not apply to a restore: triggers and foreign keys are off.
      await client.query(`set local session_replication_role = 'replica'`)
      for (const table of tables) {
        await client.query(`delete from public.${table}`)
        await client.query(`insert into public.${table} select * from remembered.${table}`)
      }
      await client.query('commit')
    } finally {
      client.release()
    }
  }
}
