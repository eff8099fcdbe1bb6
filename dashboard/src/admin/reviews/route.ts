/** The queue of reviews; what is filtered stands in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export type ReviewFilter = {
  kind?: 'person' | 'business'
  /** Without it: those that wait. */
  status?: 'verified' | 'rejected'
  claimed?: 'me' | 'nobody'
}

const oneOf = <const Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

export const reviewsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/reviews',
  validateSearch: (search: Record<string, unknown>): ReviewFilter & { cursor?: string } => {
    const kind = oneOf(['person', 'business'], search['kind'])
    const status = oneOf(['verified', 'rejected'], search['status'])
    const claimed = oneOf(['me', 'nobody'], search['claimed'])
    return {
      ...(kind && { kind }),
      ...(status && { status }),
      ...(claimed && { claimed }),
      ...(typeof search['cursor'] === 'string' && { cursor: search['cursor'] }),
    }
  },
  component: lazyRouteComponent(() => import('./reviews-screen.tsx'), 'ReviewsScreen'),
})
