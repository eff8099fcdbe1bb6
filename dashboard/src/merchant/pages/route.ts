/** `/pages`: the payment pages of a wallet. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export const pagesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages',
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./pages-screen.tsx'), 'PagesScreen'),
})
