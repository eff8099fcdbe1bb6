/** `/developers/apps/app_…`: one app, its keys, its webhook and what that was sent. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { isDay } from '../../ui/days.ts'
import { accountRoute } from '../frame-routes.tsx'

/** What its deliveries are narrowed down by; days of Dar es Salaam, both within. */
export type DeliveriesFilter = { outcome?: 'succeeded' | 'failed'; event?: string; from?: string; to?: string }
export type AppSearch = DeliveriesFilter & { cursor?: string }

export const appRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/apps/$appId',
  validateSearch: ({ outcome, event, from, to, cursor }: Record<string, unknown>): AppSearch => ({
    ...((outcome === 'succeeded' || outcome === 'failed') && { outcome }),
    ...(typeof event === 'string' && /^evt_\w+$/.test(event) && { event }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./app-screen.tsx'), 'AppScreen'),
})
