/** Changes the name and the allowed addresses of a key. */
import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, needed, useForm } from '../../ui/form.tsx'
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
  const [name, setName] = useState(of.key_name)
  const [addresses, setAddresses] = useState(of.allowed_ips.join('\n'))
  const change = useAction('PATCH /developers/keys/{id}', ['GET /developers/keys'])
  const form = useForm({
    check: () => needed({ key_name: name }),
    send: async () => {
      await change.mutateAsync({ params: { id: of.id }, body: { key_name: name, allowed_ips: addressesIn(addresses) } })
      onClose()
      notifyDone(say('saved'))
    },
    problemsOf: keyProblems,
  })
  const { problems } = form
  return (
    <Form of={form}>
      <KeyNameField value={name} onChange={setName} error={problems['key_name']} />
      <AddressesField value={addresses} onChange={setAddresses} error={problems['allowed_ips']} />
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}
