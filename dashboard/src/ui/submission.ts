/** Sends a form, once at a time, and shows errors in the person's language, as a whole and field by field. */
import { useState, type FormEvent } from 'react'
import { fieldProblems, problemText } from './problem-text.ts'

export type Submission = {
  /** For `onSubmit` of the form. */
  submit(event: FormEvent): void
  isBusy: boolean
  /** Undefined if every error belongs to a field. */
  problem: string | undefined
  fields: Record<string, string>
  error: unknown
}

/** `known` are the fields of the form: their errors appear there, all others above. */
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

/** The idempotency key of a form, created when the form opens: repeated requests with it take effect once. */
export function newIdempotencyKey(): string {
  // `randomUUID` exists only on https and localhost.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
