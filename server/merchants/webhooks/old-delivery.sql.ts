/**
 * Removes old deliveries. Invariant: a delivery is removed together with all of its attempts, so the number of attempts of a delivery
 * stays correct.
 */
import { sql, type Runner } from '../../platform/db/db.ts'
import { firstIdOf, homeCount } from '../../platform/ids.ts'

/**
 * Removes deliveries that ended more than `olderThanDays` ago, at most `limit`, and returns their number. The id of a delivery begins with
 * the time of its payment, so each home finds its oldest rows by primary key.
 */
export async function pruneDeliveries(db: Runner, olderThanDays: number, nowMs: number, limit: number): Promise<number> {
  const before = firstIdOf(nowMs - olderThanDays * 86_400_000)
  return db.rowCount(sql`
    with old as materialized (
      select d.home, d.id
      from generate_series(0, ${homeCount - 1}) as h (home)
      cross join lateral (
        select home, id from webhook_deliveries
        where home = h.home::smallint and id < ${before} and finished_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
        order by id limit ${limit}
        for update skip locked
      ) d
      limit ${limit}
    ),
    attempts as (
      delete from webhook_attempts a using old where a.home = old.home and a.delivery_id = old.id
    )
    delete from webhook_deliveries d using old where d.home = old.home and d.id = old.id
    returning d.home`)
}
