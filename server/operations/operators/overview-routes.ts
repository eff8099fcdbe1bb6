/** HTTP route of the operators' overview. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import type { Clock } from '../../platform/clock.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { remembered } from '../../platform/process/remembered.ts'
import { overdueHours } from '../../merchants/onboarding/review-queue-routes.ts'
import { overviewSchema, readOverview, type OverviewDeps } from './overview.ts'

const keptMs = 10_000

export async function overviewRoutes(http: Http, deps: OperatorRouteDeps & OverviewDeps & { clock: Clock }): Promise<void> {
  const read = remembered(() => readOverview(deps, overdueHours), { forMs: keptMs, clock: deps.clock })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/overview',
    operationId: 'getOverview',
    summary: 'Get the operations overview',
    description:
      'Networks over three time windows, providers, queues with the age of their oldest entry, unfinished payments and payouts, open breaks, and whether reconciliation and the checks of the books run. At most ten seconds old.',
    answers: { 200: dataOf(overviewSchema) },
    handler: async () => ({ data: await read() }),
  })
}
