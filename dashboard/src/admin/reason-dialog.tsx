/** Asks for the reason that every action of an operator on others needs; errors of the API are shown inside. */
import { Modal, Text, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { optional } from '../ui/texts.ts'
import { DialogButtons } from '../ui/dialog-buttons.tsx'
import { Form, useForm } from '../ui/form.tsx'

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
  onConfirm(sentence: string): Promise<unknown>
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
  const { onClose, children, label, action, isDanger = false, isOptional = false, maxLength = 300 } = props
  const form = useForm({ fields: { sentence: '' }, send: ({ sentence }) => props.onConfirm(sentence.trim()) })
  return (
    <Form of={form}>
      {typeof children === 'string' ? <Text>{children}</Text> : children}
      <Textarea
        label={isOptional ? optional(label) : label}
        {...form.field('sentence')}
        maxLength={maxLength}
        rows={3}
        data-autofocus
      />
      <DialogButtons
        of={form}
        onCancel={onClose}
        action={action}
        isDanger={isDanger}
        isOff={!isOptional && form.values.sentence.trim() === ''}
      />
    </Form>
  )
}
