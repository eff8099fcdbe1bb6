/** `/register`. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../frame-routes.tsx'
import { leaveSignedIn } from '../guest-route.ts'

export const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  beforeLoad: () => leaveSignedIn(),
  component: lazyRouteComponent(() => import('./register-screen.tsx'), 'RegisterScreen'),
})
