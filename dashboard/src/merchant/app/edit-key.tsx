/** Changes the name and the allowed addresses of a key. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { FormProblem } from '../../ui/form-problem.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { shared } from '../../ui/texts.ts'
import { AddressesField, addressesIn, addressProblem, KeyNameField } from './key-fields.tsx'
import { appTexts } from './texts.ts'

export function EditKey({ of, onClose }: { of: Key | undefined; onClose(): void }) {
  const say = appTexts.use()
  return (
    <Modal opened={of !== undefined} onClose={onClose} title={say('edit')}>
      {of && <Form of={of} onClose={onClose} />}
    </Modal>
  )
}

function Form({ of, onClose }: { of: Key; onClose(): void }) {
  const say = appTexts.use()
  const sayShared = shared.use()
  const [name, setName] = useState(of.key_name)
  const [addresses, setAddresses] = useState(of.allowed_ips.join('\n'))
  const change = useAction('PATCH /developers/keys/{id}', ['GET /developers/keys'])
  const problems = fieldProblems(change.error)
  const send = (): void =>
    change.mutate(
      { params: { id: of.id }, body: { key_name: name, allowed_ips: addressesIn(addresses) } },
      {
        onSuccess: () => {
          onClose()
          notifyDone(say('saved'))
        },
      },
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Stack>
        {change.error && Object.keys(problems).length === 0 && <FormProblem text={problemText(change.error)} />}
        <KeyNameField value={name} onChange={setName} error={problems['key_name']} />
        <AddressesField value={addresses} onChange={setAddresses} error={addressProblem(problems)} />
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {sayShared('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
