/** The rows of a batch: those of a draft with their errors at the cells, to be corrected there; later with their ends. */
import { RowLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { PayoutBatch, PayoutBatchItem } from '../../api/operations.ts'
import { plainColumn } from '../../ui/columns.tsx'
import { AboveRow, type Column, type Columns } from '../../ui/data-table.tsx'
import { count, phoneText } from '../../ui/format.ts'
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBan,
  IconCircleCheck,
  IconListSearch,
  IconPencil,
  IconTrash,
} from '../../ui/icons.ts'
import { ListRows, useList } from '../../ui/list-screen.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { Money } from '../../ui/money.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Section } from '../../ui/screen.tsx'
import { SignBadge, StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { useFailureText } from '../../ui/payout-failures.ts'
import { payoutStatuses } from '../payout-statuses.ts'
import type { RowFilter } from '../searches.ts'
import classes from './payout-batch.module.css'
import { notArrived, PayAgain } from './pay-again.tsx'
import { useCorrections, type Corrections } from './corrections.ts'
import {
  cells,
  errorOfCell,
  errorsOfRow,
  errorText,
  valueOf,
  warningText,
  wrongCells,
  type Cell,
  type RowError,
} from './row-words.ts'
import { payoutBatchTexts } from './texts.ts'

const CorrectDialog = lazy(() => import('./correct-dialog.tsx'))

const rowsAtOnce = 25

/** Of a draft: those with errors first, then those to check; of an ended batch: those that failed. */
function firstFilter({ status, rows, rows_invalid, rows_with_warnings, finished_at, progress }: PayoutBatch): RowFilter {
  if (status !== 'draft' && status !== 'waiting') return finished_at !== null && progress.failed > 0 ? 'failed' : 'all'
  return rows_invalid > 0 ? 'invalid' : rows_with_warnings > 0 ? 'check' : rows > 0 ? 'ready' : 'removed'
}

/** The part of the request that a filter means. */
function queryOf(filter: RowFilter) {
  if (filter === 'all') return {}
  return filter === 'check' ? ({ with_warnings: 'true' } as const) : { status: filter }
}

type Props = { batch: PayoutBatch; mayChange: boolean; isLive: boolean }

export function Rows({ batch, mayChange, isLive }: Props) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const { show } = useSearch({ from: '/signed-in/$owner/$environment/payouts/batches/$batchId' })
  const filter = show ?? firstFilter(batch)
  const items = useList(
    'GET /v1/merchant/payout-batches/{id}/items',
    {
      params: { id: batch.id },
      query: { ...query, ...queryOf(filter), limit: rowsAtOnce },
    },
    { isLive },
  )
  const { change } = useFilter<{ show?: RowFilter }>()
  const isNarrow = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const corrections = useCorrections(batch.id)
  const [corrected, setCorrected] = useState<PayoutBatchItem>()
  const columns = useColumns({ mayChange, isInPlace: mayChange && !isNarrow, corrections, onCorrect: setCorrected })
  const list = useKeptFocus(corrections.said)
  const can = useCan()
  const shown = items.data?.data ?? []
  const isOver = batch.finished_at !== null && can('payouts.write') === true
  const again = isOver ? notArrived.find((status) => status === filter) : undefined
  return (
    <Section
      title={say('list')}
      isBare
      actions={
        <Group gap="xs">
          {mayChange && !isNarrow && <SaveAll items={shown} corrections={corrections} />}
          {again && shown.length > 0 && <PayAgain key={again} batch={batch} status={again} />}
          <Filter batch={batch} value={filter} onChange={(next) => change({ show: next })} />
        </Group>
      }
    >
      <VisuallyHidden role="status">{corrections.said}</VisuallyHidden>
      <div ref={list}>
        <ListRows
          label={say('list')}
          list={items}
          columns={columns}
          rowKey={({ row }) => String(row)}
          none={
            filter === 'invalid'
              ? { icon: IconCircleCheck, title: say('noneInvalid') }
              : { icon: IconListSearch, title: say('none') }
          }
        />
      </div>
      {mayChange && (
        <Suspense>
          <CorrectDialog
            batchId={batch.id}
            item={corrected}
            isFull={isNarrow}
            onClose={() => setCorrected(undefined)}
            onCorrected={notifyDone}
          />
        </Suspense>
      )}
    </Section>
  )
}

/** A corrected row leaves the list of errors with the field that had the focus: the next wrong field gets it. */
function useKeptFocus(said: string) {
  const list = useRef<HTMLDivElement>(null)
  const isDue = useRef(false)
  useEffect(() => {
    isDue.current = said !== ''
  }, [said])
  useEffect(() => {
    if (!isDue.current || document.activeElement !== document.body) return
    isDue.current = false
    list.current?.querySelector<HTMLElement>('[aria-invalid=true], button')?.focus()
  })
  return list
}

