/** What a row of a batch may contain. Invariant: an amount or a phone that is not certain is an error of the row, never a guess. */
import { amountTyped, textTyped } from '../../domain/typed.ts'
import type { Network } from '../../domain/network.ts'
import { amountErrors } from '../payouts/request-payout.ts'
import { readRecipient } from '../recipients/read-recipient.ts'
import { twoReferences } from '../../platform/http/own-data.ts'
import { lineOfText } from '../../platform/http/text.ts'

export const rowColumns = ['amount', 'phone_number', 'recipient_name', 'narration', 'reference'] as const
export const requiredColumns = ['amount', 'phone_number', 'recipient_name'] as const
export type RowColumn = (typeof rowColumns)[number]

/** The cells as they were sent: texts of a file, or any values of JSON. */
export type TypedRow = Partial<Record<RowColumn, unknown>>

/** `column` is null if the row as a whole is wrong. `value`: what was sent, cut to a readable length. */
export type RowError = { column: string | null; code: string; message: string; value: string | null }

/** The cells of a row as they were read; a cell with an error is null. */
export type Cells = {
  amount: number | null
  /** E.164. */
  phoneNumber: string | null
  recipientName: string | null
  narration: string | null
  reference: string | null
}

export type ReadRow = Cells & { network: Network | null; errors: RowError[] }

/** `rowNumber`: its place in the batch, from 1. `line`: that of the file; null for a row of a JSON body. */
export type NumberedRow = ReadRow & { rowNumber: number; line: number | null }

const shownCharacters = 100

/** A sent value as an error shows it. */
export function shown(value: unknown): string | null {
  // A number that is none here had another form, or was too large.
  if (value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value))) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // The cut may have halved a character.
  return text.slice(0, shownCharacters).toWellFormed()
}

const rowError = (column: string | null, code: string, message: string, value: unknown): RowError => ({
  column,
  code,
  message,
  value: shown(value),
})

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && textTyped(value) === '')

/** In JSON an amount is a number, as everywhere in this API. */
export type RowSource = 'file' | 'json'

/** The amount of a cell in TZS; NaN if it is not a whole number in one of the accepted forms. */
function amountOf(value: unknown, source: RowSource): number {
  if (source === 'json') return Number.isSafeInteger(value) ? (value as number) : Number.NaN
  return (typeof value === 'string' ? amountTyped(value) : null) ?? Number.NaN
}

type Cell<Value> = { value: Value | null; errors: RowError[] }

function readAmount(value: unknown, source: RowSource, least: number): Cell<number> {
  if (isMissing(value)) {
    return { value: null, errors: [rowError('amount', 'amount_required', 'Enter an amount.', value)] }
  }
  const amount = amountOf(value, source)
  if (Number.isNaN(amount)) {
    const message = 'The amount must be a whole number of TZS, such as 10000, 10,000 or 10 000.'
    return { value: null, errors: [rowError('amount', 'amount_invalid', message, value)] }
  }
  const errors = amountErrors(amount, least).map(({ code, message }) => rowError('amount', code, message, value))
  return { value: errors.length === 0 ? amount : null, errors }
}

function readPhoneCell(value: unknown): Cell<string> & { network: Network | null } {
  const column = 'phone_number'
  const wrong = (code: string, message: string) => ({
    value: null,
    network: null,
    errors: [rowError(column, code, message, value)],
  })
  if (isMissing(value)) return wrong('required', 'Enter a phone number.')
  if (typeof value !== 'string' || value.length > 60) {
    return wrong('phone_invalid', 'This is not a Tanzanian mobile number. Use one such as +255754123456.')
  }
  const { e164, network, errors } = readRecipient(value)
  if (errors.length > 0) return wrong(errors[0]!.code, errors[0]!.message)
  return { value: e164, network, errors: [] }
}

/** A spreadsheet calculates such a text, here or where the result file is opened. */
const formula = /^(?:[=@]|[+-](?!\d))/

/** Whether a spreadsheet could calculate this text, so that no row has it. */
export const isFormula = (text: string): boolean => formula.test(textTyped(text))

const texts = { recipient_name: lineOfText(120), narration: lineOfText(140), reference: lineOfText(100) }

function readText(column: keyof typeof texts, value: unknown): Cell<string> {
  if (isMissing(value)) return { value: null, errors: [] }
  const wrong = (code: string, message: string): Cell<string> => ({
    value: null,
    errors: [rowError(column, code, message, value)],
  })
  if (typeof value !== 'string') return wrong('invalid', 'Enter a text.')
  if (isFormula(value)) return wrong('formula_not_allowed', 'A text must not begin like a formula.')
  const read = texts[column].safeParse(value)
  return read.success ? { value: read.data, errors: [] } : wrong('invalid', read.error.issues[0]!.message)
}

/** Reads a row. `least`: the smallest amount of a payout, in TZS. A cell with an error is null. */
export function readRow(typed: TypedRow, source: RowSource, least: number): ReadRow {
  const amount = readAmount(typed.amount, source, least)
  const phone = readPhoneCell(typed.phone_number)
  const name = readText('recipient_name', typed.recipient_name)
  if (isMissing(typed.recipient_name)) name.errors.push(rowError('recipient_name', 'required', 'Enter a name.', null))
  const [narration, reference] = [readText('narration', typed.narration), readText('reference', typed.reference)]
  return {
    amount: amount.value,
    phoneNumber: phone.value,
    network: phone.network,
    recipientName: name.value,
    narration: narration.value,
    reference: reference.value,
    errors: [amount, phone, name, narration, reference].flatMap(({ errors }) => errors),
  }
}

const knownFields: ReadonlySet<string> = new Set(rowColumns)

/** The cells of an item of a JSON body, and what is wrong with the item as a whole. */
export function cellsOfItem(item: unknown): { typed: TypedRow; errors: RowError[] } {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return { typed: {}, errors: [rowError(null, 'invalid', 'An item must be an object.', item)] }
  }
  const { merchant_reference: own, ...rest } = item as { merchant_reference?: unknown; reference?: unknown }
  // Clients send null for what they do not have.
  const typed = own === undefined || own === null ? rest : { ...rest, reference: own }
  const unknown = Object.entries(typed).filter(([name]) => !knownFields.has(name))
  const errors = unknown.slice(0, 20).map(([name, value]) => rowError(shown(name), 'unknown_field', 'No such field.', value))
  if (typed !== rest && rest.reference !== undefined && rest.reference !== null && rest.reference !== own) {
    errors.push(rowError('reference', 'invalid', twoReferences, own))
  }
  return { typed, errors }
}
