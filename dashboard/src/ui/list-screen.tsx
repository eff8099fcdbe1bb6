/** A screen that is a list: it reads a page of the rows, says why there is none, and leads to older ones. */
import { Button } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer, Input, OperationKey } from '../api/call.ts'
import { useAnswer, type Reading } from '../api/queries.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { EmptyState } from './empty-state.tsx'
import { IconSearchOff, type Icon } from './icons.ts'
import { useListPages } from './list-search.ts'
import { Screen, Section, type ScreenProps } from './screen.tsx'

/** Rows, as `useAnswer` gives them, or `useList` with the way to other pages. */
export type ReadRows<Row> = {
  data: { data: readonly Row[]; has_more?: boolean } | undefined
  error: unknown
  refetch(): unknown
  /** The rows are of the page before. */
  isPlaceholderData?: boolean
  onOlder?: (() => void) | undefined
  onNewest?: (() => void) | undefined
}

type ListKey = {
  [Key in OperationKey]: Answer<Key> extends { has_more: boolean; next_cursor: string | null } ? Key : never
}[OperationKey]

/** Reads the page of a list at which the address is. */
export function useList<Key extends ListKey>(key: Key, input: Input<Key>, reading?: Reading) {
  const { cursor }: { cursor?: string } = useSearch({ strict: false })
  const asked = cursor === undefined ? input : { ...input, query: { ...(input as { query?: object }).query, cursor } }
  const { data, error, refetch, isPlaceholderData } = useAnswer(key, asked as Input<Key>, reading)
  return { ...useListPages(data as never), data, error, refetch, isPlaceholderData }
}

export type Nothing = { icon: Icon; title: string; text?: string; action?: ReactNode }

type EmptyProps = {
  /** Why the whole list is empty. */
  none?: Nothing
  /** Why a filter matches nothing; undefined or false without a filter. */
  noneFound?: Omit<Nothing, 'icon'> | false | undefined
  /** Nothing was found among as many rows as the API looks through at once: `action` looks on. */
  noneYet?: { title: string; text: string; action: string }
}

type RowsProps<Row> = EmptyProps &
  Pick<DataTableProps<Row>, 'columns' | 'rowKey' | 'groups'> & {
    /** The name of the table. */
    label: string
    /** Rows that are read, or known already. */
    list: ReadRows<Row> | readonly Row[]
  }

/** The rows of a list, or of a part of a screen that has no pages. */
export function ListRows<Row>({ list, none, noneFound, noneYet, ...table }: RowsProps<Row>) {
  const read: Partial<ReadRows<Row>> = 'length' in list ? { data: { data: list } } : list
  const { data, error, refetch, isPlaceholderData = false, onOlder, onNewest } = read
  const empty =
    noneYet && data?.has_more ? (
      <EmptyState {...noneYet} icon={IconSearchOff} action={<Button onClick={onOlder}>{noneYet.action}</Button>} />
    ) : noneFound ? (
      <EmptyState icon={IconSearchOff} {...noneFound} />
    ) : (
      none && <EmptyState {...none} />
    )
  return (
    <div aria-busy={isPlaceholderData}>
      <DataTable
        {...table}
        rows={data?.data}
        error={error}
        {...(refetch && { onRetry: refetch })}
        onOlder={onOlder}
        onNewest={onNewest}
        empty={empty}
      />
    </div>
  )
}

type Props<Row> = Omit<RowsProps<Row>, 'label'> &
  Omit<ScreenProps, 'children'> & {
    /** Above the rows: sections, notices, the filter. */
    children?: ReactNode
    /** Default: the title. */
    label?: string
  }

export function ListScreen<Row>({ title, text, back, mark, actions, nav, children, label = title, ...rows }: Props<Row>) {
  const { list, none, noneFound } = rows
  const read = 'length' in list ? list : list.data?.data
  // An empty list has the same button below its text.
  const isTwice = read?.length === 0 && !noneFound && actions !== undefined && actions === none?.action
  return (
    <Screen title={title} text={text} back={back} mark={mark} actions={isTwice ? undefined : actions} nav={nav}>
      {children}
      <ListRows label={label} {...rows} />
    </Screen>
  )
}

type SectionProps<Row> = Omit<RowsProps<Row>, 'label'> & {
  title: string
  actions?: ReactNode
  /** Above the rows, or a dialog. */
  children?: ReactNode
}

/** A list as a part of a screen. */
export function ListSection<Row>({ title, actions, children, ...rows }: SectionProps<Row>) {
  return (
    <Section title={title} actions={actions} isBare>
      {children}
      <ListRows label={title} {...rows} />
    </Section>
  )
}
