/** `/pages/new` and `/pages/page_…/edit`: a payment page is made or changed. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const newPageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/new',
  component: lazyRouteComponent(() => import('./page-editor-screen.tsx'), 'NewPageScreen'),
})

export const editPageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/$page/edit',
  component: lazyRouteComponent(() => import('./page-editor-screen.tsx'), 'EditPageScreen'),
})
