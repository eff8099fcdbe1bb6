/** Saves the filter that is set under a name. */
import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { useAction } from '../../api/queries.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, needed, useForm } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import type { FilteredList } from '../list-filter.ts'
import { toSaved, type AnyFilter, type AnySaved } from './saved-fields.ts'
import { savedFilterTexts } from './texts.ts'

type Props = {
  list: FilteredList
  filter: AnyFilter
  /** Those that are taken. */
  names: readonly string[]
  onClose(): void
}

const longestName = 40

export default function SaveDialog(props: Props) {
  const say = savedFilterTexts.use()
  const fields = toSaved(props.filter)
  const isNothing = Object.keys(fields).length === 0
  return (
    <Modal opened onClose={props.onClose} title={say('save')}>
      {isNothing ? (
        <>
          <Text size="sm">{say('nothingSet')}</Text>
          <Group justify="end" mt="md">
            <Button variant="default" onClick={props.onClose} data-autofocus>
              {say('close')}
            </Button>
          </Group>
        </>
      ) : (
        <NameForm {...props} fields={fields} />
      )}
    </Modal>
  )
}

function NameForm({ list, filter, names, fields, onClose }: Props & { fields: AnySaved }) {
  const say = savedFilterTexts.use()
  const { query } = useAccount()
  const save = useAction(`PUT /v1/merchant/saved-filters/${list}`, [`GET /v1/merchant/saved-filters/${list}`])
  const form = useForm({
    fields: { name: '' },
    check: ({ name }) => needed({ name }),
    send: async (values) => {
      const name = values.name.trim()
      // Each list has only fields of its own.
      await save.mutateAsync({ query, body: { name, filter: fields as never } })
      onClose()
      notifyDone(say('done', { name }))
    },
  })
  return (
    <Form of={form}>
      <Text size="sm">{say('text', { count: Object.keys(fields).length })}</Text>
      {filter.q !== undefined && <Text size="sm">{say('noSearch')}</Text>}
      <TextInput
        label={say('name')}
        maxLength={longestName}
        autoComplete="off"
        {...(names.includes(form.values.name.trim()) && { description: say('replaces') })}
        {...form.field('name')}
        data-autofocus
      />
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}
