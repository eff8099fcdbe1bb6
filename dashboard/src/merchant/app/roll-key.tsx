/** Gives a key a successor; the old one works on for as long as the person needs to change over. */
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { shared } from '../../ui/texts.ts'
import { KeyProblem } from './key-fields.tsx'
import { appTexts } from './texts.ts'

const graces = [
  ['now', 0],
  ['hour', 3600],
  ['day', 86_400],
  ['week', 604_800],
] as const

export function RollKey({ of, onClose }: { of: Key | undefined; onClose(): void }) {
  const say = appTexts.use()
  const [isShown, setIsShown] = useState(false)
  const end = (): void => {
    setIsShown(false)
    onClose()
  }
  return (
    <Modal
      opened={of !== undefined}
      onClose={end}
      title={isShown ? say('newKey') : say('rollTitle', { name: of?.key_name ?? '' })}
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
    >
      {of && <Steps of={of} onShown={() => setIsShown(true)} onClose={end} />}
    </Modal>
  )
}

/** The value is nowhere but here, and goes when the gate closes. */
function Steps({ of, onShown, onClose }: { of: Key; onShown(): void; onClose(): void }) {
  const say = appTexts.use()
  const [value, setValue] = useState<string>()
  if (value !== undefined) return <ShownOnce value={value} label={say('key')} onDone={onClose} />
  return (
    <Form
      of={of}
      onClose={onClose}
      onRolled={(made) => {
        setValue(made)
        onShown()
      }}
    />
  )
}

function Form({ of, onClose, onRolled }: { of: Key; onClose(): void; onRolled(value: string): void }) {
  const say = appTexts.use()
  const sayShared = shared.use()
  const [grace, setGrace] = useState('86400')
  const roll = useAction('POST /developers/keys/{id}/roll', ['GET /developers/keys'])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        roll.mutate(
          { params: { id: of.id }, body: { grace_seconds: Number(grace) } },
          { onSuccess: ({ data }) => onRolled(data.key) },
        )
      }}
    >
      <Stack>
        <Text>{say('rollText')}</Text>
        <KeyProblem error={roll.error} />
        <Radio.Group label={say('grace')} value={grace} onChange={setGrace}>
          <Stack gap="xs" pt={6}>
            {graces.map(([name, seconds]) => (
              <Radio key={name} value={String(seconds)} label={say(`graces.${name}`)} />
            ))}
          </Stack>
        </Radio.Group>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" loading={roll.isPending}>
            {say('roll')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
