/** One payment as operators see it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const paymentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/payments/$reference',
  component: lazyRouteComponent(() => import('./payment-screen.tsx'), 'PaymentScreen'),
})
