/** Every screen of the operators' console, in one list. */
import { createRouter } from '@tanstack/react-router'
import { routerDefaults } from '../ui/app-router.ts'
import { auditRoute } from './audit/route.ts'
import { breakRoute } from './break/route.ts'
import { breaksRoute } from './breaks/route.ts'
import { rootRoute, signedInRoute } from './frame-routes.tsx'
import { homeRoute } from './home/route.ts'
import { merchantRoute } from './merchant/route.ts'
import { paymentRoute } from './payment/route.ts'
import { payoutRoute } from './payout/route.ts'
import { payoutsRoute } from './payouts/route.ts'
import { reconciliationRoute } from './reconciliation/route.ts'
import { reviewRoute } from './review/route.ts'
import { reviewsRoute } from './reviews/route.ts'
import { searchRoute } from './search/route.ts'
import { secondFactorRoute } from './second-factor/route.ts'
import { signInRoute } from './sign-in/route.ts'
import { stuckRoute } from './stuck/route.ts'
import { switchesRoute } from './switches/route.ts'

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
  auditRoute,
] as const

const routeTree = rootRoute.addChildren([signInRoute, secondFactorRoute, signedInRoute.addChildren(screens)])

export const router = createRouter({ routeTree, basepath: '/admin', ...routerDefaults })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
