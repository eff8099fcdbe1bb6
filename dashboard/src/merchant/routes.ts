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

type Screen = () => Promise<{ default: RouteComponent }>

/** A screen of one wallet: its address below `/me/live`, what the role of the person must allow, and its search parameters. */
function ofWallet<const Path extends string, Search extends AnyValidatorFn | undefined = undefined>(
  path: Path,
  permission: Permission | undefined,
  screen: Screen,
  validateSearch?: Search,
) {
  return createRoute({
    getParentRoute: () => accountRoute,
    path,
    staticData: permission === undefined ? {} : { permission },
    validateSearch: validateSearch as Search,
    component: lazy(screen),
  })
}

const screensOfWallet = {
  /** `/developers`: the apps of a wallet; `/developers/apps/app_…`: one app, its keys, its webhook and its deliveries. */
  developers: ofWallet('/developers', 'apps.write', () => import('./developers/developers-screen.tsx'), placeInList),
  app: ofWallet('/developers/apps/$appId', 'apps.write', () => import('./app/app-screen.tsx'), deliveriesSearch),
  delivery: ofWallet(
    '/developers/apps/$appId/deliveries/$deliveryId',
    'apps.write',
    () => import('./delivery/delivery-screen.tsx'),
  ),
  requests: ofWallet('/developers/requests', 'apps.write', () => import('./requests/requests-screen.tsx'), requestsSearch),
  /** From an empty account to a payment by program, with a real key. */
  quickStart: ofWallet('/developers/quick-start', 'apps.write', () => import('./quick-start/quick-start-screen.tsx')),
  /** What waits for the approval of members, and the rule. */
  approvals: ofWallet('/approvals', 'rules.read', () => import('./approvals/approvals-screen.tsx'), placeInList),
  /** The members of a business, and who did what. */
  team: ofWallet('/team', undefined, () => import('./team/team-screen.tsx'), placeInList),
  activity: ofWallet('/team/activity', 'activity.read', () => import('./activity/activity-screen.tsx'), placeInList),
  home: ofWallet('/', undefined, () => import('./home/home-screen.tsx'), readPeriod),
  /** The first test payment, with the payer's phone. */
  try: ofWallet('/try', 'payments.write', () => import('./try/try-screen.tsx')),
  pages: ofWallet('/pages', 'pages.read', () => import('./pages/pages-screen.tsx'), placeInList),
  /** One payment page, by its id or its slug. */
  page: ofWallet('/pages/$page', 'pages.read', () => import('./page/page-screen.tsx')),
  newPage: ofWallet('/pages/new', 'pages.write', async () => ({
    default: (await import('./page-editor/page-editor-screen.tsx')).NewPageScreen,
  })),
  editPage: ofWallet('/pages/$page/edit', 'pages.write', async () => ({
    default: (await import('./page-editor/page-editor-screen.tsx')).EditPageScreen,
  })),
  paymentRequests: ofWallet(
    '/pages/requests',
    'requests.read',
    () => import('./payment-requests/payment-requests-screen.tsx'),
    placeInList,
  ),
  newPaymentRequest: ofWallet(
    '/pages/requests/new',
    'requests.write',
    () => import('./new-payment-request/new-payment-request-screen.tsx'),
  ),
  paymentRequest: ofWallet(
    '/pages/requests/$request',
    'requests.read',
    () => import('./payment-request/payment-request-screen.tsx'),
  ),
  payments: ofWallet('/payments', 'payments.read', () => import('./payments/payments-screen.tsx'), readPaymentsSearch),
  payment: ofWallet('/payments/$reference', 'payments.read', () => import('./payment/payment-screen.tsx')),
  /** Who has paid a wallet, and one of them, with the payments of the phone. */
  customers: ofWallet('/payments/customers', 'customers.read', () => import('./customers/customers-screen.tsx'), searchedList),
  customer: ofWallet(
    '/payments/customers/$customer',
    'customers.read',
    () => import('./customer/customer-screen.tsx'),
    placeInList,
  ),
  statement: ofWallet('/statement', 'statements.read', () => import('./statement/statement-screen.tsx'), statementSearch),
  payouts: ofWallet('/payouts', 'payouts.read', () => import('./payouts/payouts-screen.tsx'), readPayoutsSearch),
  payout: ofWallet('/payouts/$payoutId', 'payouts.read', () => import('./payout/payout-screen.tsx')),
  newPayout: ofWallet('/payouts/new', 'payouts.write', () => import('./new-payout/new-payout-screen.tsx'), payoutSearch),
  /** Files of payouts; one is reviewed and corrected as a draft, then followed to its end. */
  payoutBatches: ofWallet(
    '/payouts/batches',
    'payouts.read',
    () => import('./payout-batches/payout-batches-screen.tsx'),
    placeInList,
  ),
  newPayoutBatch: ofWallet(
    '/payouts/batches/new',
    'payouts.write',
    () => import('./new-payout-batch/new-payout-batch-screen.tsx'),
  ),
  payoutBatch: ofWallet(
    '/payouts/batches/$batchId',
    'payouts.read',
    () => import('./payout-batch/payout-batch-screen.tsx'),
    batchSearch,
  ),
  /** The recipients that a wallet pays. */
  recipients: ofWallet('/payouts/recipients', 'payouts.read', () => import('./recipients/recipients-screen.tsx'), searchedList),
  /** The contact, the logo and the colour that payers see. */
  support: ofWallet('/support', 'business.read', () => import('./support/support-screen.tsx')),
  brand: ofWallet('/brand', 'business.read', () => import('./brand/brand-screen.tsx')),
  verification: ofWallet(
    '/verification',
    'business.read',
    () => import('./verification/verification-screen.tsx'),
    verificationSearch,
  ),
}

/** The poster of a payment page, without the frame, for printing. */
const pagePosterRoute = createRoute({
  getParentRoute: () => bareAccountRoute,
  path: '/pages/$page',
  staticData: { permission: 'pages.read' },
  component: lazy(() => import('./page-poster/page-poster-screen.tsx')),
})

/** The registration of a business, and the account of the person. */
const newBusinessRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-business',
  component: lazy(() => import('./verification/new-business-screen.tsx')),
})
const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  component: lazy(() => import('./profile/profile-screen.tsx')),
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readReturn,
  beforeLoad: ({ search }) => leaveSignedIn(search.return),
  component: lazy(() => import('./sign-in/sign-in-screen.tsx')),
})
const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  beforeLoad: () => leaveSignedIn(),
  component: lazy(() => import('./register/register-screen.tsx')),
})
/** A mailed code and a new password. */
const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazy(() => import('./password/forgot-password-screen.tsx')),
})
/** The code from the first mail. */
const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  beforeLoad: async ({ location }) => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in', search: { return: location.href } })
  },
  component: lazy(() => import('./email/verify-email-screen.tsx')),
})
/** `/invitation#secret`: joins a business. The secret leaves the address at once, so that it is in no history. */
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  beforeLoad: async ({ location }) => {
    if (location.hash !== '') {
      keepInvitation(location.hash)
      throw redirect({ to: '/invitation', replace: true })
    }
    return { isSignedIn: await isSignedIn() }
  },
  component: lazy(() => import('./invitation/invitation-screen.tsx')),
})

/** `/me/live/till`: without the frame, for the device at a counter. */
const tillRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$owner/$environment/till',
  staticData: { permission: 'payments.read' },
  beforeLoad: requireAccount,
  component: lazy(() => import('./till/till-screen.tsx')),
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
  signedInRoute.addChildren([startRoute, newBusinessRoute, profileRoute, accountRoute.addChildren(screensOfWallet)]),
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
