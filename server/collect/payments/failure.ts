/** Why a payment failed, in words that help the payer. A provider's own text never reaches a payer. */
import type { PayerLanguage } from '../../domain/language.ts'
import type { FailureCode } from '../../domain/payment.ts'

type Sentence = Record<PayerLanguage, string>

export type Failure = {
  /** The reason of the failure. */
  reason: Sentence
  /** The step that helps now. */
  step: Sentence
  /** The same number may succeed next time. */
  retryable: boolean
  /** The reason and the step in one text. */
  message: string
  messageSw: string
}

function failure(retryable: boolean, reason: Sentence, step: Sentence): Failure {
  return { reason, step, retryable, message: `${reason.en} ${step.en}`, messageSw: `${reason.sw} ${step.sw}` }
}

export const failures: Record<FailureCode, Failure> = {
  insufficient_funds: failure(
    true,
    { sw: 'Salio halitoshi.', en: 'The balance is too low.' },
    { sw: 'Ongeza salio kisha jaribu tena, au tumia namba nyingine.', en: 'Top up and try again, or use another number.' },
  ),
  wrong_pin: failure(
    true,
    { sw: 'Namba ya siri (PIN) si sahihi.', en: 'The PIN was wrong.' },
    { sw: 'Jaribu tena kwa namba sahihi ya siri.', en: 'Try again with the correct PIN.' },
  ),
  declined_by_payer: failure(
    true,
    { sw: 'Malipo yamekataliwa kwenye simu.', en: 'The payment was declined on the phone.' },
    { sw: 'Kama hukukusudia kukataa, jaribu tena.', en: 'If you did not mean to decline, try again.' },
  ),
  prompt_timeout: failure(
    true,
    { sw: 'Ombi halikujibiwa kwenye simu kwa wakati.', en: 'The request on the phone was not answered in time.' },
    { sw: 'Fungua skrini ya simu, kisha jaribu tena.', en: 'Unlock the phone’s screen, then try again.' },
  ),
  payer_not_found: failure(
    false,
    { sw: 'Namba hii haina akaunti ya pesa kwa simu.', en: 'This number has no mobile money account.' },
    { sw: 'Tumia namba nyingine.', en: 'Use another number.' },
  ),
  payer_limit: failure(
    false,
    { sw: 'Namba hii imefikia kikomo cha miamala.', en: 'This number has reached its mobile money limit.' },
    { sw: 'Tumia namba nyingine au kiasi kidogo.', en: 'Use another number, or a smaller amount.' },
  ),
  payer_busy: failure(
    true,
    { sw: 'Kuna ombi jingine kwenye simu hii.', en: 'Another request is open on this phone.' },
    { sw: 'Limalize, kisha jaribu tena.', en: 'Finish it, then try again.' },
  ),
  network_unavailable: failure(
    true,
    { sw: 'Mtandao wa simu haupatikani kwa sasa.', en: 'The mobile network could not be reached.' },
    {
      sw: 'Jaribu tena baada ya dakika chache, au tumia namba ya mtandao mwingine.',
      en: 'Try again in a few minutes, or use a number of another network.',
    },
  ),
  provider_error: failure(
    true,
    { sw: 'Mtandao wa simu haukukubali malipo haya.', en: 'The mobile network did not accept this payment.' },
    { sw: 'Jaribu tena; ikishindikana, tumia namba nyingine.', en: 'Try again. If it fails again, use another number.' },
  ),
}
