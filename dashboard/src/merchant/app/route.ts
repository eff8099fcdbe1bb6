/** `/developers/apps/app_…`: one app, its keys, its webhook and what that was sent. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export type AppSearch = { outcome?: 'succeeded' | 'failed'; cursor?: string }

export const appRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/apps/$appId',
  validateSearch: ({ outcome, cursor }: Record<string, unknown>): AppSearch => ({
    ...((outcome === 'succeeded' || outcome === 'failed') && { outcome }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./app-screen.tsx'), 'AppScreen'),
})