/** One button for all rows that were corrected in place. */
function SaveAll({ items, corrections }: { items: readonly PayoutBatchItem[]; corrections: Corrections }) {
  const say = payoutBatchTexts.use()
  const typed = items.filter(({ row, status }) => status === 'invalid' && corrections.isTyped(row))
  if (typed.length === 0) return undefined
  return (
    <Button size="sm" loading={typed.some(({ row }) => corrections.isBusy(row))} onClick={() => void corrections.saveAll(typed)}>
      {say('saveAll', { count: typed.length })}
    </Button>
  )
}

type FilterProps = { batch: PayoutBatch; value: RowFilter; onChange(filter: RowFilter): void }

function Filter({ batch, value, onChange }: FilterProps) {
  const say = payoutBatchTexts.use()
  const isOpen = batch.status === 'draft' || batch.status === 'waiting'
  const counts: Partial<Record<RowFilter, number>> = isOpen
    ? { invalid: batch.rows_invalid, check: batch.rows_with_warnings }
    : {}
  const offered: readonly RowFilter[] = isOpen ? ['invalid', 'check', 'ready', 'removed', 'all'] : ['all', ...payoutStatuses]
  return (
    <NativeSelect
      size="sm"
      aria-label={say('show')}
      value={value}
      onChange={({ currentTarget }) => onChange(offered.find((one) => one === currentTarget.value) ?? 'all')}
      data={[...new Set([...offered, value])].map((one) => {
        const name = say(`filter.${one}`)
        const known = counts[one]
        return { value: one, label: known === undefined ? name : say('counted', { name, count: count(known) }) }
      })}
    />
  )
}

type Looks = { mayChange: boolean; isInPlace: boolean; corrections: Corrections; onCorrect(item: PayoutBatchItem): void }

function useColumns(looks: Looks): Columns<PayoutBatchItem> {
  const say = payoutBatchTexts.use()
  const column = (cell: Cell): Pick<Column<PayoutBatchItem>, 'title' | 'cell'> => ({
    title: say(`column.${cell}`),
    cell: (item) => <CellOf key={cell} item={item} cell={cell} {...looks} />,
  })
  return [
    { title: say('row'), cell: ({ row }) => <span className="figures">{row}</span> },
    { ...column('recipient_name'), onCard: 'heading' },
    { ...column('phone_number'), onCard: 'plain' },
    { ...column('amount'), isFigure: !looks.isInPlace, onCard: 'opposite' },
    plainColumn(say('note'), (item) => (notesOf(item).length === 0 ? '–' : <Note item={item} {...looks} />)),
    plainColumn(say('state'), (item) => <State item={item} isInPlace={looks.isInPlace} />),
    looks.mayChange && plainColumn(say('action'), (item) => <Actions item={item} {...looks} />),
  ]
}

const formOf = (row: number): string => `row-${row}`

const isOpenRow = ({ status }: PayoutBatchItem): boolean => status === 'invalid' || status === 'ready'

type CellProps = Looks & { item: PayoutBatchItem; cell: Cell }

/** A cell: its text; or if it is wrong, the reason with what was typed, to be corrected in place where there is room. */
function CellOf({ item, cell, isInPlace, corrections }: CellProps) {
  const say = payoutBatchTexts.use()
  const { row, status } = item
  const error = errorOfCell(item, cell)
  const { typed, wrong } = corrections.editOf(row)
  if (status === 'invalid' && isInPlace && wrongCells(item).includes(cell)) {
    const code = wrong[cell]
    const isTyped = typed[cell] !== undefined
    const problem =
      code !== undefined
        ? errorText(say, { code, column: cell, message: '' })
        : error && (!isTyped || corrections.isBusy(row))
          ? errorText(say, error)
          : undefined
    return (
      <TextInput
        size="sm"
        miw={112}
        form={formOf(row)}
        aria-label={say('cellOf', { column: say(`column.${cell}`), row })}
        inputMode={cell === 'amount' ? 'numeric' : cell === 'phone_number' ? 'tel' : 'text'}
        autoComplete="off"
        value={typed[cell] ?? valueOf(item, cell)}
        onChange={({ currentTarget: { value } }) => corrections.type(row, cell, value)}
        error={problem}
      />
    )
  }
  if (error) {
    return (
      <Text component="span" inherit className={classes['text']!} {...(status === 'invalid' && { c: 'red' })}>
        {error.value || '–'}
      </Text>
    )
  }
  return <Plain item={item} cell={cell} />
}

