/** The text of a refusal in the person's language: the API's sentence, in English our own where the API's is for programs. */
import { ApiError } from '../api/api-error.ts'
import { currentLanguage } from '../i18n/current-language.ts'
import { wholeAmounts } from '../i18n/translator.ts'
import { momentText } from './format.ts'
import { shared } from './texts.ts'

/** In Swahili the API's `message_sw` is already for people. */
const english: Readonly<Record<string, string>> = {
  rate_limited: 'Too many tries. Wait a moment, then try again.',
  not_found: 'This does not exist, or it is not yours.',
  validation_error: 'Some fields are not correct.',
  step_up_required: 'Verify your identity again to do this.',
  kyc_required: 'Your identity must be verified first.',
  business_not_verified: 'The business must be verified first.',
  student_id_required: 'Add your student number first, in your profile.',
  representative_kyc_required: 'The identity of the representative of this business must be verified first.',
  documents_not_opened: 'Open every document first: a document marked as checked has not been opened in its current version.',
  idempotency_key_reused: 'This has changed since it was first sent. Reload the page, and see whether it was done.',
  host_not_registered: 'This host is not registered as yours yet. Register it first, or use the website of your business.',
}

function sentence(code: string, message: string, messageSw: string | undefined): string {
  return wholeAmounts((currentLanguage() === 'sw' ? messageSw : english[code]) ?? message)
}

export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return shared.say('problem.unknown')
  if (error.status === 0) return shared.say('problem.unreachable')
  if (error.code === 'rate_limited' && (error.retryAfterSeconds ?? 0) > 60) {
    return shared.say('problem.rate_limited_until', { minutes: Math.ceil(error.retryAfterSeconds! / 60) })
  }
  if (error.code === 'payout_must_wait' && typeof error.details['until'] === 'string') {
    return shared.say('problem.payout_must_wait', { until: momentText(error.details['until'], currentLanguage()) })
  }
  // No sentence of the API came with this answer, such as the page of a proxy.
  if (error.messageSw === undefined) return shared.say('problem.unknown')
  // Where no field says what is not correct, only the sentence of the API does.
  const isOfFields = error.code !== 'validation_error' || error.fields.length > 0
  return sentence(isOfFields ? error.code : '', error.message, error.messageSw)
}

/** The errors of a form by field: `{ email: 'There is an account …' }`. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(
    error.fields.map(({ field, code, message, message_sw }) => [field, sentence(code, message, message_sw)]),
  )
}
