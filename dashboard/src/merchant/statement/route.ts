/** `/statement?month=2026-09`: a month of the wallet. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../frame-routes.tsx'

export type StatementSearch = { month?: string; cursor?: string }

export const statementRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/statement',
  validateSearch: ({ month, cursor }: Record<string, unknown>): StatementSearch => ({
    ...(typeof month === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) && { month }),
    ...(typeof cursor === 'string' && { cursor }),
  }),
  component: lazyRouteComponent(() => import('./statement-screen.tsx'), 'StatementScreen'),
})
