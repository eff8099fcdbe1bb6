/** What our books and the providers do not agree on; the filter stands in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'
import { environments, wordOf } from '../search-fields.ts'

export type BreakFilter = { status?: 'proposed' | 'resolved'; environment?: (typeof environments)[number] }

export const breaksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/breaks',
  validateSearch: (search: Record<string, unknown>): BreakFilter & { cursor?: string } => {
    const status = wordOf(['proposed', 'resolved'], search['status'])
    const environment = wordOf(environments, search['environment'])
    return {
      ...(status && { status }),
      ...(environment && { environment }),
      ...(typeof search['cursor'] === 'string' && { cursor: search['cursor'] }),
    }
  },
  component: lazyRouteComponent(() => import('./breaks-screen.tsx'), 'BreaksScreen'),
})
