/** Deletes saved filters, one by one. */
import { ActionIcon, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useRef } from 'react'
import { useAction } from '../../api/queries.ts'
import { IconTrash } from '../../ui/icons.ts'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import type { FilteredList } from '../list-filter.ts'
import { savedFilterTexts } from './texts.ts'

type Props = { list: FilteredList; saved: readonly { id: string; name: string }[]; onClose(): void }

export default function DeleteDialog({ list, saved, onClose }: Props) {
  const say = savedFilterTexts.use()
  const { query } = useAccount()
  const close = useRef<HTMLButtonElement>(null)
  const remove = useAction(`DELETE /v1/merchant/saved-filters/${list}/{filter_id}`, [`GET /v1/merchant/saved-filters/${list}`])
  const removeOne = ({ id, name }: { id: string; name: string }): void =>
    remove.mutate(
      { params: { filter_id: id }, query },
      {
        onSuccess: () => {
          // Its button is gone.
          close.current?.focus()
          notifyDone(say('removed', { name }))
        },
        onError: notifyProblem,
      },
    )
  return (
    <Modal opened onClose={onClose} title={say('remove')}>
      <Stack gap="xs">
        {saved.map((one) => (
          <Group key={one.id} justify="space-between" wrap="nowrap">
            <Text miw={0} style={{ overflowWrap: 'anywhere' }}>
              {one.name}
            </Text>
            <ActionIcon aria-label={say('removeOne', { name: one.name })} onClick={() => removeOne(one)}>
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {saved.length === 0 && <Text c="dimmed">{say('none')}</Text>}
        <Group justify="end">
          <Button ref={close} variant="default" onClick={onClose} data-autofocus>
            {say('close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
