/** `/forgot-password`: a code by mail, and a new password with it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../frame-routes.tsx'

export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./forgot-password-screen.tsx'), 'ForgotPasswordScreen'),
})
