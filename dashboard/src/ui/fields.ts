/** The values of the fields of a form, by the API's names, and the properties that bind an input to one of them. */
import { useState } from 'react'
import { shared } from './texts.ts'

/** Texts by the names of the fields. */
export type Problems = Readonly<Record<string, string>>

/** Values that a draft or a screen above the form keeps. */
export type Kept<Values> = { value: Values; change(changes: Partial<Values>): void }

type Typed = { currentTarget: { value: string } }
type Name<Values> = keyof Values & string
type NameOf<Values, Value> = { [N in Name<Values>]: Values[N] extends Value ? N : never }[Name<Values>]
/** An input that the form requires says so to screen readers; the label shows no asterisk. */
type Bound<Value, Change> = {
  value: Value
  onChange(change: Change): void
  error: string | undefined
  required?: true
  withAsterisk?: false
}

/** Of an input of text. */
export type BoundText = Bound<string, Typed>

export type Fields<Values> = {
  values: Values
  change(changes: Partial<Values>): void
  /** For an input of text: `<TextInput {...form.field('name')} />`. */
  field(name: NameOf<Values, string>): BoundText
  /** For an input that hands over its value: an amount, a code. */
  control<N extends Name<Values>>(name: N): Bound<Values[N], Values[N]>
}

/** Values for a screen that reads them before its form, or hands them from step to step. */
export function useKept<Values extends object>(first: Values): Kept<Values> {
  const [value, setValue] = useState(first)
  return { value, change: (changes) => setValue((now) => ({ ...now, ...changes })) }
}

/** For `useForm`: its values, and its inputs with their problems. */
export function fieldsOf<Values extends object>(
  { value: values, change }: Kept<Values>,
  required: readonly Name<Values>[],
  problems: Problems,
): Fields<Values> {
  const control = <N extends Name<Values>>(name: N): Bound<Values[N], Values[N]> => ({
    value: values[name],
    onChange: (value) => change({ [name]: value } as unknown as Partial<Values>),
    error: problems[name],
    ...(required.includes(name) && { required: true, withAsterisk: false }),
  })
  return {
    values,
    change,
    field: (name) => {
      const { onChange, ...bound } = control<Name<Values>>(name)
      return {
        ...bound,
        value: values[name] as string,
        onChange: ({ currentTarget }) => onChange(currentTarget.value as Values[Name<Values>]),
      }
    },
    control,
  }
}

/** A message for each field that is empty. */
export function needed(fields: Readonly<Record<string, unknown>>): Problems {
  const isEmpty = (value: unknown): boolean => {
    if (typeof value === 'string') return value.trim() === ''
    return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  }
  const empty = Object.keys(fields).filter((name) => isEmpty(fields[name]))
  return Object.fromEntries(empty.map((name) => [name, shared.say('problem.required')]))
}
