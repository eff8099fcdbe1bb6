/** Why a payment failed, for its merchant: what happened on the payer's side, not advice for the payer. */
import type { MerchantPayment } from '../../api/operations.ts'
import { paymentTexts } from './texts.ts'

/** A code that is newer than this screen is shown with the API's message. */
export function failureText({ code, message }: Pick<NonNullable<MerchantPayment['failure']>, 'code' | 'message'>): string {
  const key = `failure.${code}`
  return paymentTexts.has(key) ? paymentTexts.say(key) : message
}
