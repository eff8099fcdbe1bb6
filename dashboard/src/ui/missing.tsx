/** The screen of an unknown address. */
import { Button } from '@mantine/core'
import { IconMapPinOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { EmptyState } from './empty-state.tsx'
import { shared } from './texts.ts'

export function Missing() {
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
