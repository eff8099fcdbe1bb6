/** The parent routes of all operators' screens. Without a second factor nothing is shown: the service itself refuses it. */
import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { isSignedIn } from '../api/session.ts'

export const rootRoute = createRootRoute({ component: Outlet })

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in', search: { return: location.href } })
    const { data } = await call('GET /v1/me', {})
    if (!data.two_factor.enabled) throw redirect({ to: '/second-factor' })
  },
  component: lazyRouteComponent(() => import('./admin-shell.tsx'), 'AdminShell'),
})
