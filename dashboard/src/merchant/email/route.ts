/** `/verify-email`: the code from the first mail. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { isSignedIn } from '../../api/session.ts'
import { rootRoute } from '../frame-routes.tsx'

export const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  beforeLoad: async ({ location }) => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in', search: { return: location.href } })
  },
  component: lazyRouteComponent(() => import('./verify-email-screen.tsx'), 'VerifyEmailScreen'),
})
