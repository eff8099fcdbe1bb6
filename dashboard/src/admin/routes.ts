/** Every screen of the operators' console: its address and the allowed search parameters. Screens are loaded when opened. */
import { createRoute, createRouter, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router'
import { isSignedIn } from '../api/session.ts'
import { readReturn } from '../auth/return-path.ts'
import { routerDefaults } from '../ui/app-router.tsx'
import { isDay } from '../ui/days.ts'
import { rootRoute, signedInRoute } from './frame-routes.tsx'
import type { WaitingReview } from '../api/operations.ts'
import { networks } from '../ui/networks.ts'
import { environments, textOf, wordOf, type Environment } from './search-fields.ts'

export type AuditFilter = { actor?: string; action?: string; object?: string; from?: string; to?: string }

/** The audit log; the filter is in the address. */
export const auditRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): AuditFilter & { cursor?: string } => {
    const { from, to } = search
    return {
      ...textOf(search, 'actor', 'action', 'object', 'cursor'),
      ...(isDay(from) && { from }),
      ...(isDay(to) && { to }),
    }
  },
  component: lazyRouteComponent(() => import('./audit/audit-screen.tsx'), 'AuditScreen'),
})

/** One break. */
export const breakRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/breaks/$id',
  component: lazyRouteComponent(() => import('./break/break-screen.tsx'), 'BreakScreen'),
})

export type BreakFilter = { status?: 'proposed' | 'resolved'; environment?: (typeof environments)[number] }

/** The differences between our books and the providers; the filter is in the address. */
export const breaksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/breaks',
  validateSearch: (search: Record<string, unknown>): BreakFilter & { cursor?: string } => {
    const status = wordOf(['proposed', 'resolved'], search['status'])
    const environment = wordOf(environments, search['environment'])
    return {
      ...(status && { status }),
      ...(environment && { environment }),
      ...textOf(search, 'cursor'),
    }
  },
  component: lazyRouteComponent(() => import('./breaks/breaks-screen.tsx'), 'BreaksScreen'),
})

/** The open work of operators. */
export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home/home-screen.tsx'), 'HomeScreen'),
})

/** A merchant. */
export const merchantRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/merchants/$id',
  component: lazyRouteComponent(() => import('./merchant/merchant-screen.tsx'), 'MerchantScreen'),
})

/** One payment for operators. */
export const paymentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/payments/$reference',
  component: lazyRouteComponent(() => import('./payment/payment-screen.tsx'), 'PaymentScreen'),
})

/** One payout for operators. */
export const payoutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/payouts/$id',
  component: lazyRouteComponent(() => import('./payout/payout-screen.tsx'), 'PayoutScreen'),
})

export type PayoutFilter = { which?: 'unfinished' | 'all'; environment?: Environment }

/** Payouts that wait for approval or are in flight; the filter is in the address. */
export const payoutsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/payouts',
  validateSearch: (search: Record<string, unknown>): PayoutFilter & { cursor?: string } => {
    const which = wordOf(['unfinished', 'all'], search['which'])
    const environment = wordOf(environments, search['environment'])
    return {
      ...(which && { which }),
      ...(environment && { environment }),
      ...textOf(search, 'cursor'),
    }
  },
  component: lazyRouteComponent(() => import('./payouts/payouts-screen.tsx'), 'PayoutsScreen'),
})

/** The comparisons with the providers. */
export const reconciliationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/reconciliation',
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => textOf(search, 'cursor'),
  component: lazyRouteComponent(() => import('./reconciliation/reconciliation-screen.tsx'), 'ReconciliationScreen'),
})

/** One case of a review: a person, `usr_…`, or a business, `biz_…`. */
export const reviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/reviews/$id',
  beforeLoad: ({ params }) => {
    if (!/^(usr|biz)_[0-9a-z]{26}$/.test(params.id)) throw notFound()
  },
  component: lazyRouteComponent(() => import('./review/review-screen.tsx'), 'ReviewScreen'),
})

export type ReviewFilter = {
  kind?: WaitingReview['kind']
  /** Undefined: waiting cases. */
  status?: 'verified' | 'rejected'
  claimed?: 'me' | 'nobody'
  overdue?: true
}

