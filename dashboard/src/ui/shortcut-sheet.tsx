/** Does what a shortcut is for, and lists the shortcuts that the person may use. */
import { Note } from './note.tsx'
import { Modal, Stack, Text, Title } from '@mantine/core'
import { Fragment, useEffect, useEffectEvent, useRef, useState } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'
import { KeySwitch } from './key-switch.tsx'
import type { Command } from './shortcut-keys.ts'
import classes from './shortcut-sheet.module.css'

const texts = defineTexts('shortcuts', {
  title: ['Keyboard shortcuts', 'Mikato ya kibodi'],
  text: ['They do nothing while you type in a field.', 'Haifanyi kitu unapoandika kwenye sehemu ya maandishi.'],
  goTo: ['Go to', 'Nenda'],
  do: ['Do', 'Fanya'],
  sheet: ['Show this list', 'Onyesha orodha hii'],
  close: ['Close a window or a menu', 'Funga dirisha au menyu'],
  between: ['then', 'kisha'],
  escape: ['Esc', 'Esc'],
  isOn: ['Single keys as shortcuts', 'Vitufe kimoja kimoja kama mikato'],
  isOnText: [
    'Turn them off if you dictate, or press keys by accident. It applies to this device.',
    'Zima kama unaandika kwa sauti, au unabonyeza vitufe bila kukusudia. Ni kwa kifaa hiki tu.',
  ],
})

/** `key` is one of `Command`; what a screen does with further keys, or with Ctrl, has no `run`. */
export type Shortcut = { key: string; text: string; run?(): void }
export type ShortcutGroup = { title: string; shortcuts: readonly Shortcut[] }

type Props = {
  command: Command
  goTo: readonly Shortcut[]
  actions: readonly Shortcut[]
  /** Of one screen. */
  others?: readonly ShortcutGroup[]
}

export function ShortcutSheet({ command, goTo, actions, others = [] }: Props) {
  const say = texts.use()
  const [closed, setClosed] = useState(0)
  const [isThere, setIsThere] = useState(false)
  useEffect(() => {
    // Not open from the beginning: a dialog returns the focus to what had it when it was opened.
    const frame = requestAnimationFrame(() => setIsThere(true))
    return () => cancelAnimationFrame(frame)
  }, [])
  const isOpen = isThere && command.key === '?' && command.number !== closed
  const done = useRef(0)
  const obey = useEffectEvent(({ key, number }: Command) => {
    if (done.current === number) return
    done.current = number
    ;[...goTo, ...actions].find((one) => one.key === key)?.run?.()
  })
  useEffect(() => obey(command), [command])
  const groups: ShortcutGroup[] = [
    { title: say('goTo'), shortcuts: goTo },
    {
      title: say('do'),
      shortcuts: [...actions, { key: '?', text: say('sheet') }, { key: say('escape'), text: say('close') }],
    },
    ...others,
  ]
  return (
    <Modal opened={isOpen} onClose={() => setClosed(command.number)} title={say('title')}>
      <Stack gap="md">
        <Note>{say('text')}</Note>
        {groups.map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <Title order={3} size="h5">
              {title}
            </Title>
            <dl style={{ margin: 0 }}>
              {shortcuts.map(({ key, text }) => (
                <div key={key} className={classes['row']}>
                  <dt>{text}</dt>
                  <dd>
                    <Keys of={key} between={say('between')} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <KeySwitch label={say('isOn')} description={say('isOnText')} />
      </Stack>
    </Modal>
  )
}

/** `gh` is two keys, one after the other. */
function Keys({ of, between }: { of: string; between: string }) {
  const keys = /^g.$/.test(of) ? of.split('') : [of]
  return keys.map((key, place) => (
    <Fragment key={key + String(place)}>
      {place > 0 && (
        <Text span size="xs" c="dimmed" mx={6}>
          {between}
        </Text>
      )}
      <kbd className={classes['keys']}>{key}</kbd>
    </Fragment>
  ))
}
