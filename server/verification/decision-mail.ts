/** What the person behind a merchant is told of a decision, in Swahili and English. */
import type { Merchant } from '../identity/merchant.ts'
import type { NewMail } from '../mail/mail.ts'
import type { Decision } from './review.ts'

type Words = { subject: string; sw: string; en: string }

const words: Record<Merchant['kind'], Record<Decision, (name: string) => Words>> = {
  personal: {
    verified: () => ({
      subject: 'Umethibitishwa · You are verified',
      sw: 'Utambulisho wako umethibitishwa. Sasa unaweza kupokea malipo halisi.',
      en: 'Your identity is verified. You can now take live payments.',
    }),
    rejected: () => ({
      subject: 'Utambulisho haukukubaliwa · Your identity was not accepted',
      sw: 'Hatukuweza kukubali uthibitisho wa utambulisho wako. Sahihisha kilichoelezwa hapa chini, kisha utume tena.',
      en: 'We could not accept the proof of your identity. Correct what is said below, then submit again.',
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
      en: `We could not accept the documents of your business ${name}. Correct what is said below, then submit again.`,
    }),
  },
}

export function decisionMail(decision: {
  to: string
  name: string
  merchant: Merchant
  status: Decision
  reason: string | null
}): NewMail {
  const { to, name, merchant, status, reason } = decision
  const { subject, sw, en } = words[merchant.kind][status](merchant.displayName)
  const why = reason === null ? [] : [`Sababu · Reason:\n${reason}`]
  return {
    to,
    kind: `${merchant.kind === 'business' ? 'business' : 'kyc'}_${status}`,
    subject,
    text: [`Habari ${name},`, sw, en, ...why, 'Malipo'].join('\n\n'),
  }
}
