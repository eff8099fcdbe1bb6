/** `/payouts`: what was sent out of a wallet, with its filter in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'
import { payoutStatuses, type PayoutStatus } from './statuses.ts'

export const payoutsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts',
  validateSearch: ({ status, cursor }: Record<string, unknown>): { status?: PayoutStatus; cursor?: string } => {
    const known = payoutStatuses.find((one) => one === status)
    return { ...(known && { status: known }), ...(typeof cursor === 'string' && { cursor }) }
  },
  component: lazyRouteComponent(() => import('./payouts-screen.tsx'), 'PayoutsScreen'),
})
