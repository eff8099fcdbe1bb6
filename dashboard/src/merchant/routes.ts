/** Every screen of the merchants' dashboard, in one list. */
import { createRouter } from '@tanstack/react-router'
import { routerDefaults } from '../ui/app-router.ts'
import { appRoute } from './app/route.ts'
import { deliveryRoute } from './delivery/route.ts'
import { developersRoute } from './developers/route.ts'
import { verifyEmailRoute } from './email/route.ts'
import { accountRoute, bareAccountRoute, rootRoute, signedInRoute, startRoute } from './frame-routes.tsx'
import { homeRoute } from './home/route.ts'
import { newPayoutRoute } from './new-payout/route.ts'
import { editPageRoute, newPageRoute } from './page-editor/route.ts'
import { pagePosterRoute } from './page-poster/route.ts'
import { pageRoute } from './page/route.ts'
import { pagesRoute } from './pages/route.ts'
import { paymentRoute } from './payment/route.ts'
import { paymentsRoute } from './payments/route.ts'
import { payoutRoute } from './payout/route.ts'
import { payoutsRoute } from './payouts/route.ts'
import { forgotPasswordRoute } from './password/route.ts'
import { profileRoute } from './profile/route.ts'
import { quickStartRoute } from './quick-start/route.ts'
import { registerRoute } from './register/route.ts'
import { requestsRoute } from './requests/route.ts'
import { signInRoute } from './sign-in/route.ts'
import { statementRoute } from './statement/route.ts'
import { newBusinessRoute, verificationRoute } from './verification/route.ts'

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
