/** Why money did not arrive: a payment in words that help the payer, a payout or refund in words for its merchant. A provider's own text is never shown. */
import { z } from 'zod'
import type { PayerLanguage } from './language.ts'
import type { FailureCode } from './payment.ts'
import type { PayoutFailureCode } from './payout.ts'
import type { Pair } from './texts.ts'

/** The one form of a failure in every answer and event. */
export const failureSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    message_sw: z.string().meta({ description: 'The same in Swahili.' }),
    retryable: z.boolean().meta({ description: 'A new try with the same number may succeed.' }),
  })
  .meta({ id: 'Failure' })

type FailureJson = z.infer<typeof failureSchema>

function failureToJson<Code extends string>(
  code: Code,
  { message, messageSw, retryable }: Pick<Failure, 'message' | 'messageSw' | 'retryable'>,
): FailureJson & { code: Code } {
  return { code, message, message_sw: messageSw, retryable }
}

type Sentence = Record<PayerLanguage, string>

export type Failure = {
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

/** A refund that its merchant cancelled, or that the network returned, has failed too. */
export const refundEnds = ['cancelled', 'returned'] as const
export type MoneyOutFailureCode = PayoutFailureCode | (typeof refundEnds)[number]

type MoneyOutFailure = Pick<Failure, 'message' | 'messageSw' | 'retryable'>

const moneyOutFailures: Record<MoneyOutFailureCode, MoneyOutFailure> = {
  recipient_not_found: {
    message: 'This number has no mobile money account.',
    messageSw: 'Namba hii haina akaunti ya pesa za simu.',
    retryable: false,
  },
  recipient_limit: {
    message: 'The recipient has reached a limit of their mobile money account.',
    messageSw: 'Mpokeaji amefikia kikomo cha akaunti yake ya simu.',
    retryable: false,
  },
  network_unavailable: {
    message: 'The mobile network could not be reached.',
    messageSw: 'Mtandao wa simu haukupatikana.',
    retryable: true,
  },
  provider_error: { message: 'The money could not be sent.', messageSw: 'Pesa haikuweza kutumwa.', retryable: true },
  approval_refused: {
    message: 'Its approval was refused.',
    messageSw: 'Idhini yake imekataliwa.',
    retryable: false,
  },
  approval_expired: { message: 'No one approved it in time.', messageSw: 'Hakuna aliyeidhinisha kwa wakati.', retryable: true },
  cancelled: {
    message: 'The refund was cancelled before it was sent.',
    messageSw: 'Urejeshaji ulisitishwa kabla ya kutumwa.',
    retryable: true,
  },
  returned: { message: 'The network returned the money.', messageSw: 'Mtandao umerudisha pesa.', retryable: false },
}

/** The failure of a payout, a refund or a batch; null: it has not failed. */
export function moneyOutFailure<Code extends MoneyOutFailureCode>(code: Code | null): (FailureJson & { code: Code }) | null {
  return code === null ? null : failureToJson(code, moneyOutFailures[code])
}

/** For payers of a payment for which money has arrived that operators are reviewing. */
export const moneyHeld: Pair = [
  'Money has arrived that does not match this payment. We are checking it. Do not pay again: it will be counted, or sent back.',
  'Pesa imefika isiyolingana na malipo haya. Tunaikagua. Usilipe tena: itahesabiwa, au itarudishwa.',
]

/** A failed payment for which money has arrived after all: no new try is safe before operators have decided. */
export function failureInReview(code: FailureCode): FailureJson {
  const [message, messageSw] = moneyHeld
  return failureToJson(code, { message, messageSw, retryable: false })
}

export function paymentFailure(code: FailureCode): FailureJson & { code: FailureCode } {
  return failureToJson(code, failures[code])
}

/** The whole form of a failure that is stored as its code; undefined: a newer program has stored a code that this one does not know. */
export function failureOfCode(code: string, of: 'payment' | 'money_out'): FailureJson | undefined {
  const known: Record<string, MoneyOutFailure> = of === 'payment' ? failures : moneyOutFailures
  return Object.hasOwn(known, code) ? failureToJson(code, known[code]!) : undefined
}
