/** The history of a payment in plain sentences, in both languages. What is not known is named as unknown, never guessed. */
import type { OperatorPaymentWithHistory } from '../../api/operations.ts'
import { placeOf, type Language } from '../../i18n/translator.ts'
import { transferWords } from '../ledger-words.ts'
import { providerName } from '../provider-name.ts'

/** How amounts and times are written in the language of the story: a time with its preposition, as in `on 26 Nov 2026 at 14:05`. */
export type StoryFormat = { money(amount: number): string; moment(at: string): string }

type Payment = Pick<
  OperatorPaymentWithHistory,
  | 'status'
  | 'amount'
  | 'created_at'
  | 'completed_at'
  | 'late'
  | 'under_review'
  | 'network_receipt'
  | 'failure_code'
  | 'charge'
  | 'messages'
  | 'transfers'
  | 'breaks'
  | 'refunds'
  | 'cancel_requested_at'
  | 'support_cases'
>

type Sentences = {
  asked(amount: string, at: string): string
  charge: Record<Payment['charge']['state'], (provider: string) => string>
  /** For a payment that has ended: what was unknown at the time of the charge no longer matters. */
  sent(provider: string): string
  resent(times: number, at: string): string
  cancelled(at: string): string
  checked(provider: string, times: number): string
  answers: Record<'completed' | 'failed' | 'voided' | 'expired' | 'pending', string>
  answered(provider: string, at: string, answer: string, amount: string): string
  receipt(number: string): string
  credited(amount: string, at: string): string
  creditedTwice(times: number): string
  notCredited: string
  held(amount: string, at: string): string
  moved(what: string, amount: string, at: string): string
  ended: Record<'failed' | 'voided' | 'expired', string>
  because(reason: string): string
  reasons: Readonly<Record<string, string>>
  late: string
  open: string
  unknown: string
  breakOpened(at: string): string
  breakResolved(at: string): string
  breakOpen: string
  refunded: Record<'waits' | 'paid' | 'ended' | 'outside', (amount: string, at: string) => string>
  reported(at: string): string
  case: {
    asking: string
    answered: Record<'received' | 'no_money', string>
    waits: string
    decided: Record<'received' | 'no_money' | 'other', (at: string) => string>
  }
}

