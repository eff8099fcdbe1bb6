/** Payouts that wait for approval, or for an end; the filter stands in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'
import { wordOf } from '../search-fields.ts'

export type PayoutFilter = { which?: 'unfinished' | 'all' }

export const payoutsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/payouts',
  validateSearch: (search: Record<string, unknown>): PayoutFilter & { cursor?: string } => {
    const which = wordOf(['unfinished', 'all'], search['which'])
    return { ...(which && { which }), ...(typeof search['cursor'] === 'string' && { cursor: search['cursor'] }) }
  },
  component: lazyRouteComponent(() => import('./payouts-screen.tsx'), 'PayoutsScreen'),
})
