/** `/sign-in`, and what a guest may do besides. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { isSignedIn } from '../../api/session.ts'
import { readReturn } from '../../people/return-path.ts'
import { rootRoute } from '../frame-routes.tsx'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readReturn,
  beforeLoad: async ({ search }) => {
    if (await isSignedIn()) throw redirect({ to: search.return ?? '/', replace: true })
  },
  component: lazyRouteComponent(() => import('./sign-in-screen.tsx'), 'SignInScreen'),
})
