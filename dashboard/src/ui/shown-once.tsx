/** A secret that is shown only once: it can be copied, and the person must confirm before continuing. */
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from './icons.ts'
import { useEffect, useRef, useState } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'
import { CodeBlock } from './code-block.tsx'
import classes from './shown-once.module.css'
import { shared } from './texts.ts'

const texts = defineTexts('shown-once', [shared], {
  once: [
    'This is shown only now. No one can show it to you again, not even we.',
    'Hii inaonyeshwa sasa tu. Hakuna anayeweza kukuonyesha tena, hata sisi.',
  ],
  stored: ['I have stored it in a safe place', 'Nimeihifadhi mahali salama'],
})

type Props = { value: string; label: string; onDone(): void }

export function ShownOnce({ value, label, onDone }: Props) {
  const say = texts.use()
  const [isStored, setIsStored] = useState(false)
  const warning = useRef<HTMLDivElement>(null)
  // It replaces the form: screen readers announce the new content.
  useEffect(() => warning.current?.focus(), [])
  return (
    <Stack>
      <Group gap="xs" wrap="nowrap" align="start" ref={warning} tabIndex={-1} data-autofocus className={classes['warning']!}>
        <IconAlertTriangle size={18} aria-hidden />
        <Text>{say('once')}</Text>
      </Group>
      <CodeBlock label={label} code={value} />
      <Checkbox label={say('stored')} checked={isStored} onChange={(event) => setIsStored(event.currentTarget.checked)} />
      <Group justify="end">
        <Button disabled={!isStored} onClick={onDone}>
          {say('continue')}
        </Button>
      </Group>
    </Stack>
  )
}
