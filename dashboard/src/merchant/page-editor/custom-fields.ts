/** The fields that a page asks its payers for, while they are edited, and in the form of the API. */
import type { PaymentPage } from '../../api/operations.ts'

type Field = PaymentPage['custom_fields'][number]

export type DraftField = {
  /** Tells the rows apart while they are moved. */
  row: number
  /** Empty for a new field: it is made of the label. */
  key: string
  label: string
  type: Field['type']
  required: boolean
  /** One on each line. */
  choices: string
}

export const mostFields = 5

export const draftFieldsOf = (fields: readonly Field[]): DraftField[] =>
  fields.map(({ key, label, type, required, choices }, row) => ({ row, key, label, type, required, choices: choices.join('\n') }))

export function newField(fields: readonly DraftField[]): DraftField {
  const row = Math.max(-1, ...fields.map((field) => field.row)) + 1
  return { row, key: '', label: '', type: 'text', required: false, choices: '' }
}

/** A key of the label's letters: `Namba ya meza` → `namba_ya_meza`. */
function keyOf(label: string, taken: ReadonlySet<string>): string {
  const letters = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 36)
  const base = letters === '' ? 'field' : letters
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? base : `${base}_${number}`
    if (!taken.has(key)) return key
  }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

export function customFieldsOf(fields: readonly DraftField[]): Field[] {
  const taken = new Set(fields.map(({ key }) => key).filter(Boolean))
  return fields.map(({ key, label, type, required, choices }) => {
    const own = key || keyOf(label, taken)
    taken.add(own)
    return { key: own, label: label.trim(), type, required, choices: type === 'choice' ? linesOf(choices) : [] }
  })
}

/** The fields that a preview can show: the others are not complete yet. */
export const completeFields = <Some extends Pick<Field, 'label' | 'type'> & { choices?: string[] }>(
  fields: readonly Some[],
): Some[] => fields.filter(({ label, type, choices = [] }) => label !== '' && (type !== 'choice' || choices.length > 0))

/** The same fields with one of them moved up or down. */
export function moved(fields: readonly DraftField[], from: number, by: -1 | 1): DraftField[] {
  const next = [...fields]
  const [field] = next.splice(from, 1)
  next.splice(from + by, 0, field!)
  return next
}
