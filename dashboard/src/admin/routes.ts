/** Every screen of the operators' console: its address and the allowed search parameters. Screens are loaded when opened. */
import {
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  notFound,
  redirect,
  type AnyValidatorFn,
  type RouteComponent,
} from '@tanstack/react-router'
import { isSignedIn } from '../api/session.ts'
import { readReturn } from '../auth/return-path.ts'
import { routerDefaults } from '../ui/app-router.tsx'
import { rootRoute, signedInRoute } from './frame-routes.tsx'
import { auditSearch, breaksSearch, casesSearch, payoutsSearch, placeInList, reviewsSearch, stuckSearch } from './searches.ts'

type Screen = () => Promise<{ default: RouteComponent }>

/** A screen with a session: its address, and its search parameters. */
function screen<const Path extends string, Search extends AnyValidatorFn | undefined = undefined>(
  path: Path,
  load: Screen,
  validateSearch?: Search,
) {
  return createRoute({
    getParentRoute: () => signedInRoute,
    path,
    validateSearch: validateSearch as Search,
    component: lazy(load),
  })
}

/** One case of a review: a person, `usr_…`, or a business, `biz_…`. */
const reviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/reviews/$id',
  beforeLoad: ({ params }) => {
    if (!/^(usr|biz)_[0-9a-z]{26}$/.test(params.id)) throw notFound()
  },
  component: lazy(() => import('./review/review-screen.tsx')),
})

const screens = {
  /** The open work of operators. */
  home: screen('/', () => import('./home/home-screen.tsx')),
  /** Finds anything by a name, a number or a reference. */
  search: screen('/search', () => import('./search/search-screen.tsx')),
  merchant: screen('/merchants/$id', () => import('./merchant/merchant-screen.tsx')),
  reviews: screen('/reviews', () => import('./reviews/reviews-screen.tsx'), reviewsSearch),
  review: reviewRoute,
  stuck: screen('/stuck', () => import('./stuck/stuck-screen.tsx'), stuckSearch),
  payment: screen('/payments/$reference', () => import('./payment/payment-screen.tsx')),
  /** The differences between our books and the providers. */
  breaks: screen('/breaks', () => import('./breaks/breaks-screen.tsx'), breaksSearch),
  break: screen('/breaks/$id', () => import('./break/break-screen.tsx')),
  reconciliation: screen('/reconciliation', () => import('./reconciliation/reconciliation-screen.tsx'), placeInList),
  /** Payouts that wait for approval or are in flight. */
  payouts: screen('/payouts', () => import('./payouts/payouts-screen.tsx'), payoutsSearch),
  payout: screen('/payouts/$id', () => import('./payout/payout-screen.tsx')),
  switches: screen('/switches', () => import('./switches/switches-screen.tsx')),
  /** The queue of payers who say that money was taken. */
  supportCases: screen('/support-cases', () => import('./support-cases/support-cases-screen.tsx'), casesSearch),
  supportCase: screen('/support-cases/$id', () => import('./support-case/support-case-screen.tsx')),
  audit: screen('/audit', () => import('./audit/audit-screen.tsx'), auditSearch),
}

/** An operator without a second factor must connect one first. */
const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  beforeLoad: async () => {
    if (!(await isSignedIn())) throw redirect({ to: '/sign-in' })
  },
  component: lazy(() => import('./second-factor/second-factor-screen.tsx')),
})

/** `/sign-in`, the only route without a session. */
const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readReturn,
  beforeLoad: async ({ search }) => {
    if (await isSignedIn()) throw redirect({ to: search.return ?? '/', replace: true })
  },
  component: lazy(() => import('./sign-in/sign-in-screen.tsx')),
})

const routeTree = rootRoute.addChildren([signInRoute, secondFactorRoute, signedInRoute.addChildren(screens)])

export const router = createRouter({ routeTree, basepath: '/admin', ...routerDefaults })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
