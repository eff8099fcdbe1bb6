/** The errors and warnings of a row in the person's language, and the cells that they concern. */
import type { PayoutBatchItem } from '../../api/operations.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import { wholeAmounts } from '../../i18n/translator.ts'
import { wholeAmountOf } from '../../ui/figures-of.ts'
import type { payoutBatchTexts } from './texts.ts'

type Say = ReturnType<typeof payoutBatchTexts.use>
export type RowError = PayoutBatchItem['errors'][number]

export const cells = ['recipient_name', 'phone_number', 'amount', 'narration', 'reference'] as const
export type Cell = (typeof cells)[number]
export type Typed = Partial<Record<Cell, string>>

const required: readonly Cell[] = ['recipient_name', 'phone_number', 'amount']

const known = [
  'amount_required',
  'amount_invalid',
  'amount_too_small',
  'amount_too_large',
  'required',
  'phone_invalid',
  'network_unsupported',
  'formula_not_allowed',
  'unknown_field',
  'too_many_cells',
  'already_paid',
  'payout_under_way',
  'invalid',
] as const

const limits: readonly string[] = ['amount_too_small', 'amount_too_large']

export function errorText(say: Say, { code, column, message }: Pick<RowError, 'code' | 'column' | 'message'>): string {
  const own = known.find((one) => one === code)
  // The API's sentence names the limit.
  if (own && limits.includes(own) && currentLanguage() === 'en' && message !== '') return wholeAmounts(message)
  return own && !(own === 'invalid' && column === null) ? say(`error.${own}`) : message
}

export function warningText(say: Say, { code, row, last_paid_name: name }: PayoutBatchItem['warnings'][number]): string {
  if (code === 'duplicate_row') return say('warning.duplicate_row', { row: row ?? '' })
  return name === null ? say('warning.otherName') : say('warning.recipient_name_differs', { name })
}

export const errorOfCell = (item: PayoutBatchItem, cell: Cell): RowError | undefined =>
  item.errors.find(({ column }) => column === cell)

/** Errors of no cell that can be changed: an unknown column, or too many cells. */
export const errorsOfRow = (item: PayoutBatchItem): RowError[] =>
  item.errors.filter(({ column }) => !cells.some((cell) => cell === column))

/** What must be entered again: the wrong cells, and if the whole row is doubtful, all that decide about the money. */
export function wrongCells(item: PayoutBatchItem): Cell[] {
  const isDoubtful = errorsOfRow(item).length > 0
  return cells.filter((cell) => errorOfCell(item, cell) !== undefined || (isDoubtful && required.includes(cell)))
}

/** As it was typed, if it is wrong; otherwise as it was read. */
export function valueOf(item: PayoutBatchItem, cell: Cell): string {
  const wrong = errorOfCell(item, cell)
  return wrong ? (wrong.value ?? '') : String(item[cell] ?? '')
}

/** What is sent of a row besides what is typed. */
export function wrongValues(item: PayoutBatchItem): Typed {
  return Object.fromEntries(wrongCells(item).map((cell) => [cell, valueOf(item, cell)]))
}

export type RowChange = {
  amount?: number
  phone_number?: string
  recipient_name?: string
  narration?: string | null
  reference?: string | null
}

/** The change that typed cells ask for; `wrong` names a code for those that cannot be sent. */
export function changeOf(typed: Typed): { change: RowChange; wrong: Partial<Record<Cell, string>> } {
  const { amount: amountText, narration, reference, ...texts } = typed
  const amount = amountText === undefined ? undefined : wholeAmountOf(amountText)
  const isEmpty = amountText?.trim() === ''
  return {
    change: {
      ...texts,
      ...(amount !== undefined && { amount }),
      ...(narration !== undefined && { narration: narration.trim() || null }),
      ...(reference !== undefined && { reference: reference.trim() || null }),
    },
    wrong: amountText !== undefined && amount === undefined ? { amount: isEmpty ? 'amount_required' : 'amount_invalid' } : {},
  }
}
