/** Finds anything by a name, a number or a reference that people quote. */
import { Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { IconSearch } from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Operations, OperatorSearchResult } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useDraft } from '../../ui/draft.ts'
import { oppositeFigureColumn, headingColumn, momentColumn } from '../../ui/columns.tsx'
import { phoneText } from '../../ui/format.ts'
import { ListRows } from '../../ui/list-screen.tsx'
import { Screen } from '../../ui/screen.tsx'
import { AboveRow, RowLink, type Column } from '../../ui/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import { ofPayments } from '../../ui/payment-texts.ts'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { Facts } from '../facts.tsx'
import { useMyId } from '../me.tsx'
import { searchTexts } from './texts.ts'

function ResultLink({ found: { type, id, title, merchant } }: { found: OperatorSearchResult }) {
  if (type === 'payment') {
    return (
      <RowLink to="/payments/$reference" params={{ reference: id }}>
        {title}
      </RowLink>
    )
  }
  if (type === 'payout') {
    return (
      <RowLink to="/payouts/$id" params={{ id }}>
        {title}
      </RowLink>
    )
  }
  if (type === 'support_case') {
    return (
      <RowLink to="/support-cases/$id" params={{ id }}>
        {title}
      </RowLink>
    )
  }
  return (
    <RowLink to="/merchants/$id" params={{ id: merchant?.id ?? id }}>
      {title}
    </RowLink>
  )
}

type Read = NonNullable<Operations['POST /v1/admin/search']['answer']['message']>

/** What was read in a pasted message, so that a wrong reading is seen. */
function ReadMessage({ read: { number, amount, phone_numbers } }: { read: Read }) {
  const say = searchTexts.use()
  return (
    <Paper p="md" component="section" aria-label={say('message')}>
      <Text fw={600} mb={6}>
        {say('message')}
      </Text>
      <Facts
        facts={[
          [say('networkReceipt'), number],
          [say('amount'), amount === null ? null : <Money key="amount" amount={amount} />],
          [say('phone'), phone_numbers.length === 0 ? null : phone_numbers.map(phoneText).join(', ')],
        ]}
      />
    </Paper>
  )
}

export default function SearchScreen() {
  const me = useMyId()
  return me === undefined ? null : <Search of={me} />
}

/** The text is never part of the address, which browsers and proxies keep: it may be a message with names and numbers. */
function Search({ of }: { of: string }) {
  const say = searchTexts.use()
  const sayOfPayment = ofPayments.use()
  const sought = useDraft(`search ${of}`, { q: '' }, { survivesReload: true })
  const { q } = sought.value
  const [typed, setTyped] = useState(q)
  const list = useAnswer('POST /v1/admin/search', { body: { q } }, { isWanted: q !== '' })
  const columns: Column<OperatorSearchResult>[] = [
    headingColumn(say('what'), (found) => <ResultLink found={found} />),
    {
      title: say('status'),
      cell: ({ type, status }) => {
        const key = `status.${status}` as const
        const word = type === 'payment' && ofPayments.has(key) ? sayOfPayment(key) : say(key)
        return `${say(`kind.${type}`)} · ${word}`
      },
    },
    { title: say('foundBy'), cell: ({ found_by }) => say(`way.${found_by}`) },
    {
      title: say('note'),
      cell: ({ type, detail }) =>
        type === 'support_case' && detail !== null ? (
          <AboveRow>
            <Link to="/payments/$reference" params={{ reference: detail }}>
              {say('payment')}
            </Link>
          </AboveRow>
        ) : (
          // Of money it is the number of a phone.
          <span className={type === 'payment' || type === 'payout' ? 'nowrap' : undefined}>{detail ?? '–'}</span>
        ),
    },
    {
      title: say('whose'),
      cell: ({ merchant }) =>
        merchant && (
          <AboveRow>
            <Link to="/merchants/$id" params={{ id: merchant.id }}>
              {merchant.name}
            </Link>
          </AboveRow>
        ),
    },
    { title: say('money'), cell: ({ environment }) => environment && <EnvironmentBadge environment={environment} /> },
    momentColumn(say('when'), ({ created_at }) => created_at),
    oppositeFigureColumn(say('amount'), ({ amount }) => amount !== null && <Money amount={amount} />),
  ]
  return (
    <Screen title={say('title')}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          sought.change({ q: typed.trim() })
        }}
      >
        <Group align="end">
          <TextInput
            label={say('label')}
            description={say('hint')}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            // A message has several lines, which this field would join without a space.
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text')
              if (!/\n/.test(pasted)) return
              event.preventDefault()
              const { selectionStart, selectionEnd, value } = event.currentTarget
              const line = pasted.trim().replaceAll(/\s+/g, ' ')
              setTyped(value.slice(0, selectionStart ?? 0) + line + value.slice(selectionEnd ?? value.length))
            }}
            maxLength={1000}
            type="search"
            autoFocus
            maw={520}
            miw={{ base: '100%', xs: 0 }}
            flex={1}
          />
          <Button type="submit" leftSection={<IconSearch size={16} aria-hidden />} disabled={typed.trim() === ''}>
            {say('find')}
          </Button>
        </Group>
      </form>
      {q !== '' && list.data?.message && <ReadMessage read={list.data.message} />}
      {q !== '' && list.data && (
        <Text size="sm" role="status">
          {say(list.data.data.length === 0 ? 'maybe' : 'understood', {
            what: list.data.understood_as.map((way) => say(`way.${way}`)).join(', '),
          })}
        </Text>
      )}
      {q !== '' && (
        <ListRows
          label={say('title')}
          list={list}
          columns={columns}
          rowKey={({ type, id }) => `${type} ${id}`}
          none={{ icon: IconSearch, title: say('empty'), text: say('emptyText') }}
        />
      )}
    </Screen>
  )
}
