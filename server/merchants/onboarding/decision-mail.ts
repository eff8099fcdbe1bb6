/** The mail to a merchant's owner about a decision, in Swahili and English. */
import type { Decision, VerificationStatus } from '../../domain/verification.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import type { NewMail } from '../../base/mail/mail.ts'

type Words = { subject: string; sw: string; en: string }

type Turn = Decision | 'revoked'

const words: Record<Merchant['kind'], Record<Turn, (name: string) => Words>> = {
  personal: {
    verified: () => ({
      subject: 'Umethibitishwa · You are verified',
      sw: 'Utambulisho wako umethibitishwa. Sasa unaweza kupokea malipo halisi.',
      en: 'Your identity is verified. You can now take live payments.',
    }),
    rejected: () => ({
      subject: 'Utambulisho haukukubaliwa · Your identity was not accepted',
      sw: 'Hatukuweza kukubali uthibitisho wa utambulisho wako. Sahihisha kilichoelezwa hapa chini, kisha utume tena.',
      en: 'We could not accept the proof of your identity. Correct the problems described below, then submit again.',
    }),
    revoked: () => ({
      subject: 'Uthibitisho umeondolewa · Your verification was withdrawn',
      sw: 'Uthibitisho wa utambulisho wako umeondolewa. Kurasa zako halisi hazipokei malipo mapya, na funguo halisi na utoaji wa fedha vimesimama, pia kwa biashara unazowakilisha. Malipo yaliyokwisha kuanza yatakamilika, na salio lako lipo.',
      en: 'The verification of your identity was withdrawn. Your live pages take no new payments, and live keys and payouts have stopped, also those of the businesses that you represent. Payments that were already started still settle, and your balance is kept.',
    }),
  },
  business: {
    verified: (name) => ({
      subject: `${name}: imethibitishwa · verified`,
      sw: `Biashara yako ${name} imethibitishwa. Funguo halisi, kurasa za malipo na utoaji wa fedha sasa vimefunguliwa.`,
      en: `Your business ${name} is verified. Live keys, payment pages and payouts are open now.`,
    }),
    rejected: (name) => ({
      subject: `${name}: haikukubaliwa · not accepted`,
      sw: `Hatukuweza kukubali nyaraka za biashara yako ${name}. Sahihisha kilichoelezwa hapa chini, kisha utume tena.`,
      en: `We could not accept the documents of your business ${name}. Correct the problems described below, then submit again.`,
    }),
    revoked: (name) => ({
      subject: `${name}: uthibitisho umeondolewa · verification withdrawn`,
      sw: `Uthibitisho wa biashara yako ${name} umeondolewa. Funguo halisi, kurasa za malipo na utoaji wa fedha vimesimama sasa hivi. Malipo yaliyokwisha kuanza yatakamilika, na salio lako lipo.`,
      en: `The verification of your business ${name} was withdrawn. Live keys, payment pages and payouts have stopped. Payments that were already started still settle, and your balance is kept.`,
    }),
  },
}

export function decisionMail(decision: {
  to: string
  name: string
  merchant: Merchant
  from: VerificationStatus
  status: Decision
  reason: string | null
}): NewMail {
  const { to, name, merchant, from, status, reason } = decision
  const turn = from === 'verified' && status === 'rejected' ? 'revoked' : status
  const { subject, sw, en } = words[merchant.kind][turn](merchant.displayName)
  // A note with an approval is for reviewers only.
  const why = reason === null || status === 'verified' ? [] : [`Sababu · Reason:\n${reason}`]
  return {
    to,
    kind: `${merchant.kind === 'business' ? 'business' : 'kyc'}_${turn}`,
    subject,
    text: [`Habari ${name},`, sw, en, ...why, 'Malipo'].join('\n\n'),
  }
}
