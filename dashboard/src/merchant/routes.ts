/** Every screen of the merchants' dashboard: its address and the allowed search parameters. Screens are loaded when opened. */
import {
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  redirect,
  type AnyValidatorFn,
  type RouteComponent,
} from '@tanstack/react-router'
import { isSignedIn } from '../api/session.ts'
import { readReturn } from '../auth/return-path.ts'
import { routerDefaults } from '../ui/app-router.tsx'
import { accountRoute, bareAccountRoute, requireAccount, rootRoute, signedInRoute, startRoute } from './frame-routes.tsx'
import { readPeriod } from './home/period.ts'
import { firstPlace } from './place.ts'
import { keepInvitation } from './kept-invitation.ts'
import type { Permission } from './membership.ts'
import { readPaymentsSearch } from './payments/filter.ts'
import { readPayoutsSearch } from './payouts/filter.ts'
import {
  batchSearch,
  deliveriesSearch,
  payoutSearch,
  placeInList,
  requestsSearch,
  searchedList,
  statementSearch,
  verificationSearch,
} from './searches.ts'

/** A signed-in person does not need the routes for guests. */
async function leaveSignedIn(to = '/'): Promise<void> {
  if (await isSignedIn()) throw redirect({ to, replace: true })
}

/** A screen of one wallet: its address below `/me/live`, what the role of the person must allow, and its search parameters. */
function ofWallet<const Path extends string, Search extends AnyValidatorFn | undefined = undefined>(
  path: Path,
  permission: Permission | undefined,
  component: RouteComponent,
  validateSearch?: Search,
) {
  return createRoute({
    getParentRoute: () => accountRoute,
    path,
    staticData: permission && { permission },
    validateSearch: validateSearch as Search,
    component,
  })
}

/** `/developers`: the apps of a wallet; `/developers/apps/app_…`: one app, its keys, its webhook and its deliveries. */
export const developersRoute = ofWallet(
  '/developers',
  'apps.write',
  lazy(() => import('./developers/developers-screen.tsx'), 'DevelopersScreen'),
  placeInList,
)
export const appRoute = ofWallet(
  '/developers/apps/$appId',
  'apps.write',
  lazy(() => import('./app/app-screen.tsx'), 'AppScreen'),
  deliveriesSearch,
)
export const deliveryRoute = ofWallet(
  '/developers/apps/$appId/deliveries/$deliveryId',
  'apps.write',
  lazy(() => import('./delivery/delivery-screen.tsx'), 'DeliveryScreen'),
)
/** The API requests of a wallet's keys. */
export const requestsRoute = ofWallet(
  '/developers/requests',
  'apps.write',
  lazy(() => import('./requests/requests-screen.tsx'), 'RequestsScreen'),
  requestsSearch,
)
/** From an empty account to a payment by program, with a real key. */
const quickStartRoute = ofWallet(
  '/developers/quick-start',
  'apps.write',
  lazy(() => import('./quick-start/quick-start-screen.tsx'), 'QuickStartScreen'),
)

/** What waits for the approval of members, and the rule. */
export const approvalsRoute = ofWallet(
  '/approvals',
  'rules.read',
  lazy(() => import('./approvals/approvals-screen.tsx'), 'ApprovalsScreen'),
  placeInList,
)

/** The members of a business, and who did what. */
export const teamRoute = ofWallet(
  '/team',
  undefined,
  lazy(() => import('./team/team-screen.tsx'), 'TeamScreen'),
  placeInList,
)
export const activityRoute = ofWallet(
  '/team/activity',
  'activity.read',
  lazy(() => import('./activity/activity-screen.tsx'), 'ActivityScreen'),
  placeInList,
)

export const homeRoute = ofWallet(
  '/',
  undefined,
  lazy(() => import('./home/home-screen.tsx'), 'HomeScreen'),
  readPeriod,
)
/** The first test payment, with the payer's phone. */
const tryRoute = ofWallet(
  '/try',
  'payments.write',
  lazy(() => import('./try/try-screen.tsx'), 'TryScreen'),
)

export const pagesRoute = ofWallet(
  '/pages',
  'pages.read',
  lazy(() => import('./pages/pages-screen.tsx'), 'PagesScreen'),
  placeInList,
)
/** One payment page, by its id or its slug. */
export const pageRoute = ofWallet(
  '/pages/$page',
  'pages.read',
  lazy(() => import('./page/page-screen.tsx'), 'PageScreen'),
)
const newPageRoute = ofWallet(
  '/pages/new',
  'pages.write',
  lazy(() => import('./page-editor/page-editor-screen.tsx'), 'NewPageScreen'),
)
export const editPageRoute = ofWallet(
  '/pages/$page/edit',
  'pages.write',
  lazy(() => import('./page-editor/page-editor-screen.tsx'), 'EditPageScreen'),
)
/** The poster of a payment page, without the frame, for printing. */
export const pagePosterRoute = createRoute({
  getParentRoute: () => bareAccountRoute,
  path: '/pages/$page',
  staticData: { permission: 'pages.read' },
  component: lazy(() => import('./page-poster/page-poster-screen.tsx'), 'PagePosterScreen'),
})

