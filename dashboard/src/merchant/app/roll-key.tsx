/** Replaces a key; the old one stays valid for the chosen time. */
import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { shared } from '../../ui/texts.ts'
import { KeyProblem } from './key-fields.tsx'
import { KeyValueDialog } from './key-value-dialog.tsx'
import { appTexts } from './texts.ts'

const graces = [
  ['now', 0],
  ['hour', 3600],
  ['day', 86_400],
  ['week', 604_800],
] as const

export function RollKey({ of, onClose }: { of: Key | undefined; onClose(): void }) {
  const say = appTexts.use()
  return (
    <KeyValueDialog
      title={say('rollTitle', { name: of?.key_name ?? '' })}
      isOpen={of !== undefined}
      onClose={onClose}
      form={(parts) => of && <Form of={of} {...parts} />}
    />
  )
}

function Form({ of, onClose, onMade }: { of: Key; onClose(): void; onMade(value: string): void }) {
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
          { onSuccess: ({ data }) => onMade(data.key) },
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
