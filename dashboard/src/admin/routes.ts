/** Every screen of the operators' console, in one list. */
import { createRouter } from '@tanstack/react-router'
import { routerDefaults } from '../ui/app-router.ts'
import { rootRoute, signedInRoute } from './frame-routes.tsx'
import { homeRoute } from './home/route.ts'
import { reviewRoute } from './review/route.ts'
import { reviewsRoute } from './reviews/route.ts'
import { secondFactorRoute } from './second-factor/route.ts'
import { signInRoute } from './sign-in/route.ts'

const screens = [homeRoute, reviewsRoute, reviewRoute] as const

const routeTree = rootRoute.addChildren([signInRoute, secondFactorRoute, signedInRoute.addChildren(screens)])

export const router = createRouter({ routeTree, basepath: '/admin', ...routerDefaults })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
