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
  /** The same for those of these rows in which something is typed, one after the other: they change the same batch. */
  saveAll(items: readonly PayoutBatchItem[]): Promise<void>
  /** Whether something is typed in a row. */
  isTyped(row: number): boolean
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

  const send = async (
    row: number,
    body: RowChange | { removed: true },
    done: (after: PayoutBatchItem) => string,
  ): Promise<void> => {
    setBusy((before) => [...before, row])
    try {
      const { data } = await change.mutateAsync({ params: { id: batchId, row: String(row) }, query, body })
      setEdit(row, () => untouched)
      setSaid(done(data))
    } catch (error) {
      notifyProblem(error)
    } finally {
      setBusy((before) => before.filter((one) => one !== row))
    }
  }

  const save = async (item: PayoutBatchItem): Promise<void> => {
    const { row } = item
    if (busy.includes(row)) return
    const { change: body, wrong } = changeOf({ ...wrongValues(item), ...(edits[row] ?? untouched).typed })
    setEdit(row, ({ typed }) => ({ typed, wrong }))
    if (Object.keys(wrong).length > 0) return
    await send(row, body, ({ status }) => say(status === 'invalid' ? 'rowStillWrong' : 'rowCorrected', { row }))
  }
  const isTyped = (row: number): boolean => Object.keys((edits[row] ?? untouched).typed).length > 0

  return {
    editOf: (row) => edits[row] ?? untouched,
    type: (row, cell, text) =>
      setEdit(row, ({ typed, wrong: { [cell]: _corrected, ...wrong } }) => ({ typed: { ...typed, [cell]: text }, wrong })),
    save: (item) => void save(item),
    async saveAll(items) {
      for (const item of items) if (isTyped(item.row)) await save(item)
    },
    isTyped,
    remove: ({ row }) => void send(row, { removed: true }, () => say('rowRemoved', { row })),
    putBack: ({ row }) => void send(row, {}, () => say('rowBack', { row })),
    isBusy: (row) => busy.includes(row),
    said,
  }
}