const sentences: Record<Language, Sentences> = {
  en: {
    asked: (amount, at) => `The payer asked to pay ${amount} ${at}.`,
    charge: {
      claimed: (provider) => `We started to send it to ${provider}. We do not know whether it arrived there.`,
      unsent: (provider) => `We have not sent it to ${provider} yet.`,
      deferred: (provider) => `We have postponed sending it to ${provider}.`,
      unknown: (provider) => `We sent it to ${provider}. We do not know whether the charge was made.`,
      accepted: (provider) => `We sent it to ${provider}, which accepted it.`,
      rejected: (provider) => `${provider} refused it. No money was taken.`,
    },
    sent: (provider) => `We sent it to ${provider}.`,
    resent: (times, at) => `The payer asked for the prompt again ${times === 1 ? `${at}` : `${times} times, last ${at}`}.`,
    cancelled: (at) => `The payer asked to cancel it ${at}.`,
    checked: (provider, times) => `We asked ${provider} about it ${times === 1 ? 'once' : `${times} times`}.`,
    answers: {
      completed: 'the payer has paid',
      failed: 'it has failed',
      voided: 'it was cancelled',
      expired: 'it has expired',
      pending: 'it is not finished yet',
    },
    answered: (provider, at, answer, amount) => `${provider} reported ${at}: ${answer}${amount}.`,
    receipt: (number) => `The number in the payer’s SMS is ${number}.`,
    credited: (amount, at) => `The wallet was credited once, ${at}, with ${amount}.`,
    creditedTwice: (times) =>
      `The wallet was credited ${times} times. That must never happen: look at the ledger transfers below.`,
    notCredited: 'No credit of the wallet is in the books.',
    held: (amount, at) => `${amount} went into suspense ${at}: the wallet was not credited with it.`,
    moved: (what, amount, at) => `The books moved ${amount} ${at}: ${what}.`,
    ended: {
      failed: 'The payment ended as failed.',
      voided: 'The payment was cancelled.',
      expired: 'The payment expired before the payer confirmed it.',
    },
    because: (reason) => `The reason: ${reason}.`,
    reasons: {
      insufficient_funds: 'the payer’s balance was too low',
      wrong_pin: 'the PIN was wrong',
      declined_by_payer: 'the payer declined on the phone',
      prompt_timeout: 'the payer did not answer on the phone in time',
      payer_not_found: 'the number has no mobile money account',
      payer_limit: 'the number has reached its mobile money limit',
      payer_busy: 'another request was open on the phone',
      network_unavailable: 'the mobile network could not be reached',
      provider_error: 'the provider did not accept it',
    },
    late: 'The success arrived after we had recorded another end.',
    open: 'The payer has not confirmed it yet, as far as we know.',
    unknown: 'Its outcome is unknown. The payer may have paid. Do not tell anyone that it failed.',
    breakOpened: (at) => `Our books and the provider did not agree: a break was opened ${at}.`,
    breakResolved: (at) => `It was resolved ${at}.`,
    breakOpen: 'It is not resolved yet.',
    refunded: {
      waits: (amount, at) => `A refund of ${amount} was requested ${at}. It has not ended yet.`,
      paid: (amount, at) => `A refund of ${amount} was requested ${at} and paid.`,
      ended: (amount, at) => `A refund of ${amount} was requested ${at}. It was not paid.`,
      outside: (amount, at) => `The merchant recorded ${at} that it returned ${amount} by its own means.`,
    },
    reported: (at) => `The payer reported ${at} that money was taken.`,
    case: {
      asking: 'We are asking the provider about the report.',
      answered: {
        received: 'We answered the payer: the payment was received.',
        no_money: 'We answered the payer: no money was taken.',
      },
      waits: 'The report waits for an operator.',
      decided: {
        received: (at) => `An operator answered the payer ${at}: the payment was received.`,
        no_money: (at) => `An operator answered the payer ${at}: no money was taken.`,
        other: (at) => `An operator answered the payer ${at}, in a message of their own.`,
      },
    },
  },
  sw: {
    asked: (amount, at) => `Mlipaji aliomba kulipa ${amount} ${at}.`,
    charge: {
      claimed: (provider) => `Tulianza kuyatuma kwa ${provider}. Hatujui kama yalifika.`,
      unsent: (provider) => `Bado hatujayatuma kwa ${provider}.`,
      deferred: (provider) => `Tumeahirisha kuyatuma kwa ${provider}.`,
      unknown: (provider) => `Tuliyatuma kwa ${provider}. Hatujui kama mlipaji alikatwa pesa.`,
      accepted: (provider) => `Tuliyatuma kwa ${provider}, na yakapokelewa.`,
      rejected: (provider) => `${provider} iliyakataa. Hakuna pesa iliyokatwa.`,
    },
    sent: (provider) => `Tuliyatuma kwa ${provider}.`,
    resent: (times, at) => `Mlipaji aliomba ujumbe wa PIN tena ${times === 1 ? `${at}` : `mara ${times}, mwisho ${at}`}.`,
    cancelled: (at) => `Mlipaji aliomba kughairi ${at}.`,
    checked: (provider, times) => `Tumeuliza ${provider} mara ${times}.`,
    answers: {
      completed: 'mlipaji amelipa',
      failed: 'yameshindikana',
      voided: 'yalighairiwa',
      expired: 'muda wake umeisha',
      pending: 'bado hayajaisha',
    },
    answered: (provider, at, answer, amount) => `${provider} iliripoti ${at}: ${answer}${amount}.`,
    receipt: (number) => `Namba kwenye SMS ya mlipaji ni ${number}.`,
    credited: (amount, at) => `Pochi iliwekewa mara moja, ${at}, ${amount}.`,
    creditedTwice: (times) => `Pochi iliwekewa mara ${times}. Hili halipaswi kutokea: angalia vitabu hapa chini.`,
    notCredited: 'Vitabu havina kiasi kilichowekwa kwenye pochi.',
    held: (amount, at) => `${amount} iliwekwa pembeni ${at}: haikuwekwa kwenye pochi.`,
    moved: (what, amount, at) => `Vitabu vilisogeza ${amount} ${at}: ${what}.`,
    ended: {
      failed: 'Malipo yameshindikana.',
      voided: 'Malipo yalighairiwa.',
      expired: 'Muda wa malipo uliisha kabla mlipaji hajathibitisha.',
    },
    because: (reason) => `Sababu: ${reason}.`,
    reasons: {
      insufficient_funds: 'salio la mlipaji halikutosha',
      wrong_pin: 'namba ya siri (PIN) haikuwa sahihi',
      declined_by_payer: 'mlipaji alikataa kwenye simu',
      prompt_timeout: 'mlipaji hakujibu kwenye simu kwa wakati',
      payer_not_found: 'namba haina akaunti ya pesa kwa simu',
      payer_limit: 'namba imefikia kikomo cha miamala',
      payer_busy: 'kulikuwa na ombi jingine kwenye simu',
      network_unavailable: 'mtandao wa simu haukupatikana',
      provider_error: 'mtoa huduma hakuyakubali',
    },
    late: 'Mafanikio yalifika baada ya sisi kuandika mwisho mwingine.',
    open: 'Mlipaji hajathibitisha bado, kwa tunavyojua.',
    unknown: 'Matokeo yake hayajulikani. Huenda mlipaji amelipa. Usimwambie mtu yeyote kuwa yameshindikana.',
    breakOpened: (at) => `Vitabu vyetu na mtoa huduma havikulingana: tofauti ilifunguliwa ${at}.`,
    breakResolved: (at) => `Ilitatuliwa ${at}.`,
    breakOpen: 'Bado haijatatuliwa.',
    refunded: {
      waits: (amount, at) => `Urejeshaji wa ${amount} uliombwa ${at}. Bado haujaisha.`,
      paid: (amount, at) => `Urejeshaji wa ${amount} uliombwa ${at} na umelipwa.`,
      ended: (amount, at) => `Urejeshaji wa ${amount} uliombwa ${at}. Haukulipwa.`,
      outside: (amount, at) => `Mfanyabiashara alirekodi ${at} kuwa alirudisha ${amount} kwa njia yake mwenyewe.`,
    },
    reported: (at) => `Mlipaji aliripoti ${at} kuwa amekatwa pesa.`,
    case: {
      asking: 'Tunamuuliza mtoa huduma kuhusu ripoti hiyo.',
      answered: {
        received: 'Tulimjibu mlipaji: malipo yamepokelewa.',
        no_money: 'Tulimjibu mlipaji: hakuna pesa iliyokatwa.',
      },
      waits: 'Ripoti hiyo inamsubiri msimamizi.',
      decided: {
        received: (at) => `Msimamizi alimjibu mlipaji ${at}: malipo yamepokelewa.`,
        no_money: (at) => `Msimamizi alimjibu mlipaji ${at}: hakuna pesa iliyokatwa.`,
        other: (at) => `Msimamizi alimjibu mlipaji ${at}, kwa ujumbe wake mwenyewe.`,
      },
    },
  },
}

