/** What both apps' routers have in common: where they are, what they show while a screen comes, fails or is not there. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { createElement } from 'react'
import { ErrorState } from './error-state.tsx'
import { Missing } from './missing.tsx'

export const routerDefaults = {
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Of an address only what a screen has read and found right: everything else it says is dropped.
  search: { strict: true },
  defaultNotFoundComponent: Missing,
  defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => createElement(ErrorState, { error, onRetry: reset }),
} as const
