/** The API's refusals of a page, shown at their fields in the person's language. */
import { ApiError } from '../../api/api-error.ts'
import type { Say } from '../../i18n/define-texts.ts'

const byCode = ['amount_required', 'amount_too_small', 'amount_too_large', 'max_payments_invalid', 'slug_taken'] as const
const byField = ['title', 'max_amount', 'slug', 'redirect_url'] as const

export type ProblemKey = `problem.${'other' | (typeof byCode)[number] | (typeof byField)[number]}`

function sentenceOf(say: Say<ProblemKey>, field: string, code: string): string {
  const name = byField.find((one) => one === field) ?? byCode.find((one) => one === code) ?? 'other'
  return say(`problem.${code === 'slug_taken' ? code : name}`)
}

/** By the API's field names; empty if no field was refused. */
export function problemsOf(error: unknown, say: Say<ProblemKey>): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  if (error.code === 'slug_taken') return { slug: sentenceOf(say, 'slug', error.code) }
  return Object.fromEntries(error.fields.map(({ field, code }) => [field, sentenceOf(say, field, code)]))
}