const isOpen = ({ status }: Payment): boolean => status === 'pending' || status === 'processing'

/** Whether money may have moved at the provider without a known outcome. */
function isUnknown(payment: Payment): boolean {
  return (
    isOpen(payment) &&
    (payment.charge.state === 'unknown' ||
      payment.charge.state === 'claimed' ||
      payment.breaks.some(({ kind, status }) => kind === 'charge_unknown' && status !== 'resolved'))
  )
}

function ofMoney(
  payment: Payment,
  language: Language,
  sum: (amount: number) => string,
  at: (moment: string) => string,
): string[] {
  const say = sentences[language]
  const credits = payment.transfers.filter(({ kind }) => kind === 'payment')
  const [credit] = credits
  const others = payment.transfers.filter(({ kind }) => kind !== 'payment' && kind !== 'provider_fee')
  return [
    ...(credits.length > 1 ? [say.creditedTwice(credits.length)] : []),
    ...(credit && credits.length === 1 ? [say.credited(sum(credit.amount), at(credit.created_at))] : []),
    ...(credit || !['completed', 'failed', 'voided', 'expired'].includes(payment.status) ? [] : [say.notCredited]),
    ...others.map((one) =>
      one.kind === 'suspense'
        ? say.held(sum(one.amount), at(one.created_at))
        : say.moved(transferWords[one.kind][placeOf[language]], sum(one.amount), at(one.created_at)),
    ),
  ]
}

