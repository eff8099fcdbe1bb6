/** `/sign-in`. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readReturn } from '../../people/return-path.ts'
import { rootRoute } from '../frame-routes.tsx'
import { leaveSignedIn } from '../guest-route.ts'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readReturn,
  beforeLoad: ({ search }) => leaveSignedIn(search.return),
  component: lazyRouteComponent(() => import('./sign-in-screen.tsx'), 'SignInScreen'),
})
