/** Why a payment failed, as its merchant is told: what happened at the payer's, not what the payer should do. */
import type { MerchantPayment } from '../../api/operations.ts'
import type { Say } from '../../i18n/define-texts.ts'

const known = [
  'insufficient_funds',
  'wrong_pin',
  'declined_by_payer',
  'prompt_timeout',
  'payer_not_found',
  'payer_limit',
  'payer_busy',
  'network_unavailable',
  'provider_error',
] as const

export type FailureKey = `failure.${(typeof known)[number]}`

/** A code that is newer than this screen is told in the API's own words. */
export function failureText(
  say: Say<FailureKey>,
  { code, message }: Pick<NonNullable<MerchantPayment['failure']>, 'code' | 'message'>,
): string {
  const own = known.find((one) => one === code)
  return own ? say(`failure.${own}`) : message
}
