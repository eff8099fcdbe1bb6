/** Asks before an irreversible action; for important ones, the name must be typed. */
import { Modal, Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'
import { DialogButtons } from './dialog-buttons.tsx'
import { Form, useForm, type FormState } from './form.tsx'
import { notifyDone } from './notify.ts'

const texts = defineTexts('confirm', {
  type: ['Type “{{name}}” to confirm', 'Andika “{{name}}” kuthibitisha'],
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
  /** It sends the action. */
  of: FormState
}

export function ConfirmDialog(props: Props) {
  const close = (): void => {
    props.of.reset()
    props.onClose()
  }
  return (
    <Modal opened={props.isOpen} onClose={close} title={props.title}>
      {/* Opened again, it is empty. */}
      {props.isOpen && <Question {...props} onClose={close} />}
    </Modal>
  )
}

type ActionProps = Omit<Props, 'of'> & {
  send(): Promise<unknown>
  /** What is told when it has been sent, and the dialog has closed. */
  done: string
}

/** The dialog of an action that needs no more than the confirmation. */
export function ConfirmAction({ send, done, ...dialog }: ActionProps) {
  const form = useForm({
    send: async () => {
      await send()
      dialog.onClose()
      notifyDone(done)
    },
  })
  return <ConfirmDialog {...dialog} of={form} />
}

function Question({ onClose, children, action, isDanger = false, name, isReady = true, of }: Props) {
  const say = texts.use()
  const [typed, setTyped] = useState('')
  const isAllowed = isReady && (name === undefined || typed.trim() === name)
  return (
    <Form of={{ ...of, submit: (event) => (isAllowed ? of.submit(event) : event?.preventDefault()) }}>
      {typeof children === 'string' ? <Text>{children}</Text> : children}
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
      <DialogButtons of={of} onCancel={onClose} action={action} isDanger={isDanger} isOff={!isAllowed} />
    </Form>
  )
}
