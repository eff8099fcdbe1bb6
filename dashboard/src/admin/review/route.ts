/** One case of a review: a person, `usr_…`, or a business, `biz_…`. */
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router'
import { signedInRoute } from '../frame-routes.tsx'

export const reviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/reviews/$id',
  beforeLoad: ({ params }) => {
    if (!/^(usr|biz)_[0-9a-z]{26}$/.test(params.id)) throw notFound()
  },
  component: lazyRouteComponent(() => import('./review-screen.tsx'), 'ReviewScreen'),
})
