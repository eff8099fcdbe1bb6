/** Every screen of the merchants' dashboard: its address and the allowed search parameters. Screens are loaded when opened. */
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { WebhookDeliveryAttempt } from '../api/operations.ts'
import { isSignedIn } from '../api/session.ts'
import { readReturn } from '../auth/return-path.ts'
import { routerDefaults } from '../ui/app-router.tsx'
import { isDay } from '../ui/days.ts'
import { accountRoute, bareAccountRoute, requireAccount, rootRoute, signedInRoute, startRoute } from './frame-routes.tsx'
import { isOffered, type EventType } from './app/event-types.ts'
import { readPeriod } from './home/period.ts'
import { firstPlace } from './place.ts'
import { keepInvitation } from './kept-invitation.ts'
import type { Permission } from './membership.ts'
import { readPaymentsSearch } from './payments/filter.ts'
import { payoutStatuses } from './payout-statuses.ts'
import { readPayoutsSearch } from './payouts/filter.ts'

/** A signed-in person does not need the routes for guests. */
async function leaveSignedIn(to = '/'): Promise<void> {
  if (await isSignedIn()) throw redirect({ to, replace: true })
}

type Outcome = WebhookDeliveryAttempt['outcome']

/** The filter of its deliveries; days in Dar es Salaam, both included. */
export type DeliveriesFilter = { outcome?: Outcome; type?: EventType; event?: string; from?: string; to?: string }
export type AppSearch = DeliveriesFilter & { cursor?: string }

/** `/developers/apps/app_…`: one app, its keys, its webhook and its deliveries. */
export const appRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/apps/$appId',
  staticData: { permission: 'apps.write' },
  validateSearch: ({ outcome, type, event, from, to, cursor }: Record<string, unknown>): AppSearch => ({
    ...((outcome === 'succeeded' || outcome === 'failed') && { outcome }),
    ...(isOffered(type) && { type }),
    ...(typeof event === 'string' && /^evt_\w+$/.test(event) && { event }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./app/app-screen.tsx'), 'AppScreen'),
})

/** `/developers/apps/app_…/deliveries/whd_…`: one webhook attempt. */
export const deliveryRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/apps/$appId/deliveries/$deliveryId',
  staticData: { permission: 'apps.write' },
  component: lazyRouteComponent(() => import('./delivery/delivery-screen.tsx'), 'DeliveryScreen'),
})

/** `/developers`: the apps of a wallet. */
export const developersRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers',
  staticData: { permission: 'apps.write' },
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./developers/developers-screen.tsx'), 'DevelopersScreen'),
})

/** `/approvals`: what waits for the approval of members, and the rule. */
export const approvalsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/approvals',
  staticData: { permission: 'rules.read' },
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./approvals/approvals-screen.tsx'), 'ApprovalsScreen'),
})

/** `/team`: the members of a business; `/team/activity`: who did what. */
export const teamRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/team',
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./team/team-screen.tsx'), 'TeamScreen'),
})

export const activityRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/team/activity',
  staticData: { permission: 'activity.read' },
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./activity/activity-screen.tsx'), 'ActivityScreen'),
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

/** The home screen of a wallet, with its period in the address. */
export const homeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  validateSearch: readPeriod,
  component: lazyRouteComponent(() => import('./home/home-screen.tsx'), 'HomeScreen'),
})

/** `/payouts/new?to=rcp_…`: sends money from a wallet, to a saved recipient. */
export const newPayoutRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/new',
  staticData: { permission: 'payouts.write' },
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    typeof to === 'string' && /^rcp_\w+$/.test(to) ? { to } : {},
  component: lazyRouteComponent(() => import('./new-payout/new-payout-screen.tsx'), 'NewPayoutScreen'),
})

/** `/pages/new` and `/pages/page_…/edit`: creates or changes a payment page. */
export const newPageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/new',
  staticData: { permission: 'pages.write' },
  component: lazyRouteComponent(() => import('./page-editor/page-editor-screen.tsx'), 'NewPageScreen'),
})

export const editPageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/$page/edit',
  staticData: { permission: 'pages.write' },
  component: lazyRouteComponent(() => import('./page-editor/page-editor-screen.tsx'), 'EditPageScreen'),
})

/** `/pages/requests`: the payment requests of a wallet, the form of a new one, and one of them. */
export const paymentRequestsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/requests',
  staticData: { permission: 'requests.read' },
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./payment-requests/payment-requests-screen.tsx'), 'PaymentRequestsScreen'),
})

export const newPaymentRequestRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/requests/new',
  staticData: { permission: 'requests.write' },
  component: lazyRouteComponent(() => import('./new-payment-request/new-payment-request-screen.tsx'), 'NewPaymentRequestScreen'),
})

