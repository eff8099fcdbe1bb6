/** An operator without a second factor connects one, before anything else. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { isSignedIn } from '../../api/session.ts'
import { rootRoute } from '../frame-routes.tsx'

export const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  beforeLoad: async () => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in' })
  },
  component: lazyRouteComponent(() => import('./second-factor-screen.tsx'), 'SecondFactorScreen'),
})
