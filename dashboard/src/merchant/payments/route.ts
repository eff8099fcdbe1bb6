/** `/payments`: every payment that was begun, with its filter in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'
import { readPaymentsSearch } from './filter.ts'

export const paymentsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments',
  validateSearch: readPaymentsSearch,
  component: lazyRouteComponent(() => import('./payments-screen.tsx'), 'PaymentsScreen'),
})
