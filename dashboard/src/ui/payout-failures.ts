/** Why a payout or refund did not arrive, in the person's language: the API's own sentence. */
import type { Failure } from '../api/operations.ts'
import { useLanguage } from '../i18n/define-texts.ts'

export function useFailureText(): (failure: Failure) => string {
  const language = useLanguage()
  return ({ message, message_sw }) => (language === 'sw' ? message_sw : message)
}
