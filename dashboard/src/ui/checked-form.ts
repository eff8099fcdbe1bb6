/** A form that is checked before it is sent, once at a time. After errors, the focus moves to the first wrong field. */
import { useLayoutEffect, useRef, useState, type FormEvent, type RefObject } from 'react'
import { problemText } from './problem-text.ts'

export type Problems = Record<string, string>

type CheckedForm = {
  form: RefObject<HTMLFormElement | null>
  submit(event: FormEvent): void
  isBusy: boolean
  /** Errors at the fields, by their names. */
  problems: Problems
  /** Errors that belong to no field. */
  problem: string | undefined
}

type Rules = {
  /** Errors that need no request; empty if none. */
  check(): Problems
  send(): Promise<unknown>
  /** The API's errors of this form's fields. */
  problemsOf(error: unknown): Problems
}

export function useCheckedForm({ check, send, problemsOf }: Rules): CheckedForm {
  const form = useRef<HTMLFormElement>(null)
  // Two clicks within one frame count as one.
  const isSending = useRef(false)
  const [isBusy, setIsBusy] = useState(false)
  const [problems, setProblems] = useState<Problems>({})
  const [problem, setProblem] = useState<string>()
  useLayoutEffect(() => {
    if (Object.keys(problems).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [problems])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isSending.current) return
    const seen = check()
    setProblem(undefined)
    setProblems(seen)
    if (Object.keys(seen).length > 0) return
    isSending.current = true
    setIsBusy(true)
    send()
      .catch((error: unknown) => {
        const found = problemsOf(error)
        setProblems(found)
        if (Object.keys(found).length === 0) setProblem(problemText(error))
      })
      .finally(() => {
        isSending.current = false
        setIsBusy(false)
      })
  }
  return { form, submit, isBusy, problems, problem }
}
