/** `/developers`: the apps of a wallet. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const developersRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers',
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./developers-screen.tsx'), 'DevelopersScreen'),
})
