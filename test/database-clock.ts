/** For tests of time: sets the database's clock to another time than the machine's. */
import type { Db } from '../server/platform/db/db.ts'
import type { TestApp } from './app.ts'

/** From now on the database is ahead by this PostgreSQL interval; `-90 minutes` is behind. */
export async function setDatabaseClock(app: Pick<TestApp, 'owner'>, ahead: string): Promise<void> {
  await app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() + interval '${ahead}' $$`,
  )
}

/** The database's clock stops, this many seconds after a moment. */
export async function stopDatabaseClock(owner: Pick<Db, 'script'>, moment: Date, seconds: number): Promise<void> {
  const at = new Date(moment.getTime() + seconds * 1000).toISOString()
  await owner.script(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select timestamptz '${at}' $$`,
  )
}
