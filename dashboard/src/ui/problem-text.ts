/** The text of a refusal in the person's language: our own text if there is one, otherwise the API's. */
import { ApiError } from '../api/api-error.ts'
import { currentLanguage } from '../i18n/language.ts'
import { texts } from '../i18n/language.ts'
import { momentText } from './format.ts'
import { shared } from './texts.ts'

/** The refusals that only one app knows, in texts that it loads with its screens. */
export const furtherProblems = 'further-problems'

/** `details` of the API are the values of the text. */
function ownSentence(code: string, details: Record<string, unknown> = {}): string | undefined {
  const key = `problem.${code}`
  const ns = ['shared', furtherProblems].find((name) => texts.exists(key, { ns: name }))
  return ns === undefined ? undefined : texts.t(key, { ...details, ns })
}

export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return shared.say('problem.unknown')
  if (error.code === 'rate_limited' && (error.retryAfterSeconds ?? 0) > 60) {
    return shared.say('problem.rate_limited_until', { minutes: Math.ceil(error.retryAfterSeconds! / 60) })
  }
  if (error.code === 'payout_must_wait' && typeof error.details['until'] === 'string') {
    return shared.say('problem.payout_must_wait', { until: momentText(error.details['until'], currentLanguage()) })
  }
  if (currentLanguage() === 'sw' && error.messageSw !== undefined) return error.messageSw
  const own = ownSentence(error.code, error.details)
  if (own !== undefined) return own
  return error.status >= 500 ? shared.say('problem.unknown') : error.message
}

/** The errors of a form by field: `{ email: 'There is an account …' }`. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(error.fields.map(({ field, code, message }) => [field, ownSentence(code) ?? message]))
}
