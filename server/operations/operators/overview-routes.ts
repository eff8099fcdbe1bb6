/** HTTP route of the operators' overview. */
import { requireAdmin, type AuthenticateDeps } from '../../accounts/identity/authenticate.ts'
import type { Clock } from '../../platform/clock.ts'
import { dataOf, errors, type Http } from '../../platform/http/http.ts'
import { remembered } from '../../platform/process/remembered.ts'
import { overdueHours } from '../../merchants/onboarding/review-queue-routes.ts'
import { overviewSchema, readOverview, type OverviewDeps } from './overview.ts'

const keptMs = 10_000

export async function overviewRoutes(http: Http, deps: AuthenticateDeps & OverviewDeps & { clock: Clock }): Promise<void> {
  const read = remembered(() => readOverview(deps, overdueHours), { forMs: keptMs, clock: deps.clock })

  http.get(
    '/v1/admin/overview',
    {
      onRequest: requireAdmin(deps),
      schema: {
        operationId: 'getOverview',
        tags: ['Operators'],
        summary: 'Get the operations overview',
        description:
          'Networks over three time windows, providers, queues with the age of their oldest entry, unfinished payments and payouts, open breaks, and whether reconciliation and the checks of the books run. At most ten seconds old.',
        security: [{ jwt: [] }],
        response: { 200: dataOf(overviewSchema), ...errors(401, 403, 503) },
      },
    },
    async () => ({ data: await read() }),
  )
}
