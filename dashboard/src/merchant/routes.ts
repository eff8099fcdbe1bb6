/** Every screen of the merchants' dashboard: its address, and what its address may say. A screen is loaded when it is opened. */
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { Payout } from '../api/operations.ts'
import { isSignedIn } from '../api/session.ts'
import { readReturn } from '../auth/return-path.ts'
import { routerDefaults } from '../ui/app-router.ts'
import { isDay } from '../ui/days.ts'
import { accountRoute, bareAccountRoute, rootRoute, signedInRoute, startRoute } from './frame-routes.tsx'
import { readPaymentsSearch } from './payments/filter.ts'

/** Who is signed in already has no need of a route for guests. */
async function leaveSignedIn(to = '/'): Promise<void> {
  if (await isSignedIn()) throw redirect({ to, replace: true })
}

/** What its deliveries are narrowed down by; days of Dar es Salaam, both within. */
export type DeliveriesFilter = { outcome?: 'succeeded' | 'failed'; event?: string; from?: string; to?: string }
export type AppSearch = DeliveriesFilter & { cursor?: string }

/** `/developers/apps/app_…`: one app, its keys, its webhook and what that was sent. */
export const appRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/apps/$appId',
  validateSearch: ({ outcome, event, from, to, cursor }: Record<string, unknown>): AppSearch => ({
    ...((outcome === 'succeeded' || outcome === 'failed') && { outcome }),
    ...(typeof event === 'string' && /^evt_\w+$/.test(event) && { event }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./app/app-screen.tsx'), 'AppScreen'),
})

/** `/developers/apps/app_…/deliveries/whd_…`: one attempt to tell an app's server of something. */
export const deliveryRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/apps/$appId/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./delivery/delivery-screen.tsx'), 'DeliveryScreen'),
})

/** `/developers`: the apps of a wallet. */
export const developersRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers',
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./developers/developers-screen.tsx'), 'DevelopersScreen'),
})

/** `/verify-email`: the code from the first mail. */
export const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  beforeLoad: async ({ location }) => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in', search: { return: location.href } })
  },
  component: lazyRouteComponent(() => import('./email/verify-email-screen.tsx'), 'VerifyEmailScreen'),
})

/** The start of a wallet. */
export const homeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home/home-screen.tsx'), 'HomeScreen'),
})

/** `/payouts/new`: sending money out of a wallet. */
export const newPayoutRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/new',
  component: lazyRouteComponent(() => import('./new-payout/new-payout-screen.tsx'), 'NewPayoutScreen'),
})

/** `/pages/new` and `/pages/page_…/edit`: a payment page is made or changed. */
export const newPageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/new',
  component: lazyRouteComponent(() => import('./page-editor/page-editor-screen.tsx'), 'NewPageScreen'),
})

export const editPageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/$page/edit',
  component: lazyRouteComponent(() => import('./page-editor/page-editor-screen.tsx'), 'EditPageScreen'),
})

/** `/print/pages/page_…`: the poster of a payment page, without the frame, as it is printed. */
export const pagePosterRoute = createRoute({
  getParentRoute: () => bareAccountRoute,
  path: '/pages/$page',
  component: lazyRouteComponent(() => import('./page-poster/page-poster-screen.tsx'), 'PagePosterScreen'),
})

/** `/pages/page_…`: one payment page, by its id or its slug. */
export const pageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/$page',
  component: lazyRouteComponent(() => import('./page/page-screen.tsx'), 'PageScreen'),
})

/** `/pages`: the payment pages of a wallet. */
export const pagesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages',
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./pages/pages-screen.tsx'), 'PagesScreen'),
})

/** `/payments/pay_…`: one payment. */
export const paymentRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments/$reference',
  component: lazyRouteComponent(() => import('./payment/payment-screen.tsx'), 'PaymentScreen'),
})

/** `/payments`: every payment that was begun, with its filter in the address. */
export const paymentsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments',
  validateSearch: readPaymentsSearch,
  component: lazyRouteComponent(() => import('./payments/payments-screen.tsx'), 'PaymentsScreen'),
})

/** `/payouts/po_…`: one payout. */
export const payoutRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/$payoutId',
  component: lazyRouteComponent(() => import('./payout/payout-screen.tsx'), 'PayoutScreen'),
})

