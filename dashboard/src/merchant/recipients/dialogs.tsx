/** Adds, renames and deletes a recipient. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Recipient } from '../../api/operations.ts'
import { isRefusal } from '../../api/call.ts'
import { useAction } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { newIdempotencyKey } from '../../ui/submission.ts'
import { shared } from '../../ui/texts.ts'
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
  const sayShared = shared.use()
  const { query } = useAccount()
  const [name, setName] = useState('')
  const [phone, setPhone] = useState('')
  const [idempotencyKey] = useState(newIdempotencyKey)
  const add = useAction('POST /v1/merchant/recipients', changed)
  const problems = fieldProblems(add.error)
  const phoneProblem = isRefusal(add.error, 'recipient_exists') ? say('exists') : problems['phone_number']
  const isElsewhere = add.error && phoneProblem === undefined && problems['name'] === undefined
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const body = { name: name.trim(), phone_number: phone }
        add.mutate(
          { query, body, idempotencyKey },
          {
            onSuccess: ({ data }) => {
              onClose()
              notifyDone(say('added', { name: data.name }))
            },
          },
        )
      }}
    >
      <Stack>
        <FormProblem text={isElsewhere ? problemText(add.error) : undefined} />
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
          error={problems['name']}
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
          error={phoneProblem}
        />
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {sayShared('save')}
          </Button>
        </Group>
      </Stack>
    </form>
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
  const sayShared = shared.use()
  const { query } = useAccount()
  const [name, setName] = useState(recipient.name)
  const rename = useAction('PATCH /v1/merchant/recipients/{id}', changed)
  const problem = fieldProblems(rename.error)['name']
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate(
          { params: { id: recipient.id }, query, body: { name: name.trim() } },
          {
            onSuccess: () => {
              onClose()
              notifyDone(say('renamed'))
            },
          },
        )
      }}
    >
      <Stack>
        <FormProblem text={rename.error && problem === undefined ? problemText(rename.error) : undefined} />
        <TextInput
          label={say('name')}
          required
          withAsterisk={false}
          autoComplete="off"
          maxLength={120}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={problem}
        />
        <Text c="dimmed">{say('renameText', { phone: recipient.phone_number })}</Text>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" loading={rename.isPending}>
            {sayShared('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export function DeleteDialog({ recipient, onClose }: OneProps) {
  const say = recipientsTexts.use()
  const { query } = useAccount()
  const remove = useAction('DELETE /v1/merchant/recipients/{id}', changed)
  const close = (): void => {
    remove.reset()
    onClose()
  }
  return (
    <ConfirmDialog
      isOpen={recipient !== undefined}
      onClose={close}
      title={say('delete')}
      action={say('delete')}
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (!recipient) return
        remove.mutate(
          { params: { id: recipient.id }, query },
          {
            onSuccess: () => {
              close()
              notifyDone(say('deleted', { name: recipient.name }))
            },
          },
        )
      }}
    >
      {recipient ? say('deleteText', { name: recipient.name }) : ''}
    </ConfirmDialog>
  )
}
