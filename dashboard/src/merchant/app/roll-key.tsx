/** Gives a key a successor; the old one works on for as long as the person needs to change over. */
import { Alert, Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { problemText } from '../../ui/problem-text.ts'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { shared } from '../../ui/texts.ts'
import { appTexts } from './texts.ts'

const graces = [
  ['now', 0],
  ['hour', 3600],
  ['day', 86_400],
  ['week', 604_800],
] as const

export function RollKey({ of, onClose }: { of: Key | undefined; onClose(): void }) {
  const say = appTexts.use()
  const [value, setValue] = useState<string>()
  const isShown = value !== undefined
  const end = (): void => {
    setValue(undefined)
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
      {isShown ? (
        <ShownOnce value={value} label={say('key')} onDone={end} />
      ) : (
        of && <Form of={of} onClose={end} onRolled={setValue} />
      )}
    </Modal>
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
        {roll.error && (
          <Alert color="red" role="alert">
            {problemText(roll.error)}
          </Alert>
        )}
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
