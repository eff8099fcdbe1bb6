/** Payments that have not come to an end; the filter stands in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'
import { environments, networks, wordOf } from '../search-fields.ts'

export type StuckFilter = { network?: (typeof networks)[number]; environment?: (typeof environments)[number]; minutes?: number }

export const stuckRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/stuck',
  validateSearch: (search: Record<string, unknown>): StuckFilter & { cursor?: string } => {
    const network = wordOf(networks, search['network'])
    const environment = wordOf(environments, search['environment'])
    const minutes = [5, 30, 60, 1440].find((one) => one === Number(search['minutes']))
    return {
      ...(network && { network }),
      ...(environment && { environment }),
      ...(minutes !== undefined && { minutes }),
      ...(typeof search['cursor'] === 'string' && { cursor: search['cursor'] }),
    }
  },
  component: lazyRouteComponent(() => import('./stuck-screen.tsx'), 'StuckScreen'),
})
