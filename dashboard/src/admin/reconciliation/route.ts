/** What was compared with the providers. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const reconciliationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/reconciliation',
  validateSearch: (search: Record<string, unknown>): { cursor?: string } =>
    typeof search['cursor'] === 'string' ? { cursor: search['cursor'] } : {},
  component: lazyRouteComponent(() => import('./reconciliation-screen.tsx'), 'ReconciliationScreen'),
})