function Plain({ item, cell }: { item: PayoutBatchItem; cell: Cell }) {
  const { amount, payout_id: payoutId, recipient_name: name } = item
  if (cell === 'amount') return amount === null ? '–' : <Money amount={amount} />
  if (cell === 'recipient_name' && payoutId !== null) {
    return (
      <RowLink to="./payouts/$payoutId" params={{ payoutId }}>
        {name}
      </RowLink>
    )
  }
  const text = item[cell]
  const look = { recipient_name: classes['name'], phone_number: 'figures nowrap' } as const
  return (
    <span className={cell in look ? look[cell as keyof typeof look] : classes['text']}>
      {text === null ? '–' : cell === 'phone_number' ? phoneText(text) : text}
    </span>
  )
}

/** Purpose and reference, which most rows do not have. */
const notesOf = (item: PayoutBatchItem) =>
  (['narration', 'reference'] as const).filter((cell) => item[cell] !== null || errorOfCell(item, cell) !== undefined)

function Note({ item, ...looks }: Looks & { item: PayoutBatchItem }) {
  return (
    <Stack gap={2} className={classes['notes']!}>
      {notesOf(item).map((cell) => (
        <CellOf key={cell} item={item} cell={cell} {...looks} />
      ))}
    </Stack>
  )
}

function State({ item, isInPlace }: { item: PayoutBatchItem; isInPlace: boolean }) {
  const say = payoutBatchTexts.use()
  const failureText = useFailureText()
  const { status, errors, failure, warnings } = item
  // In place, the reason stands below the field.
  const reasonOf = (error: RowError): string => {
    const cell = cells.find((one) => one === error.column)
    const reason = errorText(say, error)
    return cell ? say('inCell', { column: say(`column.${cell}`), reason }) : reason
  }
  return (
    <Stack gap={4} className={classes['state']!}>
      <RowStatus status={status} />
      {(status === 'invalid' || status === 'removed') &&
        (isInPlace || status === 'removed' ? errorsOfRow(item) : errors).map((error) => (
          <Text key={`${error.code} ${error.column}`} size="sm" c="red">
            {reasonOf(error)}
          </Text>
        ))}
      {failure && (
        <Text size="sm" c="red">
          {failureText(failure)}
        </Text>
      )}
      {isOpenRow(item) &&
        warnings.map((warning) => (
          <Text key={warning.code} size="sm" className={classes['warning']!}>
            {warningText(say, warning)}
          </Text>
        ))}
    </Stack>
  )
}

function RowStatus({ status }: Pick<PayoutBatchItem, 'status'>) {
  const say = payoutBatchTexts.use()
  if (status === 'invalid') return <SignBadge look={['red', IconAlertTriangle]}>{say('hasErrors')}</SignBadge>
  if (status === 'ready') return <SignBadge look={['green', IconCircleCheck]}>{say('ready')}</SignBadge>
  if (status === 'removed') return <SignBadge look={['gray', IconBan]}>{say('removedRow')}</SignBadge>
  return <StatusBadge status={status} />
}

/** Save in place, all cells in a dialog, remove, or put back. */
function Actions({ item, isInPlace, corrections, onCorrect }: Looks & { item: PayoutBatchItem }) {
  const say = payoutBatchTexts.use()
  const { row, status } = item
  const isBusy = corrections.isBusy(row)
  if (status === 'removed') {
    return (
      <AboveRow>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          aria-label={say('putBackRow', { row })}
          loading={isBusy}
          onClick={() => corrections.putBack(item)}
        >
          {say('putBack')}
        </Button>
      </AboveRow>
    )
  }
  return (
    <AboveRow>
      <Group gap={4} wrap="nowrap" justify={isInPlace ? 'start' : 'end'}>
        {status === 'invalid' && isInPlace && (
          <form
            id={formOf(row)}
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              corrections.save(item)
            }}
          >
            {/* A doubtful row is confirmed as it is; typed ones are saved together, or each with Enter. */}
            {errorsOfRow(item).length > 0 ? (
              <Button type="submit" size="xs" aria-label={say('saveRow', { row })} loading={isBusy}>
                {say('save')}
              </Button>
            ) : (
              <button type="submit" hidden aria-label={say('saveRow', { row })} />
            )}
          </form>
        )}
        {status === 'invalid' && !isInPlace && (
          <Button size="xs" variant="default" aria-label={say('correctRow', { row })} onClick={() => onCorrect(item)}>
            {say('correctButton')}
          </Button>
        )}
        {status === 'ready' && (
          <ActionIcon aria-label={say('changeRow', { row })} onClick={() => onCorrect(item)}>
            <IconPencil size={18} aria-hidden />
          </ActionIcon>
        )}
        <ActionIcon aria-label={say('removeRow', { row })} disabled={isBusy} onClick={() => corrections.remove(item)}>
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      </Group>
    </AboveRow>
  )
}