function ofEnd(payment: Payment, say: Sentences): string[] {
  const { status, failure_code: code, late } = payment
  if (isUnknown(payment)) return [say.unknown]
  if (isOpen(payment)) return payment.charge.state === 'accepted' && !payment.under_review ? [say.open] : []
  const end = status === 'failed' || status === 'voided' || status === 'expired' ? [say.ended[status]] : []
  return [
    ...end,
    ...(end.length > 0 && code !== null ? [say.because(say.reasons[code] ?? code)] : []),
    ...(late ? [say.late] : []),
  ]
}

/** The state of the charge is from before the end: of a paid payment, or of one whose unknown outcome was decided later. */
const hasSentOnly = (payment: Payment): boolean =>
  payment.charge.state !== 'accepted' &&
  (payment.status === 'completed' || (!isOpen(payment) && ['unknown', 'claimed'].includes(payment.charge.state)))

function ofCase(
  { state, finding, decision, decided_at: decidedAt }: Payment['support_cases'][number],
  say: Sentences,
  at: (moment: string) => string,
): string {
  if (state === 'open' || state === 'asking') return say.case.asking
  if (decision !== null && decidedAt !== null) return say.case.decided[decision](at(decidedAt))
  return state === 'answered' && finding !== null ? say.case.answered[finding] : say.case.waits
}

/** The sentences, in the order in which they are read. */
export function storyOf(payment: Payment, language: Language, { money: sum, moment: at }: StoryFormat): string[] {
  const say = sentences[language]
  const { charge, breaks, refunds } = payment
  const provider = providerName(charge.provider)
  const messages = payment.messages.map(({ received_at, status, amount }) => {
    const answer = status !== null && status in say.answers ? say.answers[status as keyof Sentences['answers']] : (status ?? '?')
    return say.answered(provider, at(received_at), answer, amount === null ? '' : `, ${sum(amount)}`)
  })
  return [
    say.asked(sum(payment.amount), at(payment.created_at)),
    hasSentOnly(payment) ? say.sent(provider) : say.charge[charge.state](provider),
    ...(charge.prompts_resent > 0 && charge.last_resent_at !== null
      ? [say.resent(charge.prompts_resent, at(charge.last_resent_at))]
      : []),
    ...(payment.cancel_requested_at === null ? [] : [say.cancelled(at(payment.cancel_requested_at))]),
    ...(charge.checks > 0 ? [say.checked(provider, charge.checks)] : []),
    // The same message may arrive twice within a minute: it is told once.
    ...new Set(messages),
    ...(payment.network_receipt === null ? [] : [say.receipt(payment.network_receipt)]),
    ...ofEnd(payment, say),
    ...ofMoney(payment, language, sum, at),
    ...breaks.flatMap((one) => [
      say.breakOpened(at(one.opened_at)),
      one.resolved_at === null ? say.breakOpen : say.breakResolved(at(one.resolved_at)),
    ]),
    ...refunds.map(({ status, amount, created_at, payout_id: payoutId }) => {
      const paid = payoutId === null ? 'outside' : 'paid'
      const state = status === 'completed' ? paid : status === 'pending' || status === 'processing' ? 'waits' : 'ended'
      return say.refunded[state](sum(amount), at(created_at))
    }),
    // The newest comes first in the API.
    ...payment.support_cases.toReversed().flatMap((one) => [say.reported(at(one.created_at)), ofCase(one, say, at)]),
  ]
}
