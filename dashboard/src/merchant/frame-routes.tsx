/**
 * The parent routes of all merchants' screens: without a session, with a session, and for one wallet. The wallet and the environment are
 * in the address, so that links, reloads and several tabs stay correct.
 */
import { createRootRoute, createRoute, lazyRouteComponent, notFound, Outlet, redirect } from '@tanstack/react-router'
import { isSignedIn } from '../api/session.ts'
import { firstPlace, readPlace } from './place.ts'

export const rootRoute = createRootRoute({ component: Outlet })

/** Sends a person without a session to sign in, and back afterwards. */
async function requireSignedIn({ location }: { location: { href: string } }): Promise<void> {
  if (!(await isSignedIn())) throw redirect({ to: '/sign-in', search: { return: location.href } })
}

function requirePlace({ params }: { params: { owner: string; environment: string } }): void {
  if (!readPlace(params)) throw notFound()
}

/** For screens that need a session: `/profile`, or below a wallet. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: requireSignedIn,
  component: lazyRouteComponent(() => import('./merchant-shell.tsx'), 'MerchantShell'),
})

/** `/me/test/…`, `/biz_…/live/…`: for screens of one wallet. */
export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/$owner/$environment',
  beforeLoad: requirePlace,
})

/** For a screen of one wallet that has no frame. */
export async function requireAccount(
  asked: Parameters<typeof requireSignedIn>[0] & Parameters<typeof requirePlace>[0],
): Promise<void> {
  await requireSignedIn(asked)
  requirePlace(asked)
}

/** The same without the frame, for printing. */
export const bareAccountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$owner/$environment/print',
  beforeLoad: requireAccount,
})

/** The bare address redirects to the last wallet. */
export const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/$owner/$environment', params: firstPlace(), replace: true })
  },
})
