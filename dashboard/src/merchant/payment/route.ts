/** `/payments/pay_…`: one payment. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const paymentRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments/$reference',
  component: lazyRouteComponent(() => import('./payment-screen.tsx'), 'PaymentScreen'),
})