/** The queue of reviews; the filter is in the address. */
export const reviewsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/reviews',
  validateSearch: (search: Record<string, unknown>): ReviewFilter & { cursor?: string } => {
    const kind = wordOf(['person', 'business'], search['kind'])
    const status = wordOf(['verified', 'rejected'], search['status'])
    const claimed = wordOf(['me', 'nobody'], search['claimed'])
    return {
      ...(kind && { kind }),
      ...(status && { status }),
      ...(claimed && { claimed }),
      ...(String(search['overdue']) === 'true' && { overdue: true as const }),
      ...textOf(search, 'cursor'),
    }
  },
  component: lazyRouteComponent(() => import('./reviews/reviews-screen.tsx'), 'ReviewsScreen'),
})

/** Finds anything by a name, a number or a reference. */
export const searchRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/search',
  validateSearch: (search: Record<string, unknown>): { q?: string } => textOf(search, 'q'),
  component: lazyRouteComponent(() => import('./search/search-screen.tsx'), 'SearchScreen'),
})

/** An operator without a second factor must connect one first. */
export const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  beforeLoad: async () => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in' })
  },
  component: lazyRouteComponent(() => import('./second-factor/second-factor-screen.tsx'), 'SecondFactorScreen'),
})

/** `/sign-in`, the only route without a session. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readReturn,
  beforeLoad: async ({ search }) => {
    if (await isSignedIn()) throw redirect({ to: search.return ?? '/', replace: true })
  },
  component: lazyRouteComponent(() => import('./sign-in/sign-in-screen.tsx'), 'SignInScreen'),
})

/** `which` is undefined: the payments with an unknown outcome. */
export type StuckFilter = {
  which?: 'all'
  network?: (typeof networks)[number]
  environment?: (typeof environments)[number]
  minutes?: number
}

/** Payments that are not final; the filter is in the address. */
export const stuckRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/stuck',
  validateSearch: (search: Record<string, unknown>): StuckFilter & { cursor?: string } => {
    const which = wordOf(['all'], search['which'])
    const network = wordOf(networks, search['network'])
    const environment = wordOf(environments, search['environment'])
    const minutes = [5, 30, 60, 1440].find((one) => one === Number(search['minutes']))
    return {
      ...(which && { which }),
      ...(network && { network }),
      ...(environment && { environment }),
      ...(minutes !== undefined && { minutes }),
      ...textOf(search, 'cursor'),
    }
  },
  component: lazyRouteComponent(() => import('./stuck/stuck-screen.tsx'), 'StuckScreen'),
})

/** The kill switches. */
export const switchesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/switches',
  component: lazyRouteComponent(() => import('./switches/switches-screen.tsx'), 'SwitchesScreen'),
})

export type CaseFilter = { state?: 'answered' | 'closed'; environment?: Environment; like?: string }

/** The queue of payers who say that money was taken. */
export const supportCasesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/support-cases',
  validateSearch: (search: Record<string, unknown>): CaseFilter & { cursor?: string } => {
    const state = wordOf(['answered', 'closed'], search['state'])
    const environment = wordOf(environments, search['environment'])
    return { ...(state && { state }), ...(environment && { environment }), ...textOf(search, 'like', 'cursor') }
  },
  component: lazyRouteComponent(() => import('./support-cases/support-cases-screen.tsx'), 'SupportCasesScreen'),
})

/** One support case. */
export const supportCaseRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/support-cases/$id',
  component: lazyRouteComponent(() => import('./support-case/support-case-screen.tsx'), 'SupportCaseScreen'),
})

const screens = [
  homeRoute,
  searchRoute,
  merchantRoute,
  reviewsRoute,
  reviewRoute,
  stuckRoute,
  paymentRoute,
  breaksRoute,
  breakRoute,
  reconciliationRoute,
  payoutsRoute,
  payoutRoute,
  switchesRoute,
  supportCasesRoute,
  supportCaseRoute,
  auditRoute,
] as const

const routeTree = rootRoute.addChildren([signInRoute, secondFactorRoute, signedInRoute.addChildren(screens)])

export const router = createRouter({ routeTree, basepath: '/admin', ...routerDefaults })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
