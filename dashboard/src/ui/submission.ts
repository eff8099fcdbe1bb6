/** Sending a form: once at a time, with what was wrong in the words of the person, as a whole and field by field. */
import { useState, type FormEvent } from 'react'
import { fieldProblems, problemText } from './problem-text.ts'

export type Submission = {
  /** For `onSubmit` of the form. */
  submit(event: FormEvent): void
  isBusy: boolean
  /** Undefined where every problem is a field's. */
  problem: string | undefined
  fields: Record<string, string>
  error: unknown
}

/** `known` are the fields of the form: what the API says of them stands there, everything else above. */
export function useSubmission(send: () => Promise<unknown>, known: readonly string[] = []): Submission {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const fields = fieldProblems(error)
  const hasOwn = Object.keys(fields).some((field) => known.includes(field))
  return {
    submit: (event) => {
      event.preventDefault()
      setIsBusy(true)
      setError(undefined)
      send()
        .catch(setError)
        .finally(() => setIsBusy(false))
    },
    isBusy,
    problem: error === undefined || hasOwn ? undefined : problemText(error),
    fields,
    error,
  }
}
