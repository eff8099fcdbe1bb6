/** `/payouts/po_…`: one payout. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const payoutRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/$payoutId',
  component: lazyRouteComponent(() => import('./payout-screen.tsx'), 'PayoutScreen'),
})
