/** Changes of the rows of a draft: what is typed for each row, and what has been sent. */
import { useState } from 'react'
import type { PayoutBatchItem } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { notifyProblem } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { changeOf, wrongValues, type Cell, type RowChange, type Typed } from './row-words.ts'
import { payoutBatchTexts } from './texts.ts'

type Edit = { typed: Typed; wrong: Partial<Record<Cell, string>> }

const untouched: Edit = { typed: {}, wrong: {} }

export type Corrections = {
  editOf(row: number): Edit
  type(row: number, cell: Cell, text: string): void
  /** Sends the wrong cells of a row and those that were typed. */
  save(item: PayoutBatchItem): void
  remove(item: PayoutBatchItem): void
  putBack(item: PayoutBatchItem): void
  isBusy(row: number): boolean
  /** The last change in words, for screen readers. */
  said: string
}

export function useCorrections(batchId: string): Corrections {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const [edits, setEdits] = useState<Record<number, Edit>>({})
  const [busy, setBusy] = useState<readonly number[]>([])
  const [said, setSaid] = useState('')
  const change = useAction('PATCH /v1/merchant/payout-batches/{id}/items/{row}')
  const setEdit = (row: number, edit: (before: Edit) => Edit): void =>
    setEdits((before) => ({ ...before, [row]: edit(before[row] ?? untouched) }))

  const send = (row: number, body: RowChange | { removed: true }, done: (after: PayoutBatchItem) => string): void => {
    setBusy((before) => [...before, row])
    change.mutate(
      { params: { id: batchId, row: String(row) }, query, body },
      {
        onSuccess: ({ data }) => {
          setEdit(row, () => untouched)
          setSaid(done(data))
        },
        onError: notifyProblem,
        onSettled: () => setBusy((before) => before.filter((one) => one !== row)),
      },
    )
  }

  return {
    editOf: (row) => edits[row] ?? untouched,
    type: (row, cell, text) =>
      setEdit(row, ({ typed, wrong: { [cell]: _corrected, ...wrong } }) => ({ typed: { ...typed, [cell]: text }, wrong })),
    save: (item) => {
      const { row } = item
      const { change: body, wrong } = changeOf({ ...wrongValues(item), ...(edits[row] ?? untouched).typed })
      setEdit(row, ({ typed }) => ({ typed, wrong }))
      if (Object.keys(wrong).length > 0) return
      send(row, body, ({ status }) => say(status === 'invalid' ? 'rowStillWrong' : 'rowCorrected', { row }))
    },
    remove: ({ row }) => send(row, { removed: true }, () => say('rowRemoved', { row })),
    putBack: ({ row }) => send(row, {}, () => say('rowBack', { row })),
    isBusy: (row) => busy.includes(row),
    said,
  }
}
