/** Restores a test app's database to an earlier moment, as a restored backup does: rows of every table, and nothing at the provider. */
import type { TestApp } from './app.ts'

/** Remembers the current rows of the database; the returned function restores them. */
export async function rememberDatabase({ owner }: Pick<TestApp, 'owner'>): Promise<() => Promise<void>> {
  const { rows } = await owner.pool.query<{ name: string; columns: string }>(`
    select quote_ident(c.relname) as name, (
      -- PostgreSQL computes generated columns itself.
      select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'`)
  await owner.pool.query('drop schema if exists remembered cascade; create schema remembered')
  for (const { name } of rows) await owner.pool.query(`create table remembered.${name} as table public.${name}`)
  return async () => {
    const client = await owner.pool.connect()
    try {
      await client.query('begin')
      // The guards of a running service do not apply to a restore: triggers and foreign keys are off.
      await client.query(`set local session_replication_role = 'replica'`)
      for (const { name, columns } of rows) {
        await client.query(`delete from public.${name}`)
        await client.query(`insert into public.${name} (${columns}) select ${columns} from remembered.${name}`)
      }
      await client.query('commit')
    } finally {
      client.release()
    }
  }
}
