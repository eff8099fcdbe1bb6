/**
 * The routes that every screen of a merchant hangs on: for guests, for who is signed in, and for one wallet. Whose wallet, and test or
 * live, stand in the address: a link, a reload and two tabs mean what they show.
 */
import { createRootRoute, createRoute, lazyRouteComponent, notFound, Outlet, redirect } from '@tanstack/react-router'
import { isSignedIn } from '../api/session.ts'
import { firstPlace, readPlace } from './account.ts'

export const rootRoute = createRootRoute({ component: Outlet })

/** For screens of somebody who is signed in: `/profile`, or below a wallet. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in', search: { return: location.href } })
  },
  component: lazyRouteComponent(() => import('./merchant-shell.tsx'), 'MerchantShell'),
})

/** `/me/test/…`, `/biz_…/live/…`: for screens of one wallet. */
export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/$owner/$environment',
  beforeLoad: ({ params }) => {
    if (!readPlace(params)) throw notFound()
  },
})

/** The bare address leads to where the person was last. */
export const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/$owner/$environment', params: firstPlace(), replace: true })
  },
})
