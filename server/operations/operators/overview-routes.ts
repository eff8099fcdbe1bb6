/** HTTP routes of the operators' overview: the state now, and the last day by hour. */
import { z } from 'zod'
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import type { Clock } from '../../platform/clock.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { remembered } from '../../platform/process/remembered.ts'
import { overdueHours } from '../../merchants/onboarding/review-queue-routes.ts'
import { countedPerHome, networkSuccessSchema, readSuccessByHour, shownHours } from './success-by-hour.ts'
import { overviewSchema, readOverview, type OverviewDeps } from './overview.ts'

const keptMs = 10_000
const hoursKeptMs = 60_000

export async function overviewRoutes(http: Http, deps: OperatorRouteDeps & OverviewDeps & { clock: Clock }): Promise<void> {
  const read = remembered(() => readOverview(deps, overdueHours), { forMs: keptMs, clock: deps.clock })

  const readHours = remembered(() => readSuccessByHour(deps.db), { forMs: hoursKeptMs, clock: deps.clock })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/overview',
    operationId: 'getOverview',
    summary: 'Get the operations overview',
    description:
      'Networks over three time windows, providers, queues with the age of their oldest entry, unfinished payments and payouts, open breaks, and whether reconciliation and the checks of the books run. At most ten seconds old.',
    answers: { 200: dataOf(overviewSchema) },
    handler: async () => ({ data: await read() }),
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/networks/success',
    operationId: 'listNetworkSuccess',
    summary: 'List success rates by hour',
    description: `For each network with payments in the last ${shownHours} hours: how many succeeded and how many failed, by the hour in which they began. Counts at most the newest ${countedPerHome} of each hour in each of the 256 partitions of merchants. At most a minute old.`,
    answers: { 200: z.object({ data: z.array(networkSuccessSchema) }) },
    handler: async () => ({ data: await readHours() }),
  })
}
