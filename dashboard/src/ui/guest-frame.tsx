/** The frame without a session: one narrow card, the language, light or dark. */
import { Group, Paper, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useEffect, type ReactNode } from 'react'
import { Brand } from './brand.tsx'
import classes from './guest-frame.module.css'
import { showsFirstScreen } from './later.ts'
import { ColorSwitch, LanguageSwitch } from './preferences.tsx'

type Props = { title: string; text?: ReactNode; note?: string; children: ReactNode; below?: ReactNode }

export function GuestFrame({ title, text, note, children, below }: Props) {
  useEffect(showsFirstScreen, [])
  useDocumentTitle(`${title} – Malipo`)
  return (
    <div className={classes['ground']}>
      <header className={classes['top']}>
        <Brand {...(note !== undefined && { note })} />
        <Group gap="xs">
          <LanguageSwitch />
          <ColorSwitch />
        </Group>
      </header>
      <main className={classes['main']}>
        <Paper className={classes['card']}>
          <Title order={1} mb={4}>
            {title}
          </Title>
          {text !== undefined && (
            <Text c="dimmed" mb="lg">
              {text}
            </Text>
          )}
          {children}
        </Paper>
        {below && (
          <Text ta="center" c="dimmed">
            {below}
          </Text>
        )}
      </main>
    </div>
  )
}
