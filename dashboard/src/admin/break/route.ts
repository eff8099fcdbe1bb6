/** One break. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const breakRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/breaks/$id',
  component: lazyRouteComponent(() => import('./break-screen.tsx'), 'BreakScreen'),
})
