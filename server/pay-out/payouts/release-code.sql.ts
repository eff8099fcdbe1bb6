/**
 * The only access to release_code_periods: when versions served that write the codes of approvals (order-mac.ts). Invariant: an order that
 * was requested while one served leaves only with its code; one of the version before, which may serve again, leaves without.
 */
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'

/** Without a sign of life for so long, another version may have served. */
const pause = sql`interval '5 minutes'`

/** Processes of the version before may run beside the new ones for so long. */
const beside = sql`interval '1 hour'`

/** Notes that this version serves; more often than a pause. */
export async function noteReleaseCodes(db: Runner): Promise<void> {
  await db.rows(sql`
    with noted as (
      update release_code_periods set to_at = greatest(to_at, clock_now())
      where from_at = (select max(from_at) from release_code_periods) and to_at > clock_now() - ${pause}
      returning from_at
    )
    insert into release_code_periods (from_at, to_at)
    select clock_now(), clock_now() where not exists (select from noted) on conflict do nothing`)
}

/** Whether an order that was requested at this moment may be of a version without codes. */
export const isBesideReleaseCodes = (createdAt: Sql): Sql => sql`not exists (
  select from release_code_periods r
  where ${createdAt} >= r.from_at + ${beside} and (${createdAt} <= r.to_at or r.to_at > clock_now() - ${pause}))`
