/** Why a payment failed, in words that a payer can act on. A provider's own text never reaches a payer. */
import type { FailureCode } from '../providers/provider.ts'

type Failure = { message: string; messageSw: string; retryable: boolean }

export const failures: Record<FailureCode, Failure> = {
  insufficient_funds: {
    message: 'Not enough balance. Top up and try again.',
    messageSw: 'Salio halitoshi. Ongeza salio kisha jaribu tena.',
    retryable: true,
  },
  wrong_pin: {
    message: 'The PIN was wrong. Try again with the right PIN.',
    messageSw: 'Namba ya siri si sahihi. Jaribu tena.',
    retryable: true,
  },
  declined_by_payer: {
    message: 'The payment was declined on the phone.',
    messageSw: 'Malipo yamekataliwa kwenye simu.',
    retryable: true,
  },
  prompt_timeout: {
    message: 'Nobody answered the request on the phone in time. Try again.',
    messageSw: 'Ombi halikujibiwa kwenye simu kwa wakati. Jaribu tena.',
    retryable: true,
  },
  payer_not_found: {
    message: 'This number has no mobile money account. Use another number.',
    messageSw: 'Namba hii haina akaunti ya pesa kwa simu. Tumia namba nyingine.',
    retryable: false,
  },
  payer_limit: {
    message: 'This number has reached its mobile money limit. Use another number, or a smaller amount.',
    messageSw: 'Namba hii imefikia kikomo cha miamala. Tumia namba nyingine au kiasi kidogo.',
    retryable: false,
  },
  payer_busy: {
    message: 'Another request is open on this phone. Finish it, then try again.',
    messageSw: 'Kuna ombi jingine kwenye simu hii. Limalize, kisha jaribu tena.',
    retryable: true,
  },
  network_unavailable: {
    message: 'The mobile network could not be reached. Try again in a few minutes.',
    messageSw: 'Mtandao wa simu haupatikani kwa sasa. Jaribu tena baada ya dakika chache.',
    retryable: true,
  },
  provider_error: {
    message: 'The payment did not go through. Try again.',
    messageSw: 'Malipo hayajakamilika. Jaribu tena.',
    retryable: true,
  },
}
