/** The fields that a merchant has added to a page: their part of the form, what was typed in them, and their errors. */
import { textTyped } from '../../../domain/typed.ts'
import { customFieldLimits, type CustomField } from '../../../collect/pages/custom-field.ts'
import type { PayerError } from '../../../collect/payments/checkout-rules.ts'
import { readCustomFields } from '../../../collect/payments/custom-fields.ts'
import { html, type Html } from './html.ts'
import { messagesOf, type Language } from './messages.ts'

/** The exact input by the key of its field. */
export type CustomTyped = Readonly<Record<string, string>>

const prefix = 'custom_'

/** The input of these fields in a sent form; `value` refuses a name that occurs twice. */
export function customTypedOf(names: Iterable<string>, value: (name: string) => string): CustomTyped {
  const ours = [...new Set(names)].filter((name) => name.startsWith(prefix))
  return Object.fromEntries(ours.map((name) => [name.slice(prefix.length), value(name)]))
}

/** The values of the fields that the page has now, and what is wrong with them. A field that was removed meanwhile is left out. */
export function readCustomTyped(
  fields: readonly CustomField[],
  typed: CustomTyped,
): { values: Record<string, string>; errors: PayerError[] } {
  const known = fields.filter(({ key }) => Object.hasOwn(typed, key) && textTyped(typed[key]!) !== '')
  const values = Object.fromEntries(known.map(({ key }) => [key, typed[key]!]))
  const reading = readCustomFields(fields, values)
  return { values, errors: reading.kind === 'broken' ? reading.errors : [] }
}

const idOf = (error: PayerError): string => prefix + error.field.slice('custom_fields.'.length)

const textOf = (error: PayerError, language: Language): string => (language === 'sw' ? error.messageSw : error.message)

/** The lines of the summary of errors. */
export function customProblemsHtml(errors: readonly PayerError[], language: Language): Html[] {
  return errors.map((error) => html`<li><a href="#${idOf(error)}">${textOf(error, language)}</a></li>`)
}

function inputHtml(
  { type, choices, required }: CustomField,
  id: string,
  value: string,
  described: Html | false,
  t: { choose: string },
): Html {
  const isRequired = required && html` required`
  if (type === 'choice') {
    const options = choices.map((choice) => html`<option ${choice === value && html` selected`}>${choice}</option>`)
    return html`<select id="${id}" name="${id}" ${isRequired}${described}>
      <option value="">${t.choose}</option>
      ${options}
    </select>`
  }
  const kind =
    type === 'number'
      ? html`inputmode="decimal" pattern="[0-9., -]+" maxlength="${customFieldLimits.number}"`
      : html`maxlength="${customFieldLimits.text}"`
  return html`<input id="${id}" name="${id}" value="${value}" ${kind} autocomplete="off" ${isRequired}${described} />`
}

export function customFieldsHtml(
  fields: readonly CustomField[],
  view: { typed: CustomTyped; errors: readonly PayerError[]; language: Language },
): Html[] {
  const t = messagesOf[view.language]
  return fields.map((field) => {
    const id = prefix + field.key
    const error = view.errors.find((one) => idOf(one) === id)
    const described = error ? html` aria-describedby="${id}-error" aria-invalid="true"` : false
    const value = Object.hasOwn(view.typed, field.key) ? view.typed[field.key]! : ''
    return html`<label for="${id}">${field.label}${!field.required && html` <small>${t.optionalField}</small>`}</label>${
      error && html`<span class="err" id="${id}-error">${textOf(error, view.language)}</span>`
    }${inputHtml(field, id, value, described, { choose: t.chooseOne })}`
  })
}
