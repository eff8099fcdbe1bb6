/** Changes the name and the allowed addresses of a key. */
import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { changesOf } from '../../ui/changes-of.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { AddressesField, addressesIn, KeyNameField, keyProblems } from './key-fields.tsx'
import { appTexts } from './texts.ts'

export function EditKey({ of, onClose }: { of: Key | undefined; onClose(): void }) {
  const say = appTexts.use()
  return (
    <Modal opened={of !== undefined} onClose={onClose} title={say('edit')}>
      {of && <Fields of={of} onClose={onClose} />}
    </Modal>
  )
}

function Fields({ of, onClose }: { of: Key; onClose(): void }) {
  const say = appTexts.use()
  const change = useAction('PATCH /developers/keys/{id}', ['GET /developers/keys'])
  const [first] = useState({ key_name: of.key_name, allowed_ips: of.allowed_ips })
  const form = useForm({
    fields: { ...first, allowed_ips: first.allowed_ips.join('\n') },
    required: ['key_name'],
    send: async (values) => {
      const body = changesOf(first, { ...values, allowed_ips: addressesIn(values.allowed_ips) })
      await change.mutateAsync({ params: { id: of.id }, body })
      onClose()
      notifyDone(say('saved'))
    },
    problemsOf: keyProblems,
  })
  return (
    <Form of={form}>
      <KeyNameField {...form.field('key_name')} />
      <AddressesField {...form.field('allowed_ips')} />
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}