export const paymentRequestRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/requests/$request',
  staticData: { permission: 'requests.read' },
  component: lazyRouteComponent(() => import('./payment-request/payment-request-screen.tsx'), 'PaymentRequestScreen'),
})

/** `/print/pages/page_…`: the poster of a payment page, without the frame, for printing. */
export const pagePosterRoute = createRoute({
  getParentRoute: () => bareAccountRoute,
  path: '/pages/$page',
  staticData: { permission: 'pages.read' },
  component: lazyRouteComponent(() => import('./page-poster/page-poster-screen.tsx'), 'PagePosterScreen'),
})

/** `/pages/page_…`: one payment page, by its id or its slug. */
export const pageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages/$page',
  staticData: { permission: 'pages.read' },
  component: lazyRouteComponent(() => import('./page/page-screen.tsx'), 'PageScreen'),
})

/** `/pages`: the payment pages of a wallet. */
export const pagesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/pages',
  staticData: { permission: 'pages.read' },
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./pages/pages-screen.tsx'), 'PagesScreen'),
})

/** `/payouts/batches`: files of payouts, the form of a new one, and one of them. */
export const payoutBatchesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/batches',
  staticData: { permission: 'payouts.read' },
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./payout-batches/payout-batches-screen.tsx'), 'PayoutBatchesScreen'),
})

export const newPayoutBatchRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/batches/new',
  staticData: { permission: 'payouts.write' },
  component: lazyRouteComponent(() => import('./new-payout-batch/new-payout-batch-screen.tsx'), 'NewPayoutBatchScreen'),
})

/** Which rows of a batch are shown. `check`: those with warnings. */
export const rowFilters = ['all', 'check', 'invalid', 'ready', 'removed', ...payoutStatuses] as const
export type RowFilter = (typeof rowFilters)[number]

/** `/payouts/batches/pb_…`: reviewed and mended as a draft, then followed to its end. */
export const payoutBatchRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/batches/$batchId',
  staticData: { permission: 'payouts.read' },
  validateSearch: ({ show, cursor }: Record<string, unknown>): { show?: RowFilter; cursor?: string } => {
    const known = rowFilters.find((one) => one === show)
    return { ...(known && { show: known }), ...(typeof cursor === 'string' && { cursor }) }
  },
  component: lazyRouteComponent(() => import('./payout-batch/payout-batch-screen.tsx'), 'PayoutBatchScreen'),
})

/** `/payouts/recipients`: the recipients that a wallet pays. */
export const recipientsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/recipients',
  staticData: { permission: 'payouts.read' },
  validateSearch: ({ q, cursor }: Record<string, unknown>): { q?: string; cursor?: string } => ({
    // The router reads digits as a number.
    ...((typeof q === 'number' || (typeof q === 'string' && q !== '')) && { q: String(q).slice(0, 200) }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./recipients/recipients-screen.tsx'), 'RecipientsScreen'),
})

/** `/payments/customers`: who has paid a wallet. */
export const customersRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments/customers',
  staticData: { permission: 'customers.read' },
  validateSearch: ({ q, cursor }: Record<string, unknown>): { q?: string; cursor?: string } => ({
    // The router reads digits as a number.
    ...((typeof q === 'number' || (typeof q === 'string' && q !== '')) && { q: String(q).slice(0, 200) }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./customers/customers-screen.tsx'), 'CustomersScreen'),
})

/** `/payments/customers/cus_…`: one of them, with the payments of the phone. */
export const customerRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments/customers/$customer',
  staticData: { permission: 'customers.read' },
  validateSearch: ({ cursor }: Record<string, unknown>): { cursor?: string } => (typeof cursor === 'string' ? { cursor } : {}),
  component: lazyRouteComponent(() => import('./customer/customer-screen.tsx'), 'CustomerScreen'),
})

/** `/payments/pay_…`: one payment. */
export const paymentRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments/$reference',
  staticData: { permission: 'payments.read' },
  component: lazyRouteComponent(() => import('./payment/payment-screen.tsx'), 'PaymentScreen'),
})

/** `/payments`: every payment, with the filter in the address. */
export const paymentsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payments',
  staticData: { permission: 'payments.read' },
  validateSearch: readPaymentsSearch,
  component: lazyRouteComponent(() => import('./payments/payments-screen.tsx'), 'PaymentsScreen'),
})

/** `/payouts/po_…`: one payout. */
export const payoutRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts/$payoutId',
  staticData: { permission: 'payouts.read' },
  component: lazyRouteComponent(() => import('./payout/payout-screen.tsx'), 'PayoutScreen'),
})

/** `/payouts`: the payouts of a wallet, with the filter in the address. */
export const payoutsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/payouts',
  staticData: { permission: 'payouts.read' },
  validateSearch: readPayoutsSearch,
  component: lazyRouteComponent(() => import('./payouts/payouts-screen.tsx'), 'PayoutsScreen'),
})

