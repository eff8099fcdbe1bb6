/** A screen of one object: while it is unknown, its kind with a placeholder or the reason why it cannot be read. */
import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { Screen, type ScreenProps } from './screen.tsx'

type Props<Thing> = {
  /** As `useAnswer` gives it. */
  answer: { data: { data: Thing } | undefined; error: unknown; refetch(): unknown }
  /** The title until it is read. */
  kind: string
  back?: ReactNode
  /** Until it is read: the height of the placeholder, in pixels, or another one. */
  placeholder: ReactNode
  /** With the previous answer, a note that reading again has failed. */
  notesOld?: boolean
  head(thing: Thing): Omit<ScreenProps, 'back' | 'children'>
  children(thing: Thing): ReactNode
}

export function DetailScreen<Thing>(props: Props<Thing>) {
  const { answer, kind, back, placeholder, notesOld = false, head, children } = props
  const { data, error, refetch } = answer
  const problem = Boolean(error) && <ErrorState error={error} onRetry={refetch} />
  if (!data) {
    return (
      <Screen title={kind} back={back}>
        {problem || (typeof placeholder === 'number' ? <Skeleton h={placeholder} /> : placeholder)}
      </Screen>
    )
  }
  return (
    <Screen {...head(data.data)} back={back}>
      {notesOld && problem}
      {children(data.data)}
    </Screen>
  )
}
