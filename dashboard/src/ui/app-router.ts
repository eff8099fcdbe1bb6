/** The shared parts of both apps' routers: state, loading, errors and unknown addresses. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { createElement } from 'react'
import { ErrorState } from './error-state.tsx'
import { Missing } from './missing.tsx'

export const routerDefaults = {
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Only search parameters that a screen has validated are kept.
  search: { strict: true },
  defaultNotFoundComponent: Missing,
  defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => createElement(ErrorState, { error, onRetry: reset }),
} as const
