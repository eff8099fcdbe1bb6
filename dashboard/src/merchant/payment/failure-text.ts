/** Why a payment failed, for its merchant: what happened on the payer's side, not advice for the payer. */
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

/** A code that is newer than this screen is shown with the API's message. */
export function failureText(
  say: Say<FailureKey>,
  { code, message }: Pick<NonNullable<MerchantPayment['failure']>, 'code' | 'message'>,
): string {
  const own = known.find((one) => one === code)
  return own ? say(`failure.${own}`) : message
}
