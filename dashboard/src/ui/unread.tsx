/** In place of what is not read yet: a placeholder, or the reason why it cannot be read. */
import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { Screen } from './screen.tsx'

type UnreadProps = {
  /** As `useAnswer` gives it. */
  of: { error: unknown; refetch(): unknown }
  /** The height of the placeholder, in pixels, or another one. */
  placeholder: ReactNode
}

export function Unread({ of: { error, refetch }, placeholder }: UnreadProps) {
  if (error) return <ErrorState error={error} onRetry={refetch} />
  return typeof placeholder === 'number' ? <Skeleton h={placeholder} /> : placeholder
}

type UnreadScreenProps = UnreadProps & { title: string; text?: string; back?: ReactNode }

/** The screen of one object until it is read; `title` is its kind. */
export function UnreadScreen({ title, text, back, ...unread }: UnreadScreenProps) {
  return (
    <Screen title={title} text={text} back={back}>
      <Unread {...unread} />
    </Screen>
  )
}
