/** Asks before an irreversible action; for important ones, the name must be typed. */
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'
import { problemText } from './problem-text.ts'
import { shared } from './texts.ts'

const texts = defineTexts('confirm', {
  en: { type: 'Type “{{name}}” to confirm' },
  sw: { type: 'Andika “{{name}}” kuthibitisha' },
})

type Props = {
  isOpen: boolean
  onClose(): void
  title: string
  children: ReactNode
  /** The label of the button: the action. */
  action: string
  isDanger?: boolean
  /** Must be typed exactly. */
  name?: string
  /** False: what would be confirmed is not known or not possible yet. */
  isReady?: boolean
  isBusy: boolean
  error?: unknown
  onConfirm(): void
}

export function ConfirmDialog(props: Props) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title}>
      {/* Opened again, it is empty. */}
      {props.isOpen && <Question {...props} />}
    </Modal>
  )
}

function Question({ onClose, children, action, isDanger = false, name, isReady = true, isBusy, error, onConfirm }: Props) {
  const say = texts.use()
  const sayShared = shared.use()
  const [typed, setTyped] = useState('')
  const isAllowed = isReady && (name === undefined || typed.trim() === name)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isAllowed) onConfirm()
      }}
    >
      <Stack>
        {typeof children === 'string' ? <Text>{children}</Text> : children}
        {Boolean(error) && (
          <Alert color="red" role="alert">
            {problemText(error)}
          </Alert>
        )}
        {name !== undefined && (
          <TextInput
            label={say('type', { name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" {...(isDanger && { color: 'red' })} loading={isBusy} disabled={!isAllowed}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
