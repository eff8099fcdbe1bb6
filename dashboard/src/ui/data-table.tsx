/** A list of objects: a table on wide screens, rows of two lines on a phone. A `RowLink` in a cell makes the whole row a link. */
import { Paper, Skeleton, Stack, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { createLink } from '@tanstack/react-router'
import { Fragment, type AnchorHTMLAttributes, type ReactNode, type Ref } from 'react'
import classes from './data-table.module.css'
import { ErrorState } from './error-state.tsx'
import { ListPages } from './list-pages.tsx'
import { shared } from './texts.ts'

export type Column<Row> = {
  title: string
  /** Where another column of the table has the same title, in one of the languages. */
  key?: string
  cell(row: Row): ReactNode
  /** A small text that goes with the cell: beside it in a table, on the second line of a phone. */
  note?(row: Row): ReactNode
  /** Numbers are aligned at the right. */
  isFigure?: boolean
  /**
   * On a phone: the heading, or the value opposite of it, on the first line; every other cell is on the second line, with its title
   * unless it is `plain`, which says what it is; `aside` is at the end of that line, with its title if it is a figure.
   */
  onCard?: 'heading' | 'opposite' | 'plain' | 'aside' | 'hidden'
}

/** False is left out. */
export type Columns<Row> = readonly (Column<Row> | false)[]

export type DataTableProps<Row> = {
  /** The name of the table, for screen readers. */
  label: string
  columns: Columns<Row>
  /** Undefined while loading. */
  rows: readonly Row[] | undefined
  rowKey(row: Row): string
  error?: unknown
  onRetry?: () => unknown
  /** Rows that follow each other and have the same key are under one heading. */
  groups?: { keyOf(row: Row): string; heading(key: string): ReactNode } | undefined
  /** Shown instead of an empty table. */
  empty: ReactNode
  /** The links to the next and the first page of a list. */
  onOlder?: (() => void) | undefined
  onNewest?: (() => void) | undefined
}

/** A list without groups is one group without a heading. */
function groupsOf<Row>(rows: readonly Row[], groups: DataTableProps<Row>['groups']): { key: string; rows: Row[] }[] {
  const found: { key: string; rows: Row[] }[] = []
  for (const row of rows) {
    const key = groups?.keyOf(row) ?? ''
    const last = found.at(-1)
    if (last?.key === key) last.rows.push(row)
    else found.push({ key, rows: [row] })
  }
  return found
}

const placeholders = ['1', '2', '3', '4', '5']

type Shown<Row> = Pick<DataTableProps<Row>, 'label' | 'rowKey' | 'groups'> & {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
}

/** What the second line of a phone leaves out. */
const isNothing = (value: ReactNode): boolean => value === '–' || value === '' || value === null || value === false

type Pair = { title: string; key: string; onCard: Column<never>['onCard']; isTitled: boolean; value: ReactNode }

function Pairs({ of: pairs, className }: { of: readonly Pair[]; className?: string | undefined }) {
  if (pairs.length === 0) return undefined
  return (
    <dl className={className}>
      {pairs.map(({ title, key, isTitled, value }) => (
        <div key={key}>
          <dt className={isTitled ? undefined : 'unseen-on-phone'}>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** One row on a phone: what it is and its main value, and below them the rest. */
function Card<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const on = (place: Column<Row>['onCard']) => columns.find(({ onCard }) => onCard === place)
  const heading = on('heading')
  const note = heading?.note?.(row)
  const cells = columns
    .filter(({ onCard }) => onCard === undefined || onCard === 'plain' || onCard === 'aside')
    .map(({ title, key = title, cell, onCard, isFigure = false }) => ({
      title,
      key,
      onCard,
      isTitled: onCard === undefined || isFigure,
      value: cell(row),
    }))
    .filter(({ value }) => !isNothing(value))
  return (
    <>
      <div className={classes['first']}>
        <div className={classes['heading']}>{heading?.cell(row)}</div>
        <div>{on('opposite')?.cell(row)}</div>
      </div>
      <div className={classes['second']}>
        <Pairs of={cells.filter(({ onCard }) => onCard === 'aside')} className={classes['aside']} />
        {note !== undefined && !isNothing(note) && <span>{note}</span>}
        {/* A line may end here: without it none does after a note that stays together. */}
        <wbr />
        <Pairs of={cells.filter(({ onCard }) => onCard !== 'aside')} />
      </div>
    </>
  )
}

function Cards<Row>({ label, columns, rows, rowKey, groups }: Shown<Row>) {
  return (
    <>
      {groupsOf(rows, groups).map((group) => (
        <Fragment key={group.key}>
          {groups && <div className={classes['group']}>{groups.heading(group.key)}</div>}
          <ul aria-label={label} className={classes['cards']}>
            {group.rows.map((row) => (
              <li key={rowKey(row)} className={classes['card']}>
                <Card columns={columns} row={row} />
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </>
  )
}

function Rows<Row>({ label, columns, rows, rowKey, groups }: Shown<Row>) {
  return (
    <Table.ScrollContainer minWidth={560} type="native">
      <Table aria-label={label} highlightOnHover verticalSpacing={6} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, key = title, isFigure }) => (
              <Table.Th key={key} scope="col" ta={isFigure ? 'end' : 'start'} className={classes['head']}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {groupsOf(rows, groups).map((group) => (
          <Table.Tbody key={group.key}>
            {groups && (
              <Table.Tr>
                <Table.Th scope="rowgroup" colSpan={columns.length} className={classes['group']}>
                  {groups.heading(group.key)}
                </Table.Th>
              </Table.Tr>
            )}
            {group.rows.map((row) => (
              <Table.Tr key={rowKey(row)} className={classes['row']}>
                {columns.map(({ title, key = title, cell, note, isFigure }) => (
                  <Table.Td key={key} ta={isFigure ? 'end' : 'start'}>
                    {cell(row)}
                    {note && <span className={classes['note']}>{note(row)}</span>}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        ))}
      </Table>
    </Table.ScrollContainer>
  )
}

function Waiting() {
  const say = shared.use()
  return (
    <Stack p="md" gap="md" role="status" aria-label={say('loading')}>
      {placeholders.map((key) => (
        <Skeleton key={key} height={18} />
      ))}
    </Stack>
  )
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, groups, error, onRetry, empty, onOlder, onNewest } = props
  const isNarrow = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  if (rows === undefined)
    return error ? (
      <ErrorState error={error} onRetry={onRetry} />
    ) : (
      <Paper>
        <Waiting />
      </Paper>
    )
  const shown = { label, columns: columns.filter((column) => column !== false), rows, rowKey, groups }
  return (
    <Stack gap="sm">
      {/* The previous rows stay, with a note that reading again failed. */}
      {Boolean(error) && <ErrorState error={error} onRetry={onRetry} />}
      <Paper className={classes['frame']}>
        {rows.length === 0 ? empty : isNarrow ? <Cards {...shown} /> : <Rows {...shown} />}
      </Paper>
      <ListPages onOlder={onOlder} onNewest={onNewest} />
    </Stack>
  )
}

type RowLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }

function PlainRowLink({ children, className: _own, ...rest }: RowLinkProps) {
  return (
    <a {...rest} className={classes['way']}>
      {children}
    </a>
  )
}

/** The link of a row: its text is the link, and the whole row can be clicked. Takes what the router's `Link` takes. */
export const RowLink = createLink(PlainRowLink)

/** Controls within such a row. */
export function AboveRow({ children }: { children: ReactNode }) {
  return <span className={classes['above']}>{children}</span>
}