export const paymentRequestsRoute = ofWallet(
  '/pages/requests',
  'requests.read',
  lazy(() => import('./payment-requests/payment-requests-screen.tsx'), 'PaymentRequestsScreen'),
  placeInList,
)
const newPaymentRequestRoute = ofWallet(
  '/pages/requests/new',
  'requests.write',
  lazy(() => import('./new-payment-request/new-payment-request-screen.tsx'), 'NewPaymentRequestScreen'),
)
export const paymentRequestRoute = ofWallet(
  '/pages/requests/$request',
  'requests.read',
  lazy(() => import('./payment-request/payment-request-screen.tsx'), 'PaymentRequestScreen'),
)

export const paymentsRoute = ofWallet(
  '/payments',
  'payments.read',
  lazy(() => import('./payments/payments-screen.tsx'), 'PaymentsScreen'),
  readPaymentsSearch,
)
export const paymentRoute = ofWallet(
  '/payments/$reference',
  'payments.read',
  lazy(() => import('./payment/payment-screen.tsx'), 'PaymentScreen'),
)
/** Who has paid a wallet, and one of them, with the payments of the phone. */
export const customersRoute = ofWallet(
  '/payments/customers',
  'customers.read',
  lazy(() => import('./customers/customers-screen.tsx'), 'CustomersScreen'),
  searchedList,
)
export const customerRoute = ofWallet(
  '/payments/customers/$customer',
  'customers.read',
  lazy(() => import('./customer/customer-screen.tsx'), 'CustomerScreen'),
  placeInList,
)
/** A month of the wallet. */
export const statementRoute = ofWallet(
  '/statement',
  'statements.read',
  lazy(() => import('./statement/statement-screen.tsx'), 'StatementScreen'),
  statementSearch,
)

export const payoutsRoute = ofWallet(
  '/payouts',
  'payouts.read',
  lazy(() => import('./payouts/payouts-screen.tsx'), 'PayoutsScreen'),
  readPayoutsSearch,
)
export const payoutRoute = ofWallet(
  '/payouts/$payoutId',
  'payouts.read',
  lazy(() => import('./payout/payout-screen.tsx'), 'PayoutScreen'),
)
export const newPayoutRoute = ofWallet(
  '/payouts/new',
  'payouts.write',
  lazy(() => import('./new-payout/new-payout-screen.tsx'), 'NewPayoutScreen'),
  payoutSearch,
)
/** Files of payouts; one is reviewed and mended as a draft, then followed to its end. */
export const payoutBatchesRoute = ofWallet(
  '/payouts/batches',
  'payouts.read',
  lazy(() => import('./payout-batches/payout-batches-screen.tsx'), 'PayoutBatchesScreen'),
  placeInList,
)
const newPayoutBatchRoute = ofWallet(
  '/payouts/batches/new',
  'payouts.write',
  lazy(() => import('./new-payout-batch/new-payout-batch-screen.tsx'), 'NewPayoutBatchScreen'),
)
export const payoutBatchRoute = ofWallet(
  '/payouts/batches/$batchId',
  'payouts.read',
  lazy(() => import('./payout-batch/payout-batch-screen.tsx'), 'PayoutBatchScreen'),
  batchSearch,
)
/** The recipients that a wallet pays. */
export const recipientsRoute = ofWallet(
  '/payouts/recipients',
  'payouts.read',
  lazy(() => import('./recipients/recipients-screen.tsx'), 'RecipientsScreen'),
  searchedList,
)

/** The contact, the logo and the colour that payers see. */
const supportRoute = ofWallet(
  '/support',
  'business.read',
  lazy(() => import('./support/support-screen.tsx'), 'SupportScreen'),
)
const brandRoute = ofWallet(
  '/brand',
  'business.read',
  lazy(() => import('./brand/brand-screen.tsx'), 'BrandScreen'),
)
/** The verification of a wallet's owner. */
export const verificationRoute = ofWallet(
  '/verification',
  'business.read',
  lazy(() => import('./verification/verification-screen.tsx'), 'VerificationScreen'),
  verificationSearch,
)

/** The registration of a business, and the account of the person. */
const newBusinessRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-business',
  component: lazy(() => import('./verification/new-business-screen.tsx'), 'NewBusinessScreen'),
})
const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  component: lazy(() => import('./profile/profile-screen.tsx'), 'ProfileScreen'),
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readReturn,
  beforeLoad: ({ search }) => leaveSignedIn(search.return),
  component: lazy(() => import('./sign-in/sign-in-screen.tsx'), 'SignInScreen'),
})
const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  beforeLoad: () => leaveSignedIn(),
  component: lazy(() => import('./register/register-screen.tsx'), 'RegisterScreen'),
})
/** A mailed code and a new password. */
const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazy(() => import('./password/forgot-password-screen.tsx'), 'ForgotPasswordScreen'),
})
/** The code from the first mail. */
const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  beforeLoad: async ({ location }) => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in', search: { return: location.href } })
  },
  component: lazy(() => import('./email/verify-email-screen.tsx'), 'VerifyEmailScreen'),
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
  component: lazy(() => import('./invitation/invitation-screen.tsx'), 'InvitationScreen'),
})

/** `/me/live/till`: without the frame, for the device at a counter. */
const tillRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$owner/$environment/till',
  staticData: { permission: 'payments.read' },
  beforeLoad: requireAccount,
  component: lazy(() => import('./till/till-screen.tsx'), 'TillScreen'),
})
/** The address of the installed till: the last wallet. */
const tillStartRoute = createRoute({
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
