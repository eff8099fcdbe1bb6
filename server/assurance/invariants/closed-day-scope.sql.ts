/** The closed days that one step of a check reads. */
import { literal, sql, type Sql } from '../../platform/db/db.ts'
import { lastHome as highestHome } from '../../platform/ids.ts'
import type { Scope } from './scope.sql.ts'

/** The first and last home and closed day that a step reads: see `nextOfDays`. */
export const limitsOf = ({ keys }: Scope) => ({
  firstDay: sql`${keys?.ids[0] ?? null}::date`,
  firstHome: sql`${keys?.homes[0] ?? 0}::smallint`,
  lastDay: sql`${keys?.ids[1] ?? null}::date`,
  lastHome: sql`${keys?.homes[1] ?? highestHome}::smallint`,
})

/** The closed days that are checked, with their homes. */
export const closedDays = (scope: Scope): Sql => {
  const { firstDay, firstHome, lastDay, lastHome } = limitsOf(scope)
  return sql`(
    select d.day, d.version, d.transfers, d.digest,
      case when d.day = ${firstDay} then ${firstHome} else 0 end::smallint as from_home,
      case when d.day = ${lastDay} then ${lastHome} else ${literal(highestHome)} end::smallint as to_home
    from closed_days d where d.day between ${firstDay} and ${lastDay})`
}
