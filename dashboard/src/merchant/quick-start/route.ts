/** `/developers/quick-start`: from nothing to a payment by program, with one's own key. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const quickStartRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/quick-start',
  component: lazyRouteComponent(() => import('./quick-start-screen.tsx'), 'QuickStartScreen'),
})
