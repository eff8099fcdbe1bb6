/** Whether the payouts of a merchant are on hold: the one place that decides, for new payouts and for those that wait to be sent. */
import type { Owner } from '../identity/merchant.ts'
import { sql, type Runner, type Sql } from '../platform/db.ts'

/** Of what: an alias with `home`, `merchant_id` and `environment`. */
export const isOnHold = (alias: Sql): Sql => sql`
  exists (select from payout_freezes f
    where f.home = ${alias}.home and f.merchant_id = ${alias}.merchant_id and f.environment = ${alias}.environment)`

export async function readHold(db: Runner, { merchant, environment }: Owner): Promise<boolean> {
  const [row] = await db.rows<{ isOnHold: boolean }>(sql`
    select ${isOnHold(sql`w`)} as is_on_hold
    from (select ${merchant.home}::smallint as home, ${merchant.id}::uuid as merchant_id, ${environment}::text as environment) w`)
  return row!.isOnHold
}
