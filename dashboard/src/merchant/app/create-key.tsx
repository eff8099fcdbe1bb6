/** Makes a key, and shows its value this once. */
import { Alert, Button, Checkbox, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import type { App, Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { shared } from '../../ui/texts.ts'
import { AddressesField, addressesIn, addressProblem, KeyNameField } from './key-fields.tsx'
import { appTexts } from './texts.ts'

type Scope = Key['scopes'][number]

const scopes: readonly Scope[] = [
  'pages:read',
  'pages:write',
  'transactions:read',
  'balance:read',
  'profile:read',
  'payouts:read',
  'payouts:write',
]

/** What most programs need; money out is never among it. */
const usualScopes: readonly Scope[] = ['pages:read', 'pages:write', 'transactions:read', 'balance:read']

type Props = { app: App; isOpen: boolean; onClose(): void }

export function CreateKey({ app, isOpen, onClose }: Props) {
  const say = appTexts.use()
  const [value, setValue] = useState<string>()
  const isShown = value !== undefined
  const end = (): void => {
    setValue(undefined)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={end}
      title={say(isShown ? 'newKey' : 'createKey')}
      // Nothing but the person's word closes the only sight of it.
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
    >
      {isShown ? (
        <ShownOnce value={value} label={say('key')} onDone={end} />
      ) : (
        isOpen && <Form app={app} onClose={end} onMade={setValue} />
      )}
    </Modal>
  )
}

function Form({ app, onClose, onMade }: { app: App; onClose(): void; onMade(value: string): void }) {
  const say = appTexts.use()
  const sayShared = shared.use()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>([...usualScopes])
  const [addresses, setAddresses] = useState('')
  const [isScopeMissing, setIsScopeMissing] = useState(false)
  const create = useAction('POST /developers/keys', ['GET /developers/keys'])
  const problems = fieldProblems(create.error)

  const send = (): void => {
    setIsScopeMissing(chosen.length === 0)
    if (chosen.length === 0) return
    const body = {
      app_id: app.id,
      key_name: name,
      scopes: scopes.filter((scope) => chosen.includes(scope)),
      allowed_ips: addressesIn(addresses),
    }
    create.mutate({ body }, { onSuccess: ({ data }) => onMade(data.key) })
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Stack>
        {create.error && Object.keys(problems).length === 0 && (
          <Alert color="red" role="alert">
            {problemText(create.error)}
          </Alert>
        )}
        <KeyNameField value={name} onChange={setName} error={problems['key_name']} />
        <Checkbox.Group
          label={say('scopes')}
          value={chosen}
          onChange={setChosen}
          error={isScopeMissing ? say('someScope') : problems['scopes']}
        >
          <Stack gap="xs" pt={6}>
            {scopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={say(`scope.${scope}`)} description={scope} />
            ))}
          </Stack>
        </Checkbox.Group>
        <AddressesField value={addresses} onChange={setAddresses} error={addressProblem(problems)} />
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {say('createKey')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
