/** The audit log: filters, the changes of each entry, an export that names its operator, and a check of the chain. */
import { Alert, Button, Group, Table, TextInput } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconListSearch } from '../../ui/icons.ts'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { call, download } from '../../api/call.ts'
import type { AuditChain, AuditEntry } from '../../api/operations.ts'
import { headingColumn, oppositeColumn, plainColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { dayRange } from '../../ui/days.ts'
import { DownloadButton } from '../../ui/download-button.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { notifyProblem } from '../../ui/notify.ts'
import { useActorName } from '../me.tsx'
import { NameAndId } from '../named-payment.tsx'
import type { AuditFilter } from '../searches.ts'
import { auditTexts } from './texts.ts'

function queryOf({ from, to, ...rest }: AuditFilter) {
  const { created_from, created_to } = dayRange(from, to)
  return { ...rest, ...(created_from && { from: created_from }), ...(created_to && { to: created_to }) }
}

export default function AuditScreen() {
  const say = auditTexts.use()
  const nameOf = useActorName()
  const { filter, change } = useFilter<AuditFilter>()
  const query = queryOf(filter)
  const list = useList('GET /v1/admin/audit', {
    query: { ...query, limit: 50 },
  })
  const [chain, setChain] = useState<AuditChain>()
  const [isChecking, setIsChecking] = useState(false)
  const check = async (): Promise<void> => {
    setIsChecking(true)
    try {
      setChain((await call('GET /v1/admin/audit/chain', {})).data)
    } catch (problem) {
      notifyProblem(problem)
    } finally {
      setIsChecking(false)
    }
  }
  const columns: Column<AuditEntry>[] = [
    headingColumn(say('what'), ({ action }) => <span className="code nowrap">{action}</span>),
    plainColumn(say('who'), ({ actor, actor_name: name }) =>
      name === null ? nameOf(actor) : <NameAndId name={nameOf(actor, name)} id={actor} />,
    ),
    plainColumn(say('target'), ({ object, object_name }) => <NameAndId name={object_name} id={object} />),
    { title: say('ip'), cell: ({ ip }) => ip ?? '–' },
    { title: say('change'), cell: (entry) => <Change entry={entry} /> },
    oppositeColumn(say('when'), ({ at }) => <Moment at={at} />),
  ]
  return (
    <ListScreen
      title={say('title')}
      text={say('text')}
      actions={
        <>
          <DownloadButton onFetch={() => download('GET /v1/admin/audit', { query, accept: 'text/csv' })}>
            {say('export')}
          </DownloadButton>
          <Button variant="default" onClick={() => void check()} loading={isChecking}>
            {say('check')}
          </Button>
        </>
      }
      list={list}
      columns={columns}
      rowKey={({ seq }) => String(seq)}
      none={{ icon: IconListSearch, title: say('empty') }}
    >
      {chain && (
        <Alert color={chain.ok ? 'green' : 'red'} role="status">
          {chain.ok
            ? say('whole', { from: chain.from_seq, to: chain.to_seq, hash: chain.head.hash.slice(0, 12) })
            : say('broken', { at: chain.broken_at ?? '' })}
        </Alert>
      )}
      <Filters key={JSON.stringify(filter)} filter={filter} onChange={change} />
    </ListScreen>
  )
}

const fields = ['actor', 'action', 'object', 'from', 'to'] as const
const isDay = (field: (typeof fields)[number]): boolean => field === 'from' || field === 'to'
const labels = { actor: 'who', action: 'what', object: 'target', from: 'from', to: 'to' } as const

type FiltersProps = { filter: AuditFilter; onChange(changes: { [Key in keyof AuditFilter]?: string | undefined }): void }

function Filters({ filter, onChange }: FiltersProps) {
  const say = auditTexts.use()
  const [typed, setTyped] = useState<Partial<Record<(typeof fields)[number], string>>>(filter)
  const isNarrow = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const shown = fields.flatMap((field) => {
    const value = filter[field]
    // A name or an id says what it is; a day does not.
    return value === undefined ? [] : [isDay(field) ? `${say(labels[field])} ${value}` : value]
  })
  return (
    // Five fields are half a screen of a phone: there, one line says what is shown, and opens them.
    <details open={!isNarrow}>
      <summary>{say('shown', { what: shown.join(' · ') || say('everything') })}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onChange(Object.fromEntries(fields.map((field) => [field, typed[field]?.trim() || undefined])))
        }}
      >
        <Group align="end" gap="sm">
          {fields.map((field) => (
            <TextInput
              key={field}
              label={say(labels[field])}
              type={isDay(field) ? 'date' : 'text'}
              value={typed[field] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget
                setTyped((now) => ({ ...now, [field]: value }))
              }}
              spellCheck={false}
              autoCapitalize="none"
            />
          ))}
          <Button type="submit">{say('filter')}</Button>
          {Object.keys(filter).length > 0 && (
            <Button
              variant="default"
              onClick={() => onChange({ actor: undefined, action: undefined, object: undefined, from: undefined, to: undefined })}
            >
              {say('clear')}
            </Button>
          )}
        </Group>
      </form>
    </details>
  )
}

const written = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)

/** The changed fields only. */
function Change({ entry: { before, after, seq } }: { entry: AuditEntry }) {
  const say = auditTexts.use()
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const changed = names.filter((name) => written(before?.[name]) !== written(after?.[name]))
  if (changed.length === 0) {
    return <Note>{say('nothing')}</Note>
  }
  return (
    <details>
      <summary>{say('details')}</summary>
      <Table aria-label={`${say('change')}: ${seq}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say('field')}</Table.Th>
            <Table.Th scope="col">{say('before')}</Table.Th>
            <Table.Th scope="col">{say('after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changed.map((name) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" className="code">
                {name}
              </Table.Th>
              <Table.Td className="code">{written(before?.[name])}</Table.Td>
              <Table.Td className="code">{written(after?.[name])}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  )
}
