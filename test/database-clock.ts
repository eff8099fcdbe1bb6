/** For tests of time: the database's clock, set to another time than the machine's. */
import type { World } from './world.ts'

/** From now on the database is so far ahead, as an interval of PostgreSQL; `-90 minutes` is behind. */
export async function setDatabaseClock(world: Pick<World, 'owner'>, ahead: string): Promise<void> {
  await world.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() + interval '${ahead}' $$`,
  )
}
