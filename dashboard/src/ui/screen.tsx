/** A screen: its title, in the window and on the page, its actions, and its sections. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

export type ScreenProps = {
  title: string
  text?: string | undefined
  /** Above the title: a `BackLink`. */
  back?: ReactNode
  /** Beside the title: a status. */
  mark?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Screen({ title, text, back, mark, actions, children }: ScreenProps) {
  useDocumentTitle(`${title} – Malipo`)
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end" gap="sm">
        <div>
          {back}
          <Group gap="sm">
            <Title order={1}>{title}</Title>
            {mark}
          </Group>
          {text !== undefined && <Text c="dimmed">{text}</Text>}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
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
