/** The details of a business: as typed, in the form of the API, and the missing ones. */
import { ApiError } from '../../api/api-error.ts'
import type { Business, Operations } from '../../api/operations.ts'
import type { Problems } from '../../ui/form.tsx'
import type { VerificationSay } from './texts.ts'

export type BusinessBody = Operations['POST /v1/businesses']['body']

export const businessTypes = ['sole_proprietor', 'company', 'partnership', 'ngo', 'other'] as const

const optional = ['trading_name', 'tax_identification_number', 'website'] as const
const required = ['legal_name', 'address', 'city', 'region', 'phone', 'email', 'representative_role'] as const
export const factNames = [...required, ...optional, 'business_type', 'registration_number'] as const

export type FactName = (typeof factNames)[number]

/** An empty field is a missing value. */
export type BusinessDraft = Record<Exclude<FactName, 'business_type'>, string> & {
  business_type: (typeof businessTypes)[number]
}

export const emptyBusiness = {
  ...Object.fromEntries(factNames.map((name) => [name, ''])),
  business_type: 'sole_proprietor',
} as BusinessDraft

export function draftOf(business: Business): BusinessDraft {
  const texts = [...required, ...optional].map((name) => [name, business[name] ?? ''] as const)
  const { business_type, registration_number } = business
  return { ...emptyBusiness, ...Object.fromEntries(texts), business_type, registration_number }
}

/** People leave out the `https://` that a browser hides. */
function wholeAddress(text: string): string {
  return /^[a-z]+:/i.test(text) ? text : `https://${text}`
}

export function bodyOf(draft: BusinessDraft): BusinessBody {
  const website = draft.website.trim()
  return {
    ...draft,
    country: 'TZ',
    registration_number: draft.registration_number.trim(),
    trading_name: draft.trading_name.trim() || null,
    tax_identification_number: draft.tax_identification_number.trim() || null,
    website: website === '' ? null : wholeAddress(website),
  }
}

/** The registration number is optional only for a business that is not registered. */
export function needsNumber({ business_type }: Pick<BusinessDraft, 'business_type'>): boolean {
  return business_type !== 'sole_proprietor'
}

export function missingFacts(draft: BusinessDraft, say: VerificationSay): Problems {
  const names = needsNumber(draft) ? [...required, 'registration_number' as const] : required
  const missing = names.filter((name) => draft[name].trim() === '')
  return Object.fromEntries(
    missing.map((name) => [name, say(name === 'registration_number' ? 'problem.number' : 'problem.missing')]),
  )
}

const withOwnWords = ['website', 'phone', 'email'] as const

/** The API's refusals of these fields, in the person's language. */
export function factProblems(error: unknown, say: VerificationSay): Problems {
  if (!(error instanceof ApiError)) return {}
  const own = error.fields.filter(({ field }) => factNames.some((name) => name === field))
  return Object.fromEntries(
    own.map(({ field, code }) => {
      if (code === 'required') return [field, say(field === 'registration_number' ? 'problem.number' : 'problem.missing')]
      const name = withOwnWords.find((one) => one === field)
      return [field, say(name ? `problem.${name}` : 'problem.text')]
    }),
  )
}
