/** How the link of a payment page is handed on: a short sentence in the language of the page, and where it goes. */
import type { PaymentPage } from '../../api/operations.ts'
import type { Language } from '../../i18n/language.ts'
import { money } from '../../ui/format.ts'

type Shared = Pick<PaymentPage, 'url' | 'title' | 'amount' | 'allow_custom_amount' | 'language'>

const sentences: Record<Language, (what: string, url: string) => string> = {
  sw: (what, url) => `Lipa ${what} kwa simu yako hapa: ${url}`,
  en: (what, url) => `Pay ${what} with your phone here: ${url}`,
}

/** To payers, so in their language, whatever the merchant reads. */
function messageOf(page: Shared): string {
  const language = page.language === 'en' ? 'en' : 'sw'
  const isFixed = !page.allow_custom_amount && page.amount !== null
  const what = isFixed ? `${page.title} (${money(page.amount!, language)})` : page.title
  return sentences[language](what, page.url)
}

export function whatsAppAddress(page: Shared): string {
  return `https://wa.me/?text=${encodeURIComponent(messageOf(page))}`
}

/** Phones disagree on what stands before the body; this is read by both kinds. */
export function smsAddress(page: Shared): string {
  return `sms:?&body=${encodeURIComponent(messageOf(page))}`
}
