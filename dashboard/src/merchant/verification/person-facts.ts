/** The details of a person: as typed, and their errors. */
import { ApiError } from '../../api/api-error.ts'
import type { PersonalKyc } from '../../api/operations.ts'
import { today } from '../../ui/days.ts'
import type { Problems } from '../../ui/form.tsx'
import type { VerificationSay } from './texts.ts'

export type PersonDraft = {
  /** Empty: the number that was sent before stays. */
  national_id_number: string
  /** YYYY-MM-DD, or empty. */
  date_of_birth: string
}

export function personDraftOf(kyc: PersonalKyc): PersonDraft {
  return { national_id_number: '', date_of_birth: kyc.date_of_birth ?? '' }
}

/** What stands in no number. Spaces and dashes of any kind, and marks that cannot be seen, are left to the service, which leaves them out. */
const foreign = /[^\p{L}\p{N}\p{Zs}\p{Pd}\p{Cf}/]/u
const [leastCharacters, mostCharacters] = [6, 40]

function isNumber(text: string): boolean {
  const { length } = text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  return !foreign.test(text) && length >= leastCharacters && length <= mostCharacters
}

export function personProblems(draft: PersonDraft, kyc: PersonalKyc, say: VerificationSay): Problems {
  const typed = draft.national_id_number.trim()
  const isKept = typed === '' && kyc.national_id_last4 !== null
  return {
    ...(typed === '' && !isKept && { national_id_number: say('problem.missing') }),
    ...(typed !== '' && !isNumber(typed) && { national_id_number: say('problem.nationalId') }),
    ...birthdayProblem(draft.date_of_birth, say),
  }
}

/** As the API checks it at the end: the person learns it in this step. */
function birthdayProblem(day: string, say: VerificationSay): Problems {
  if (day === '') return { date_of_birth: say('problem.missing') }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return { date_of_birth: say('problem.format') }
  const now = today()
  if (day > now) return { date_of_birth: say('problem.future') }
  const tenYearsAgo = `${Number(now.slice(0, 4)) - 10}${now.slice(4)}`
  return day < '1900-01-01' || day >= tenYearsAgo ? { date_of_birth: say('problem.dateOfBirth') } : {}
}

/** The API's refusals of these fields. */
export function refusedFacts(error: unknown, say: VerificationSay): Problems {
  if (!(error instanceof ApiError)) return {}
  const fields = new Set(error.fields.map(({ field }) => field))
  return {
    ...(fields.has('national_id_number') && { national_id_number: say('problem.nationalId') }),
    ...(fields.has('date_of_birth') && { date_of_birth: say('problem.dateOfBirth') }),
  }
}
