/** `…/verification`: who is behind a wallet; and `/new-business`, where a business begins. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute, signedInRoute } from '../frame-routes.tsx'

export const stepKeys = ['facts', 'documents', 'send'] as const
export type StepKey = (typeof stepKeys)[number]

export type VerificationSearch = { step?: StepKey }

export const verificationRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/verification',
  validateSearch: ({ step }: Record<string, unknown>): VerificationSearch => {
    const wanted = stepKeys.find((key) => key === step)
    return wanted ? { step: wanted } : {}
  },
  component: lazyRouteComponent(() => import('./verification-screen.tsx'), 'VerificationScreen'),
})

export const newBusinessRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-business',
  component: lazyRouteComponent(() => import('./new-business-screen.tsx'), 'NewBusinessScreen'),
})
