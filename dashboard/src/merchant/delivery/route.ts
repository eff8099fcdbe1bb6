/** `/developers/apps/app_…/deliveries/whd_…`: one attempt to tell an app's server of something. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const deliveryRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/apps/$appId/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./delivery-screen.tsx'), 'DeliveryScreen'),
})
