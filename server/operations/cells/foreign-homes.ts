/** A cell does not start with merchants of homes that it does not own: each of their requests would be refused, or reach another cell. */
import { findHomeOutside } from '../../accounts/identity/merchant.sql.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/values.ts'
import type { Db } from '../../platform/db/db.ts'

export async function refuseForeignHomes({ db, config }: { db: Db; config: Pick<Config, 'cell'> }): Promise<void> {
  const { name, homes } = config.cell
  const home = name === '' ? undefined : await findHomeOutside(db, homes)
  if (home === undefined) return
  throw new ConfigError(
    `Refused to start: the database has merchants of home ${home}, and CELL_HOMES of cell ${name} is ${homes.first}-${homes.last}. Extend it.`,
  )
}
