/** `/developers/requests`: the calls that the keys of a wallet made, with the filter in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export type RequestsFilter = { outcome?: 'succeeded' | 'failed'; app?: string; key?: string }
export type RequestsSearch = RequestsFilter & { cursor?: string }

export const requestsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/developers/requests',
  validateSearch: ({ outcome, app, key, cursor }: Record<string, unknown>): RequestsSearch => ({
    ...((outcome === 'succeeded' || outcome === 'failed') && { outcome }),
    ...(typeof app === 'string' && /^app_\w+$/.test(app) && { app }),
    ...(typeof key === 'string' && /^key_\w+$/.test(key) && { key }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./requests-screen.tsx'), 'RequestsScreen'),
})
