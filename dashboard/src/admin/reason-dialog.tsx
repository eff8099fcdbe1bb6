/** Asks for the reason that every action of an operator on others needs; errors of the API are shown inside. */
import { Alert, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { problemText } from '../ui/problem-text.ts'
import { shared } from '../ui/texts.ts'

type Props = {
  isOpen: boolean
  onClose(): void
  title: string
  /** The consequence, and the readers of the reason. */
  children: ReactNode
  label: string
  action: string
  isDanger?: boolean
  isOptional?: boolean
  maxLength?: number
  isBusy: boolean
  error: unknown
  onConfirm(sentence: string): void
}

export function ReasonDialog(props: Props) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title}>
      {/* Opened again, it is empty. */}
      {props.isOpen && <Question {...props} />}
    </Modal>
  )
}

function Question(props: Props) {
  const { onClose, children, label, action, isDanger = false, isOptional = false, maxLength = 300, isBusy, error } = props
  const say = shared.use()
  const [sentence, setSentence] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        props.onConfirm(sentence.trim())
      }}
    >
      <Stack>
        {typeof children === 'string' ? <Text>{children}</Text> : children}
        <Textarea
          label={isOptional ? `${label} (${say('optional')})` : label}
          value={sentence}
          onChange={(event) => setSentence(event.currentTarget.value)}
          maxLength={maxLength}
          rows={3}
          data-autofocus
        />
        {Boolean(error) && (
          <Alert color="red" role="alert">
            {problemText(error)}
          </Alert>
        )}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button
            type="submit"
            {...(isDanger && { color: 'red' })}
            loading={isBusy}
            disabled={!isOptional && sentence.trim() === ''}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
