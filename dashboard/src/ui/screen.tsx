/** A screen: its title, in the window and on the page, its actions, and its sections. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import classes from './screen.module.css'

export type ScreenProps = {
  title: string
  text?: string | undefined
  /** Above the title: a `BackLink`. */
  back?: ReactNode
  /** Beside the title: a status. */
  mark?: ReactNode
  actions?: ReactNode
  /** The links within the section: below the title, on a phone in its place. */
  nav?: ReactNode
  children: ReactNode
}

export function Screen({ title, text, back, mark, actions, nav, children }: ScreenProps) {
  useDocumentTitle(`${title} – Malipo`)
  return (
    <div className={classes['screen']}>
      <div className={classes['head']}>
        {/* On a phone the marked link of the section says it. */}
        <div className={nav ? 'unseen-on-phone' : undefined}>
          {back}
          <Group gap="sm">
            <Title order={1}>{title}</Title>
            {mark}
          </Group>
          {text !== undefined && <Text c="dimmed">{text}</Text>}
        </div>
        {nav && <div className={classes['nav']}>{nav}</div>}
        {actions && <Group gap="xs">{actions}</Group>}
      </div>
      {children}
    </div>
  )
}

type SectionProps = { title: string; actions?: ReactNode; children: ReactNode; isBare?: boolean }

/** A part of a screen with a heading; `isBare` leaves out the frame if the content has one. */
export function Section({ title, actions, children, isBare = false }: SectionProps) {
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Group justify="space-between" mih={36}>
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {isBare ? children : <Paper p="lg">{children}</Paper>}
    </Stack>
  )
}
