/** The message that shares the link of a payment page or request, in the language of its payers. */
import type { PaymentPage } from '../api/operations.ts'
import type { Language } from '../i18n/language.ts'
import { money } from '../ui/format.ts'

export type Shared = Pick<PaymentPage, 'url' | 'title' | 'amount' | 'allow_custom_amount' | 'language'>

const sentences: Record<Language, (what: string, url: string) => string> = {
  sw: (what, url) => `Lipa ${what} kwa simu yako hapa: ${url}`,
  en: (what, url) => `Pay ${what} with your phone here: ${url}`,
}

/** For payers, so in the language of the page, not the merchant's. */
function messageOf(page: Shared): string {
  const language = page.language === 'en' ? 'en' : 'sw'
  const isFixed = !page.allow_custom_amount && page.amount !== null
  // One no-break space makes an SMS half as long, and so cost twice.
  const what = isFixed ? `${page.title} (${money(page.amount!, language).replace('\u00a0', ' ')})` : page.title
  return sentences[language](what, page.url)
}

export function whatsAppAddress(page: Shared): string {
  return `https://wa.me/?text=${encodeURIComponent(messageOf(page))}`
}

/** Phones disagree on the separator before the body; this form works on both kinds. */
export function smsAddress(page: Shared): string {
  return `sms:?&body=${encodeURIComponent(messageOf(page))}`
}
