/** Every screen of the merchants' dashboard, in one list. */
import { createRouter } from '@tanstack/react-router'
import { routerDefaults } from '../ui/app-router.ts'
import { accountRoute, rootRoute, signedInRoute, startRoute } from './frame-routes.tsx'
import { homeRoute } from './home/route.ts'
import { signInRoute } from './sign-in/route.ts'

const routeTree = rootRoute.addChildren([
  signInRoute,
  signedInRoute.addChildren([startRoute, accountRoute.addChildren([homeRoute])]),
])

export const router = createRouter({ routeTree, basepath: '/dashboard', ...routerDefaults })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
