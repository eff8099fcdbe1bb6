/**
 * Every form of the dashboards: it is checked first, sent once at a time, and after each refusal the focus and the view move to the
 * message. A message that no field shows is in one alert above the fields.
 */
import { Alert, Stack, type StackProps } from '@mantine/core'
import { useLayoutEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { isUnsureAfter } from '../api/api-error.ts'
import { useLanguage } from '../i18n/define-texts.ts'
import type { Language } from '../i18n/language.ts'
import { fieldsOf, needed, useKept, type Fields, type Kept, type Problems } from './fields.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { fieldProblems, problemText } from './problem-text.ts'
import { shared } from './texts.ts'

export { needed, type Problems } from './fields.ts'

type Rules<Values> = {
  /** The first values of the fields, by the API's names. */
  fields?: Values
  /** Instead of `fields`: a draft, or values that a screen above keeps. */
  kept?: Kept<Values>
  /** Fields that must not be empty. */
  required?: readonly (keyof Values & string)[]
  /** Other errors that need no request; empty if none. */
  check?(values: Values): Problems
  /** A draft with the key of a request whose end is not known: it outlives the screen, and the same request is sent again. */
  keptKey?: Kept<SentKey>
  /** The key is the same until the API has answered, so that a repeated request takes effect once. */
  send(values: Values, idempotencyKey: string): Promise<unknown>
  /** The errors of the fields; by default those that the API names. */
  problemsOf?(error: unknown): Problems
  /** The text of an error that concerns no field. */
  textOf?(error: unknown): string
  /** Errors of a later step, which are shown when the form opens. */
  first?: Problems
}

/** `key`: of a request that may have taken effect; undefined if none was sent, or its end is known. */
export type SentKey = { key: string | undefined }

/** A new object for each refusal: the focus moves again, even if the texts are the same. */
type Refusal = {
  problems: Problems
  text: string | undefined
  /** Undefined if a check found the problems. */
  error: unknown
  language: Language
  /** Translated while it was shown: the focus stays where it is. */
  isTranslated: boolean
}

export type FormState = {
  submit(event?: FormEvent): void
  isBusy: boolean
  /** Errors at the fields, by their names. */
  problems: Problems
  /** The refusal of the API. */
  error: unknown
  /** Forgets the refusal. The next opening has another idempotency key, unless a request is under way, or its outcome is not known. */
  reset(): void
  refusal: Refusal | undefined
}

export type FormOf<Values> = FormState & Fields<Values>

const noProblems: Problems = {}

export function useForm<Values extends object = object>(rules: Rules<Values>): FormOf<Values> {
  const { required = [], problemsOf = fieldProblems, textOf = problemText, first = noProblems } = rules
  const language = useLanguage()
  const own = useKept(rules.fields ?? ({} as Values))
  const { value: values, change } = rules.kept ?? own
  // Two clicks within one frame count as one.
  const isSending = useRef(false)
  const key = useRef(rules.keptKey?.value.key)
  const isOutcomeUnknown = useRef(rules.keptKey?.value.key !== undefined)
  const [isBusy, setIsBusy] = useState(false)

  const ofFields = (problems: Problems, isTranslated = false): Refusal | undefined =>
    Object.keys(problems).length > 0 ? { problems, text: undefined, error: undefined, language, isTranslated } : undefined
  const ofError = (error: unknown, isTranslated = false): Refusal => {
    const problems = problemsOf(error)
    const text = Object.keys(problems).length === 0 ? textOf(error) : undefined
    return { problems, text, error, language, isTranslated }
  }
  const checked = (): Problems => ({
    ...needed(Object.fromEntries(required.map((name) => [name, values[name]]))),
    ...rules.check?.(values),
  })
  const [refusal, setRefusal] = useState(() => ofFields(first))
  if (refusal && refusal.language !== language) {
    setRefusal(refusal.error === undefined ? ofFields(checked(), true) : ofError(refusal.error, true))
  }

  const sendOnce = async (): Promise<void> => {
    isSending.current = true
    setIsBusy(true)
    setRefusal(undefined)
    try {
      // The draft was cleared, or the last try was refused: this is another request.
      if (rules.keptKey && rules.keptKey.value.key === undefined) {
        key.current = undefined
        isOutcomeUnknown.current = false
      }
      key.current ??= newIdempotencyKey()
      rules.keptKey?.change({ key: key.current })
      await rules.send(values, key.current)
      key.current = undefined
      isOutcomeUnknown.current = false
    } catch (error) {
      isOutcomeUnknown.current = isUnsureAfter(error, isOutcomeUnknown.current)
      if (!isOutcomeUnknown.current) rules.keptKey?.change({ key: undefined })
      setRefusal(ofError(error))
    } finally {
      isSending.current = false
      setIsBusy(false)
    }
  }
  const problems = refusal?.problems ?? noProblems
  return {
    ...fieldsOf({ value: values, change }, required, problems),
    submit: (event) => {
      event?.preventDefault()
      if (isSending.current) return
      const refused = ofFields(checked())
      if (refused) setRefusal(refused)
      else void sendOnce()
    },
    isBusy,
    problems,
    error: refusal?.error,
    reset: () => {
      if (!isOutcomeUnknown.current && !isSending.current) key.current = undefined
      setRefusal(undefined)
    },
    refusal,
  }
}

/** Below the fixed parts of the screen and above a keyboard, which may cover the lower half. */
function reveal(target: HTMLElement): void {
  target.focus({ preventScroll: true })
  const whole = target.closest<HTMLElement>('.mantine-InputWrapper-root') ?? target
  whole.scrollIntoView({ block: 'start' })
}

/** The first field with a message, or its first choice. */
function firstWrong(form: HTMLElement): HTMLElement | null {
  const found = form.querySelector<HTMLElement>('[aria-invalid=true], .mantine-InputWrapper-error')
  if (!found?.classList.contains('mantine-InputWrapper-error')) return found
  return found.closest('.mantine-InputWrapper-root')!.querySelector<HTMLElement>('input, textarea, select')
}

/** Messages that no field shows. */
function textAbove({ problems, text }: Refusal, form: HTMLElement): string | undefined {
  if (text !== undefined) return text
  const shown = [...form.querySelectorAll('.mantine-InputWrapper-error')].map((element) => element.textContent)
  const rest = Object.values(problems).filter((problem) => !shown.includes(problem))
  return rest.length > 0 ? [...new Set(rest)].join(' ') : undefined
}

type FormProps = Omit<StackProps, 'children' | 'ref'> & {
  of: FormState
  /** Whether what was sent has happened is not known. */
  isDoubt?: boolean
  children: ReactNode
}

/** The form element, the alert, and the fields in a stack. */
export function Form({ of: { submit, refusal }, isDoubt = false, children, ...stack }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  useErrorTitle(refusal !== undefined)
  const [above, setAbove] = useState<{ text: string; of: Refusal }>()
  useLayoutEffect(() => {
    if (!refusal) return
    const text = textAbove(refusal, form.current!)
    if (text !== undefined) return setAbove({ text, of: refusal })
    const wrong = refusal.isTranslated ? null : firstWrong(form.current!)
    if (wrong) reveal(wrong)
  }, [refusal])
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack {...stack}>
        <Problem
          error={refusal && above?.of === refusal ? refusal : undefined}
          isSeen={refusal?.isTranslated ?? false}
          isDoubt={isDoubt}
          {...(above && { text: above.text })}
        />
        {children}
      </Stack>
    </form>
  )
}

