/** `/print/pages/page_…`: the poster of a payment page, without the frame, as it is printed. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { bareAccountRoute } from '../frame-routes.tsx'

export const pagePosterRoute = createRoute({
  getParentRoute: () => bareAccountRoute,
  path: '/pages/$page',
  component: lazyRouteComponent(() => import('./page-poster-screen.tsx'), 'PagePosterScreen'),
})
