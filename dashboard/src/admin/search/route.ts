/** Finds anything by what people tell operators. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'
import { textOf } from '../search-fields.ts'

export const searchRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/search',
  validateSearch: (search: Record<string, unknown>): { q?: string } => textOf(search, 'q'),
  component: lazyRouteComponent(() => import('./search-screen.tsx'), 'SearchScreen'),
})
