/** The menu of the filters that the person has saved for a list. They are read when it is opened first: the list does not wait for them. */
import { ActionIcon, Menu } from '@mantine/core'
import { lazy, Suspense, useRef, useState } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { IconBookmark, IconCheck, IconPlus, IconTrash } from '../../ui/icons.ts'
import { problemText } from '../../ui/problem-text.ts'
import { useAccount } from '../account.ts'
import type { FilteredList } from '../list-filter.ts'
import { isSet, toAddress, type AnyFilter } from './saved-fields.ts'
import { savedFilterTexts } from './texts.ts'

const SaveDialog = lazy(() => import('./save-dialog.tsx'))
const DeleteDialog = lazy(() => import('./delete-dialog.tsx'))

type Props = { list: FilteredList; filter: AnyFilter; onChoose(filter: AnyFilter): void }

export function SavedFilters({ list, filter, onChoose }: Props) {
  const say = savedFilterTexts.use()
  const { query } = useAccount()
  const [isOpen, setIsOpen] = useState(false)
  const [dialog, setDialog] = useState<'save' | 'delete'>()
  const button = useRef<HTMLButtonElement>(null)
  const { data, error } = useAnswer(
    `GET /v1/merchant/saved-filters/${list}`,
    { query },
    { isWanted: isOpen || dialog !== undefined },
  )
  const saved = data?.data
  // The item or the dialog that had the focus is gone.
  const close = (): void => {
    setDialog(undefined)
    button.current?.focus()
  }
  const state = error && !saved ? problemText(error) : saved === undefined ? say('loading') : say('none')
  return (
    <>
      <Menu position="bottom-end" width={270} opened={isOpen} onChange={setIsOpen}>
        <Menu.Target>
          <ActionIcon ref={button} variant="default" size={42} aria-label={say('saved')} title={say('saved')}>
            <IconBookmark size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown mah="min(26rem, 70vh)" style={{ overflowY: 'auto' }}>
          <Menu.Label>{say('saved')}</Menu.Label>
          {saved?.map(({ id, name, filter: kept }) => (
            <Menu.Item
              key={id}
              style={{ overflowWrap: 'anywhere' }}
              {...(isSet(kept, filter) && { 'aria-current': true, rightSection: <IconCheck size={16} aria-hidden /> })}
              onClick={() => {
                button.current?.focus()
                onChoose(toAddress(kept))
              }}
            >
              {name}
            </Menu.Item>
          ))}
          {!saved?.length && <Menu.Label role="status">{state}</Menu.Label>}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('save')}>
            {say('save')}
          </Menu.Item>
          {saved !== undefined && saved.length > 0 && (
            <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => setDialog('delete')}>
              {say('remove')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {dialog === 'save' && (
          <SaveDialog list={list} filter={filter} names={saved?.map(({ name }) => name) ?? []} onClose={close} />
        )}
        {dialog === 'delete' && <DeleteDialog list={list} saved={saved ?? []} onClose={close} />}
      </Suspense>
    </>
  )
}
