/** The placeholder of an empty list: its purpose, and the next step. */
import { Stack, Text, ThemeIcon } from '@mantine/core'
import type { Icon } from './icons.ts'
import type { ReactNode } from 'react'

type Props = { icon: Icon; title: string; text?: string; action?: ReactNode }

export function EmptyState({ icon: Sign, title, text, action }: Props) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <ThemeIcon size={44} radius="xl" variant="light" color="gray">
        <Sign size={22} stroke={1.6} aria-hidden />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {text !== undefined && (
        <Text c="dimmed" maw={420}>
          {text}
        </Text>
      )}
      {action}
    </Stack>
  )
}
