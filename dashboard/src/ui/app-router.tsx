/** The shared parts of both apps' routers: state, loading, errors and unknown addresses. */
import { Button } from '@mantine/core'
import { IconMapPinOff } from './icons.ts'
import { Link, type ErrorComponentProps } from '@tanstack/react-router'
import { EmptyState } from './empty-state.tsx'
import { ErrorState } from './error-state.tsx'
import { shared } from './texts.ts'

/** The screen of an unknown address. */
function Missing() {
  const say = shared.use()
  return (
    <EmptyState
      icon={IconMapPinOff}
      title={say('missing.title')}
      text={say('missing.text')}
      action={
        <Button component={Link} to="/" variant="default">
          {say('missing.home')}
        </Button>
      }
    />
  )
}

export const routerDefaults = {
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Only search parameters that a screen has validated are kept.
  search: { strict: true },
  defaultNotFoundComponent: Missing,
  defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => <ErrorState error={error} onRetry={reset} />,
} as const
