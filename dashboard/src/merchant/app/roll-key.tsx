/** Replaces a key; the old one stays valid for the chosen time. */
import { Radio, Stack, Text } from '@mantine/core'
import type { Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { keyProblemText } from './key-fields.tsx'
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
      form={(parts) => of && <Fields of={of} {...parts} />}
    />
  )
}

function Fields({ of, onClose, onMade }: { of: Key; onClose(): void; onMade(value: string): void }) {
  const say = appTexts.use()
  const roll = useAction('POST /developers/keys/{id}/roll', ['GET /developers/keys'])
  const form = useForm({
    fields: { grace: '86400' },
    send: async ({ grace }) =>
      onMade((await roll.mutateAsync({ params: { id: of.id }, body: { grace_seconds: Number(grace) } })).data.key),
    textOf: keyProblemText,
  })
  return (
    <Form of={form}>
      <Text>{say('rollText')}</Text>
      <Radio.Group label={say('grace')} {...form.control('grace')}>
        <Stack gap="xs" pt={6}>
          {graces.map(([name, seconds]) => (
            <Radio key={name} value={String(seconds)} label={say(`graces.${name}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <DialogButtons of={form} onCancel={onClose} action={say('roll')} />
    </Form>
  )
}
