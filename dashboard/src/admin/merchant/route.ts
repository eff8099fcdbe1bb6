/** A merchant from all sides. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const merchantRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/merchants/$id',
  component: lazyRouteComponent(() => import('./merchant-screen.tsx'), 'MerchantScreen'),
})
