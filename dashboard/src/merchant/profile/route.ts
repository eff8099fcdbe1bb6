/** `/profile`: the person behind the wallets. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  component: lazyRouteComponent(() => import('./profile-screen.tsx'), 'ProfileScreen'),
})
