/** Adds, renames and deletes a recipient. */
import { Modal, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Recipient } from '../../api/operations.ts'
import { isRefusal } from '../../api/call.ts'
import { useAction } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, needed, useForm } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems } from '../../ui/problem-text.ts'
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
  const [name, setName] = useState('')
  const [phone, setPhone] = useState('')
  const add = useAction('POST /v1/merchant/recipients', changed)
  const form = useForm({
    check: () => needed({ name, phone_number: phone }),
    send: async (idempotencyKey) => {
      const body = { name: name.trim(), phone_number: phone }
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
        required
        withAsterisk={false}
        autoComplete="off"
        maxLength={120}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={form.problems['name']}
      />
      <TextInput
        label={say('phone')}
        description={say('phoneHint')}
        required
        withAsterisk={false}
        inputMode="tel"
        autoComplete="off"
        maxLength={40}
        value={phone}
        onChange={({ currentTarget }) => setPhone(currentTarget.value)}
        error={form.problems['phone_number']}
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
  const [name, setName] = useState(recipient.name)
  const rename = useAction('PATCH /v1/merchant/recipients/{id}', changed)
  const form = useForm({
    check: () => needed({ name }),
    send: async () => {
      await rename.mutateAsync({ params: { id: recipient.id }, query, body: { name: name.trim() } })
      onClose()
      notifyDone(say('renamed'))
    },
  })
  return (
    <Form of={form}>
      <TextInput
        label={say('name')}
        required
        withAsterisk={false}
        autoComplete="off"
        maxLength={120}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={form.problems['name']}
      />
      <Text c="dimmed">{say('renameText', { phone: recipient.phone_number })}</Text>
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}

export function DeleteDialog({ recipient, onClose }: OneProps) {
  const say = recipientsTexts.use()
  const { query } = useAccount()
  const remove = useAction('DELETE /v1/merchant/recipients/{id}', changed)
  const form = useForm({
    send: async () => {
      if (!recipient) return
      await remove.mutateAsync({ params: { id: recipient.id }, query })
      onClose()
      notifyDone(say('deleted', { name: recipient.name }))
    },
  })
  return (
    <ConfirmDialog
      isOpen={recipient !== undefined}
      onClose={onClose}
      title={say('delete')}
      action={say('delete')}
      isDanger
      of={form}
    >
      {recipient ? say('deleteText', { name: recipient.name }) : ''}
    </ConfirmDialog>
  )
}