function useErrorTitle(isShown: boolean): void {
  const prefix = `${shared.use()('error')}: `
  useLayoutEffect(() => {
    const before = document.title
    if (!isShown || before.startsWith(prefix)) return undefined
    document.title = `${prefix}${before}`
    return () => {
      document.title = before
    }
  }, [isShown, prefix])
}

type ProblemProps = {
  /** Nothing is shown without one. A new one takes the focus. */
  error: unknown
  /** Instead of the error's own text. */
  text?: string
  title?: string
  /** It was shown before, in the other language. */
  isSeen?: boolean
  /** Whether the action has happened is not known: this is not red. */
  isDoubt?: boolean
}

/** A refusal in an alert, which takes the focus and comes into view. */
export function Problem({ error, text, title, isSeen = false, isDoubt = false }: ProblemProps) {
  const alert = useRef<HTMLDivElement>(null)
  const isShown = Boolean(error)
  useErrorTitle(isShown)
  useLayoutEffect(() => {
    if (alert.current && !isSeen) reveal(alert.current)
  }, [error, isSeen])
  if (!isShown) return null
  return (
    <Alert ref={alert} color={isDoubt ? 'yellow' : 'red'} role="alert" title={title} tabIndex={-1}>
      {text ?? problemText(error)}
    </Alert>
  )
}
