/** A form that is looked through before it is sent: once at a time, and whoever has to correct something is led to the first of it. */
import { useLayoutEffect, useRef, useState, type FormEvent, type RefObject } from 'react'
import { problemText } from './problem-text.ts'

export type Problems = Record<string, string>

type CheckedForm = {
  form: RefObject<HTMLFormElement | null>
  submit(event: FormEvent): void
  isBusy: boolean
  /** At the fields, by their names. */
  problems: Problems
  /** What no field is to blame for. */
  problem: string | undefined
}

type Rules = {
  /** What can be seen without asking; empty where all is well. */
  check(): Problems
  send(): Promise<unknown>
  /** What the API says of the fields of this form. */
  problemsOf(error: unknown): Problems
}

export function useCheckedForm({ check, send, problemsOf }: Rules): CheckedForm {
  const form = useRef<HTMLFormElement>(null)
  // Two presses within one frame are one.
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
