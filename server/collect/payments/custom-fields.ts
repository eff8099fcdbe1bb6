/** Reads what a payer gave in the fields of a page: valid values in the order of the page, or one error for each field. Pure. */
import { textTyped } from '../../domain/typed.ts'
import type { CustomValue } from '../../domain/custom-field.ts'
import { customFieldLimits, type CustomField } from '../pages/custom-field.ts'
import { lineOfText } from '../../platform/http/text.ts'
import type { PayerError } from './checkout-rules.ts'

export type CustomReading = { kind: 'values'; values: CustomValue[] } | { kind: 'broken'; errors: PayerError[] }

const text = lineOfText(customFieldLimits.text)
/** Groups of three digits may be separated by a comma or a space. */
const number = /^-?(?:\d{1,15}|\d{1,3}(?:[, ]\d{3}){1,4})(?:\.\d{1,6})?$/

/** The value as it is stored; undefined: it is not valid for the field. */
function valueOf({ type, choices }: CustomField, typed: string): string | undefined {
  switch (type) {
    case 'text':
      return text.safeParse(typed).data
    case 'number':
      return number.test(typed) ? typed.replace(/[, ]/g, '') : undefined
    case 'choice':
      return choices.find((choice) => choice === typed)
  }
}

const invalid: Record<CustomField['type'], (label: string) => Pick<PayerError, 'message' | 'messageSw'>> = {
  text: (label) => ({
    message: `“${label}” takes one line of at most ${customFieldLimits.text} characters.`,
    messageSw: `Andika “${label}” kwa mstari mmoja usiozidi herufi ${customFieldLimits.text}.`,
  }),
  number: (label) => ({
    message: `“${label}” takes a number in digits, such as 12 or 2.5.`,
    messageSw: `Andika “${label}” kwa tarakimu, mfano 12 au 2.5.`,
  }),
  choice: (label) => ({ message: `Select one of the choices of “${label}”.`, messageSw: `Chagua jibu moja la “${label}”.` }),
}

function errorOf(field: CustomField, isMissing: boolean): PayerError {
  const name = `custom_fields.${field.key}`
  if (!isMissing) return { field: name, code: 'custom_field_invalid', ...invalid[field.type](field.label) }
  const isChoice = field.type === 'choice'
  return {
    field: name,
    code: 'custom_field_required',
    message: isChoice ? `Select “${field.label}”.` : `Enter “${field.label}”.`,
    messageSw: isChoice ? `Chagua “${field.label}”.` : `Andika “${field.label}”.`,
  }
}

/** Refuses a missing required value, a value that its field does not take, and a key that the page does not have. */
export function readCustomFields(fields: readonly CustomField[], sent: Readonly<Record<string, string | number>>): CustomReading {
  const values: CustomValue[] = []
  const errors: PayerError[] = []
  for (const field of fields) {
    // Only own properties: a key may be called `constructor`.
    const typed = Object.hasOwn(sent, field.key) ? textTyped(String(sent[field.key])) : ''
    const value = typed === '' ? undefined : valueOf(field, typed)
    if (value !== undefined) values.push({ key: field.key, label: field.label, value })
    else if (typed !== '' || field.required) errors.push(errorOf(field, typed === ''))
  }
  for (const key of Object.keys(sent)) {
    if (fields.some((field) => field.key === key)) continue
    errors.push({
      field: `custom_fields.${key}`,
      code: 'custom_field_unknown',
      message: 'This page has no such field.',
      messageSw: 'Ukurasa huu hauna sehemu hiyo.',
    })
  }
  return errors.length > 0 ? { kind: 'broken', errors } : { kind: 'values', values }
}
