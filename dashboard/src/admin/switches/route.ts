/** The kill switches. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const switchesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/switches',
  component: lazyRouteComponent(() => import('./switches-screen.tsx'), 'SwitchesScreen'),
})
