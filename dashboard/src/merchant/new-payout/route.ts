/** `/payouts/new`: sending money out of a wallet. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const newPayoutRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/new',
  component: lazyRouteComponent(() => import('./new-payout-screen.tsx'), 'NewPayoutScreen'),
})