/** `/forgot-password`: a mailed code and a new password. */
export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./password/forgot-password-screen.tsx'), 'ForgotPasswordScreen'),
})

/** `/profile`: the account of the person. */
export const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  component: lazyRouteComponent(() => import('./profile/profile-screen.tsx'), 'ProfileScreen'),
})

/** `/developers/quick-start`: from an empty account to a payment by program, with a real key. */
export const quickStartRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/quick-start',
  staticData: { permission: 'apps.write' },
  component: lazyRouteComponent(() => import('./quick-start/quick-start-screen.tsx'), 'QuickStartScreen'),
})

/** `/try`: the first test payment, with the payer's phone. */
export const tryRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/try',
  staticData: { permission: 'payments.write' },
  component: lazyRouteComponent(() => import('./try/try-screen.tsx'), 'TryScreen'),
})

/** `/invitation#secret`: joins a business. The secret leaves the address at once, so that it is in no history. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  beforeLoad: async ({ location }) => {
    if (location.hash !== '') {
      keepInvitation(location.hash)
      throw redirect({ to: '/invitation', replace: true })
    }
    return { isSignedIn: await isSignedIn() }
  },
  component: lazyRouteComponent(() => import('./invitation/invitation-screen.tsx'), 'InvitationScreen'),
})

/** `/register`. */
export const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  beforeLoad: () => leaveSignedIn(),
  component: lazyRouteComponent(() => import('./register/register-screen.tsx'), 'RegisterScreen'),
})

export type RequestsFilter = { outcome?: Outcome; app?: string; key?: string }
export type RequestsSearch = RequestsFilter & { cursor?: string }

/** `/developers/requests`: the API requests of a wallet's keys, with the filter in the address. */
export const requestsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/requests',
  staticData: { permission: 'apps.write' },
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
  staticData: { permission: 'statements.read' },
  validateSearch: ({ month, cursor }: Record<string, unknown>): StatementSearch => ({
    ...(typeof month === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) && { month }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./statement/statement-screen.tsx'), 'StatementScreen'),
})

export const stepKeys = ['facts', 'documents', 'send'] as const
export type StepKey = (typeof stepKeys)[number]

export type VerificationSearch = { step?: StepKey }

/** `…/support`: the contact that payers see. */
export const supportRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/support',
  staticData: { permission: 'business.read' },
  component: lazyRouteComponent(() => import('./support/support-screen.tsx'), 'SupportScreen'),
})

/** `…/brand`: the logo and the colour that payers see. */
export const brandRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/brand',
  staticData: { permission: 'business.read' },
  component: lazyRouteComponent(() => import('./brand/brand-screen.tsx'), 'BrandScreen'),
})

/** `…/verification`: the verification of a wallet's owner; `/new-business`: the registration of a business. */
export const verificationRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/verification',
  staticData: { permission: 'business.read' },
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

/** `/me/live/till`: without the frame, for the device at a counter. */
export const tillRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$owner/$environment/till',
  staticData: { permission: 'payments.read' },
  beforeLoad: requireAccount,
  component: lazyRouteComponent(() => import('./till/till-screen.tsx'), 'TillScreen'),
})

/** The address of the installed till: the last wallet. */
export const tillStartRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/till',
  beforeLoad: () => {
    throw redirect({ to: '/$owner/$environment/till', params: firstPlace(), replace: true })
  },
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  registerRoute,
  forgotPasswordRoute,
  verifyEmailRoute,
  invitationRoute,
  bareAccountRoute.addChildren([pagePosterRoute]),
  tillStartRoute,
  tillRoute,
  signedInRoute.addChildren([
    startRoute,
    newBusinessRoute,
    profileRoute,
    accountRoute.addChildren([
      homeRoute,
      paymentsRoute,
      customersRoute,
      customerRoute,
      paymentRoute,
      statementRoute,
      pagesRoute,
      newPageRoute,
      pageRoute,
      editPageRoute,
      paymentRequestsRoute,
      newPaymentRequestRoute,
      paymentRequestRoute,
      payoutsRoute,
      newPayoutRoute,
      payoutRoute,
      approvalsRoute,
      teamRoute,
      activityRoute,
      payoutBatchesRoute,
      newPayoutBatchRoute,
      payoutBatchRoute,
      recipientsRoute,
      developersRoute,
      appRoute,
      deliveryRoute,
      requestsRoute,
      quickStartRoute,
      tryRoute,
      verificationRoute,
      supportRoute,
      brandRoute,
    ]),
  ]),
])

export const router = createRouter({ routeTree, basepath: '/dashboard', ...routerDefaults })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** What the role of the person must allow, for the screen to be shown. */
    permission?: Permission
  }
}
