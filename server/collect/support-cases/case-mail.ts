/** The mail that tells a payer what came of a case, in the language of the payer. Invariant: it contains nothing that a person typed into the case. */
import type { PayerLanguage } from '../../domain/language.ts'
import { byLanguage } from '../../domain/texts.ts'
import type { NewMail } from '../../base/mail/mail.ts'
import type { PublicCase } from './support-case.ts'

type Outcome = 'received' | 'no_money' | 'with_operators' | 'closed'

const subjects = byLanguage({
  received: ['Your payment was received', 'Malipo yako yamepokelewa'],
  no_money: ['The network says that no money was taken', 'Mtandao unasema hakuna pesa iliyokatwa'],
  with_operators: ['Our team is looking at your payment', 'Timu yetu inaangalia malipo yako'],
  closed: ['The answer about your payment', 'Jibu kuhusu malipo yako'],
})

const texts = byLanguage({
  received: [
    'You told us that money was taken from your phone. The payment has arrived, and its receipt is ready. Do not pay again.',
    'Ulituambia kuwa pesa imetoka kwenye simu yako. Malipo yamefika, na risiti yake iko tayari. Usilipe tena.',
  ],
  no_money: [
    'You told us that money was taken from your phone. The mobile network says that no money was taken for this payment. If your balance says otherwise, open the page below and tell us.',
    'Ulituambia kuwa pesa imetoka kwenye simu yako. Mtandao wa simu unasema hakuna pesa iliyokatwa kwa malipo haya. Salio lako likionyesha vingine, fungua ukurasa ulio hapa chini utuambie.',
  ],
  with_operators: [
    'You told us that money was taken from your phone. We could not prove it automatically, so our team has your case now with everything that the network has answered. Do not pay again before you have our answer.',
    'Ulituambia kuwa pesa imetoka kwenye simu yako. Hatukuweza kuthibitisha moja kwa moja, hivyo timu yetu sasa ina suala lako pamoja na yote ambayo mtandao umejibu. Usilipe tena kabla ya kupata jibu letu.',
  ],
  closed: [
    'Our team has answered your case. Open the page below to read the answer.',
    'Timu yetu imejibu suala lako. Fungua ukurasa ulio hapa chini usome jibu.',
  ],
  open: ['Open your case', 'Fungua suala lako'],
  contact: ['Contact us', 'Wasiliana nasi'],
  pin: [
    'Never tell anyone your PIN. We never ask for it, by mail, by message or by phone.',
    'Usimpe mtu yeyote namba yako ya siri (PIN). Hatuiombi kamwe, kwa barua pepe, ujumbe wala simu.',
  ],
  why: [
    'This address was entered when someone reported that a payment was taken. If it was not you, ignore this message.',
    'Anwani hii iliandikwa mtu aliporipoti kuwa pesa imekatwa. Kama si wewe, puuza ujumbe huu.',
  ],
})

/** Undefined: there is nothing to tell yet. */
function outcomeOf({ state, finding }: PublicCase): Outcome | undefined {
  if (state === 'closed' || state === 'with_operators') return state
  return state === 'answered' ? (finding ?? undefined) : undefined
}

/** What a payer who has seen `before` learns from `after`; undefined: nothing. */
export function newsOf(before: PublicCase, after: PublicCase): Outcome | undefined {
  const outcome = outcomeOf(after)
  return outcome === outcomeOf(before) ? undefined : outcome
}

export function caseMail(
  one: { payerLanguage: PayerLanguage; to: string; isTest: boolean; link: string },
  outcome: Outcome,
  support: { phone: string | null; email: string },
): NewMail {
  const t = texts[one.payerLanguage]
  const contact = [support.phone, support.email].filter((part) => part !== null).join(', ')
  const text = [t[outcome], `${t.open}:\n${one.link}`, `${t.contact}: ${contact}`, t.pin, `${t.why}\n\nMalipo`].join('\n\n')
  const subject = subjects[one.payerLanguage][outcome]
  return { to: one.to, kind: 'support_case', subject: one.isTest ? `TEST. ${subject}` : subject, text: `${text}\n` }
}
