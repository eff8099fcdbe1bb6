/** How many payments of each network succeeded in each of the last hours, for the chart of operators. */
import { z } from 'zod'
import { tallyChargesByHour } from '../../collect/payments/recent-charges.sql.ts'
import { environmentSchema, liveFirst } from '../../domain/environment.ts'
import { networkSchema, networks } from '../../domain/network.ts'
import type { Runner } from '../../platform/db/db.ts'
import { readMoment } from './overview.sql.ts'

export const shownHours = 24
/** Of each hour: enough for a share, and few enough for a minute's cache. */
export const countedPerHome = 20

export const networkSuccessSchema = z
  .object({
    environment: environmentSchema,
    network: networkSchema,
    hours: z
      .array(z.object({ begins: z.iso.datetime(), completed: z.int(), failed: z.int() }))
      .meta({ description: `All ${shownHours} hours, the oldest first; the last one is not over.` }),
  })
  .meta({ id: 'NetworkSuccess' })

type NetworkSuccess = z.infer<typeof networkSuccessSchema>

const hourMs = 3_600_000

/** Networks with an ended payment in these hours, live before test. */
export async function readSuccessByHour(db: Runner): Promise<NetworkSuccess[]> {
  const now = await readMoment(db)
  const thisHour = Math.floor(now.getTime() / hourMs) * hourMs
  const begins = Array.from({ length: shownHours }, (_, place) => new Date(thisHour - (shownHours - 1 - place) * hourMs))
  const found = await tallyChargesByHour(db, { hours: begins, perHome: countedPerHome })
  return liveFirst.flatMap((environment) =>
    networks.flatMap((network) => {
      const own = found.filter((one) => one.environment === environment && one.network === network)
      if (own.length === 0) return []
      const hours = begins.map((at) => {
        const hour = own.find((one) => one.begins.getTime() === at.getTime())
        return { begins: at.toISOString(), completed: hour?.completed ?? 0, failed: hour?.failed ?? 0 }
      })
      return [{ environment, network, hours }]
    }),
  )
}
