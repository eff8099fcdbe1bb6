/** Payouts that wait for approval, or for an end; the filter stands in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'
import { wordOf } from '../search-fields.ts'

export type PayoutFilter = { which?: 'unfinished' | 'all'; environment?: 'test' | 'live' }

export const payoutsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/payouts',
  validateSearch: (search: Record<string, unknown>): PayoutFilter & { cursor?: string } => {
    const which = wordOf(['unfinished', 'all'], search['which'])
    const environment = wordOf(['test', 'live'], search['environment'])
    return {
      ...(which && { which }),
      ...(environment && { environment }),
      ...(typeof search['cursor'] === 'string' && { cursor: search['cursor'] }),
    }
  },
  component: lazyRouteComponent(() => import('./payouts-screen.tsx'), 'PayoutsScreen'),
})
