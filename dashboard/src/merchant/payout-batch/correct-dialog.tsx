/** All cells of one row, to be changed: on a phone, and for rows without errors. */
import { Alert, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PayoutBatchItem } from '../../api/operations.ts'
import { optional } from '../../ui/texts.ts'
import { useAction } from '../../api/queries.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { useAccount } from '../account.ts'
import {
  cells,
  changeOf,
  errorOfCell,
  errorsOfRow,
  errorText,
  valueOf,
  wrongCells,
  wrongValues,
  type Cell,
  type Typed,
} from './row-words.ts'
import { payoutBatchTexts } from './texts.ts'

type Props = {
  batchId: string
  item: PayoutBatchItem | undefined
  isFull: boolean
  onClose(): void
  onCorrected(text: string): void
}

export default function CorrectDialog({ batchId, item, isFull, onClose, onCorrected }: Props) {
  const say = payoutBatchTexts.use()
  return (
    <Modal opened={item !== undefined} onClose={onClose} title={item && say('changeRow', { row: item.row })} fullScreen={isFull}>
      {item && <Fields key={item.row} batchId={batchId} first={item} onClose={onClose} onCorrected={onCorrected} />}
    </Modal>
  )
}

type FieldsProps = { batchId: string; first: PayoutBatchItem; onClose(): void; onCorrected(text: string): void }

const limits: Record<Cell, number> = { recipient_name: 120, phone_number: 40, amount: 20, narration: 140, reference: 100 }
const modes = { amount: 'numeric', phone_number: 'tel' } as const

/** The change was stored, but the row cannot be paid yet. */
class StillWrong extends Error {
  readonly row: PayoutBatchItem

  constructor(row: PayoutBatchItem) {
    super('The row is still invalid.')
    this.row = row
  }
}

function Fields({ batchId, first, onClose, onCorrected }: FieldsProps) {
  const say = payoutBatchTexts.use()
  const [item, setItem] = useState(first)
  const [typed, setTyped] = useState<Typed>({})
  const { query } = useAccount()
  const change = useAction('PATCH /v1/merchant/payout-batches/{id}/items/{row}')
  const problemsOfRow = (row: PayoutBatchItem): Problems =>
    Object.fromEntries(
      cells.flatMap((cell) => {
        const error = errorOfCell(row, cell)
        return error ? [[cell, errorText(say, error)]] : []
      }),
    )
  const form = useForm({
    first: problemsOfRow(first),
    check: () =>
      Object.fromEntries(
        Object.entries(changeOf({ ...wrongValues(item), ...typed }).wrong).map(([column, code]) => [
          column,
          errorText(say, { code, column, message: '' }),
        ]),
      ),
    send: async () => {
      const { data: after } = await change.mutateAsync({
        params: { id: batchId, row: String(item.row) },
        query,
        body: changeOf({ ...wrongValues(item), ...typed }).change,
      })
      setItem(after)
      setTyped({})
      if (after.status === 'invalid') throw new StillWrong(after)
      onCorrected(say('rowCorrected', { row: after.row }))
      onClose()
    },
    problemsOf: (error) => (error instanceof StillWrong ? problemsOfRow(error.row) : fieldProblems(error)),
    textOf: (error) => (error instanceof StillWrong ? say('rowStillWrong', { row: error.row.row }) : problemText(error)),
  })
  return (
    <Form of={form}>
      {errorsOfRow(item).map((error) => (
        <Alert key={`${error.code} ${error.column}`} color="red">
          {errorText(say, error)}
        </Alert>
      ))}
      {cells.map((cell) => (
        <TextInput
          key={cell}
          label={cell === 'narration' || cell === 'reference' ? optional(say(`column.${cell}`)) : say(`column.${cell}`)}
          inputMode={cell === 'amount' || cell === 'phone_number' ? modes[cell] : 'text'}
          maxLength={limits[cell]}
          autoComplete="off"
          // The dialog opens with the focus here.
          data-autofocus={cell === (wrongCells(first)[0] ?? cells[0]) || undefined}
          value={typed[cell] ?? valueOf(item, cell)}
          onChange={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, [cell]: value }))}
          error={form.problems[cell]}
        />
      ))}
      <DialogButtons of={form} onCancel={onClose} action={say('save')} />
    </Form>
  )
}
