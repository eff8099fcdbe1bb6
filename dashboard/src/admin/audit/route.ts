/** The audit log; the filter stands in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'
import { isDay } from '../../ui/days.ts'
import { textOf } from '../search-fields.ts'

export type AuditFilter = { actor?: string; action?: string; object?: string; from?: string; to?: string }

export const auditRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): AuditFilter & { cursor?: string } => {
    const { from, to } = search
    return {
      ...textOf(search, 'actor', 'action', 'object', 'cursor'),
      ...(isDay(from) && { from }),
      ...(isDay(to) && { to }),
    }
  },
  component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'AuditScreen'),
})
