/** `/pages/page_…`: one payment page, by its id or its slug. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const pageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/$page',
  component: lazyRouteComponent(() => import('./page-screen.tsx'), 'PageScreen'),
})