/** In the order in which they are offered as a filter. */
export const payoutStatuses: readonly Payout['status'][] = [
  'pending',
  'processing',
  'completed',
  'failed',
  'reversed',
  'cancelled',
]

/** `/payouts`: what was sent out of a wallet, with its filter in the address. */
export const payoutsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts',
  validateSearch: ({ status, cursor }: Record<string, unknown>): { status?: Payout['status']; cursor?: string } => {
    const known = payoutStatuses.find((one) => one === status)
    return { ...(known && { status: known }), ...(typeof cursor === 'string' && { cursor }) }
  },
  component: lazyRouteComponent(() => import('./payouts/payouts-screen.tsx'), 'PayoutsScreen'),
})

/** `/forgot-password`: a code by mail, and a new password with it. */
export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./password/forgot-password-screen.tsx'), 'ForgotPasswordScreen'),
})

/** `/profile`: the person behind the wallets. */
export const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  component: lazyRouteComponent(() => import('./profile/profile-screen.tsx'), 'ProfileScreen'),
})

/** `/developers/quick-start`: from nothing to a payment by program, with one's own key. */
export const quickStartRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/quick-start',
  component: lazyRouteComponent(() => import('./quick-start/quick-start-screen.tsx'), 'QuickStartScreen'),
})

/** `/register`. */
export const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  beforeLoad: () => leaveSignedIn(),
  component: lazyRouteComponent(() => import('./register/register-screen.tsx'), 'RegisterScreen'),
})

export type RequestsFilter = { outcome?: 'succeeded' | 'failed'; app?: string; key?: string }
export type RequestsSearch = RequestsFilter & { cursor?: string }

/** `/developers/requests`: the calls that the keys of a wallet made, with the filter in the address. */
export const requestsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/requests',
  validateSearch: ({ outcome, app, key, cursor }: Record<string, unknown>): RequestsSearch => ({
    ...((outcome === 'succeeded' || outcome === 'failed') && { outcome }),
    ...(typeof app === 'string' && /^app_\w+$/.test(app) && { app }),
    ...(typeof key === 'string' && /^key_\w+$/.test(key) && { key }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./requests/requests-screen.tsx'), 'RequestsScreen'),
})

/** `/sign-in`. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readReturn,
  beforeLoad: ({ search }) => leaveSignedIn(search.return),
  component: lazyRouteComponent(() => import('./sign-in/sign-in-screen.tsx'), 'SignInScreen'),
})

export type StatementSearch = { month?: string; cursor?: string }

/** `/statement?month=2026-09`: a month of the wallet. */
export const statementRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/statement',
  validateSearch: ({ month, cursor }: Record<string, unknown>): StatementSearch => ({
    ...(typeof month === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) && { month }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./statement/statement-screen.tsx'), 'StatementScreen'),
})

export const stepKeys = ['facts', 'documents', 'send'] as const
export type StepKey = (typeof stepKeys)[number]

export type VerificationSearch = { step?: StepKey }

/** `…/verification`: who is behind a wallet; and `/new-business`, where a business begins. */
export const verificationRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/verification',
  validateSearch: ({ step }: Record<string, unknown>): VerificationSearch => {
    const wanted = stepKeys.find((key) => key === step)
    return wanted ? { step: wanted } : {}
  },
  component: lazyRouteComponent(() => import('./verification/verification-screen.tsx'), 'VerificationScreen'),
})

export const newBusinessRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-business',
  component: lazyRouteComponent(() => import('./verification/new-business-screen.tsx'), 'NewBusinessScreen'),
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  registerRoute,
  forgotPasswordRoute,
  verifyEmailRoute,
  bareAccountRoute.addChildren([pagePosterRoute]),
  signedInRoute.addChildren([
    startRoute,
    newBusinessRoute,
    profileRoute,
    accountRoute.addChildren([
      homeRoute,
      paymentsRoute,
      paymentRoute,
      statementRoute,
      pagesRoute,
      newPageRoute,
      pageRoute,
      editPageRoute,
      payoutsRoute,
      newPayoutRoute,
      payoutRoute,
      developersRoute,
      appRoute,
      deliveryRoute,
      requestsRoute,
      quickStartRoute,
      verificationRoute,
    ]),
  ]),
])

export const router = createRouter({ routeTree, basepath: '/dashboard', ...routerDefaults })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
