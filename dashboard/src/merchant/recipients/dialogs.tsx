/** Adds, renames and deletes a recipient. */
import { phoneText } from '../../ui/format.ts'
import { Modal, Text, TextInput } from '@mantine/core'
import type { Recipient } from '../../api/operations.ts'
import { isRefusal } from '../../api/call.ts'
import { useAction } from '../../api/queries.ts'
import { ConfirmAction } from '../../ui/confirm-dialog.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems } from '../../ui/problem-text.ts'
import { Unbroken } from '../../ui/unbroken.tsx'
import { useAccount } from '../account.ts'
import { recipientsTexts } from './texts.ts'

const changed = ['GET /v1/merchant/recipients'] as const

type DialogProps = { isOpen: boolean; onClose(): void }

export function AddDialog({ isOpen, onClose }: DialogProps) {
  const say = recipientsTexts.use()
  return (
    <Modal opened={isOpen} onClose={onClose} title={say('add')}>
      {isOpen && <AddForm onClose={onClose} />}
    </Modal>
  )
}

function AddForm({ onClose }: { onClose(): void }) {
  const say = recipientsTexts.use()
  const { query } = useAccount()
  const add = useAction('POST /v1/merchant/recipients', changed)
  const form = useForm({
    fields: { name: '', phone_number: '' },
    required: ['name', 'phone_number'],
    send: async (values, idempotencyKey) => {
      const body = { ...values, name: values.name.trim() }
      const { data } = await add.mutateAsync({ query, body, idempotencyKey })
      onClose()
      notifyDone(say('added', { name: data.name }))
    },
    problemsOf: (error) => (isRefusal(error, 'recipient_exists') ? { phone_number: say('exists') } : fieldProblems(error)),
  })
  return (
    <Form of={form}>
      <TextInput
        label={say('name')}
        description={say('nameHint')}
        autoComplete="off"
        maxLength={120}
        data-autofocus
        {...form.field('name')}
      />
      <TextInput
        label={say('phone')}
        description={<Unbroken text={say('phoneHint')} />}
        inputMode="tel"
        autoComplete="off"
        maxLength={40}
        {...form.field('phone_number')}
      />
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}

type OneProps = { recipient: Recipient | undefined; onClose(): void }

export function RenameDialog({ recipient, onClose }: OneProps) {
  const say = recipientsTexts.use()
  return (
    <Modal opened={recipient !== undefined} onClose={onClose} title={say('rename')}>
      {recipient && <RenameForm recipient={recipient} onClose={onClose} />}
    </Modal>
  )
}

function RenameForm({ recipient, onClose }: { recipient: Recipient; onClose(): void }) {
  const say = recipientsTexts.use()
  const { query } = useAccount()
  const rename = useAction('PATCH /v1/merchant/recipients/{id}', changed)
  const form = useForm({
    fields: { name: recipient.name },
    required: ['name'],
    send: async ({ name }) => {
      await rename.mutateAsync({ params: { id: recipient.id }, query, body: { name: name.trim() } })
      onClose()
      notifyDone(say('renamed'))
    },
  })
  return (
    <Form of={form}>
      <TextInput label={say('name')} autoComplete="off" maxLength={120} data-autofocus {...form.field('name')} />
      <Text c="dimmed">{say('renameText', { phone: phoneText(recipient.phone_number) })}</Text>
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}

export function DeleteDialog({ recipient, onClose }: OneProps) {
  const say = recipientsTexts.use()
  const { query } = useAccount()
  const remove = useAction('DELETE /v1/merchant/recipients/{id}', changed)
  return (
    <ConfirmAction
      isOpen={recipient !== undefined}
      onClose={onClose}
      title={say('delete')}
      action={say('delete')}
      isDanger
      send={() => remove.mutateAsync({ params: { id: recipient!.id }, query })}
      done={say('deleted', { name: recipient?.name ?? '' })}
    >
      {recipient ? say('deleteText', { name: recipient.name }) : ''}
    </ConfirmAction>
  )
}
