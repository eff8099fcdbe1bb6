/** One payout as operators see it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const payoutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/payouts/$id',
  component: lazyRouteComponent(() => import('./payout-screen.tsx'), 'PayoutScreen'),
})
