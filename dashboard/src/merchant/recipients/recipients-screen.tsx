/** The recipients that a wallet pays: found by name or number, added, renamed, deleted, and paid. */
import { RowLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { Recipient } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { ActionsMenu } from '../../ui/actions-menu.tsx'
import { oppositeFigureColumn, figureColumn, headingColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { AboveRow, type Column, type Columns } from '../../ui/data-table.tsx'
import { count, phoneText } from '../../ui/format.ts'
import { IconPencil, IconPlus, IconTrash, IconUser } from '../../ui/icons.ts'
import { useFilter } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { searchedText } from '../../ui/searched-text.ts'
import { useTyped } from '../../ui/typed.ts'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { WalletNav } from '../wallet-nav.tsx'
import { AddDialog, DeleteDialog, RenameDialog } from './dialogs.tsx'
import { recipientsTexts } from './texts.ts'

/** A count that stands for as many or more. */
const countedPayouts = 1_000

type Choose = { rename(recipient: Recipient): void; remove(recipient: Recipient): void }

function useColumns(mayChange: boolean, { rename, remove }: Choose): Columns<Recipient> {
  const say = recipientsTexts.use()
  const actions: Column<Recipient> = oppositeFigureColumn(say('change'), (recipient) => (
    <AboveRow>
      <ActionsMenu
        label={say('actions', { name: recipient.name })}
        actions={[
          { text: say('rename'), icon: IconPencil, onChoose: () => rename(recipient) },
          { text: say('delete'), icon: IconTrash, onChoose: () => remove(recipient) },
        ]}
      />
    </AboveRow>
  ))
  return [
    headingColumn(
      say('name'),
      ({ id, name }) =>
        mayChange ? (
          <RowLink to="./payouts/new" search={{ to: id }} title={say('pay')}>
            {name}
          </RowLink>
        ) : (
          <Text span fw={550}>
            {name}
          </Text>
        ),
      ({ phone_number, network }) => (
        <span className="figures">
          <span className="nowrap">{phoneText(phone_number)}</span>
          {network !== null && <span className="nowrap"> · {say(`network.${network}`)}</span>}
        </span>
      ),
    ),
    {
      title: say('lastPaid'),
      cell: ({ name, last_paid_at: at, last_paid_name: as }) =>
        at === null ? (
          <Note>{say('never')}</Note>
        ) : (
          <>
            <Moment at={at} ago />
            {as !== null && as !== name && <Note>{say('as', { name: as })}</Note>}
          </>
        ),
    },
    figureColumn(say('times'), ({ paid_count: times }) => (
      <span className="figures">{times >= countedPayouts ? say('atLeast', { count: count(times) }) : count(times)}</span>
    )),
    mayChange && actions,
  ]
}

export default function RecipientsScreen() {
  const say = recipientsTexts.use()
  const { query } = useAccount()
  const { q, cursor } = useSearch({ from: '/signed-in/$owner/$environment/payouts/recipients' })
  const can = useCan()
  const mayChange = can('payouts.write') === true
  const wanted = searchedText(q)
  const recipients = useList('GET /v1/merchant/recipients', {
    query: { ...query, limit: 25, ...(wanted !== undefined && { q: wanted }) },
  })
  const { change } = useFilter<{ q?: string }>()
  const search = useTyped(q, (text) => change({ q: text || undefined }))
  const [isAdding, { open, close }] = useDisclosure()
  const [renamed, rename] = useState<Recipient>()
  const [removed, remove] = useState<Recipient>()
  const columns = useColumns(mayChange, { rename, remove })
  const add = mayChange && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      {say('add')}
    </Button>
  )
  return (
    <ListScreen
      title={say('title')}
      nav={<WalletNav of="payouts" />}
      text={say('text')}
      actions={add}
      list={recipients}
      columns={columns}
      rowKey={({ id }) => id}
      noneYet={{ title: say('noneYet'), text: say('noneYetText'), action: say('lookOn') }}
      noneFound={(wanted !== undefined || cursor !== undefined) && { title: say('noneFound'), text: say('noneFoundText') }}
      none={{ icon: IconUser, title: say('none'), text: say('noneText'), action: add }}
    >
      <SearchField label={say('search')} value={search.value ?? ''} onChange={search.onChange} />
      <AddDialog isOpen={isAdding} onClose={close} />
      <RenameDialog recipient={renamed} onClose={() => rename(undefined)} />
      <DeleteDialog recipient={removed} onClose={() => remove(undefined)} />
    </ListScreen>
  )
}
