/** The balance and the recent payments of Home, before the app is there. */
import type { Answer } from '../../api/call.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import { placeOf } from '../../i18n/translator.ts'
import { money } from '../../ui/format.ts'
import { paymentStatusWords } from '../../ui/status-words.ts'
import type { Place } from '../place.ts'
import { element, showFirstLook } from './draw.ts'
import { homeWords, testWords } from './words.ts'

type Money = {
  balance: Answer<'GET /v1/merchant/balance'>['data']
  payments: Answer<'GET /v1/merchant/payments'>['data']
}

export function showFirstHome(place: Place, business: string | undefined, { balance, payments }: Money): void {
  const language = currentLanguage()
  const at = placeOf[language]
  const tsh = (amount: number) => element('span', { class: 'figures' }, money(amount, language))
  const rows = payments.map(({ reference, customer, status, amount }) =>
    element(
      'li',
      {},
      element(
        'a',
        { href: `/dashboard/${place.owner}/${place.environment}/payments/${reference}` },
        customer.name ?? customer.phone_masked,
      ),
      element('span', {}, paymentStatusWords[status][at]),
      tsh(amount),
    ),
  )
  showFirstLook(
    business,
    place.environment === 'test' && element('p', { class: 'note' }, testWords.testBanner[at]),
    element('h1', {}, homeWords.title[at]),
    element(
      'section',
      { 'aria-label': homeWords.available[at] },
      element('p', {}, homeWords.available[at]),
      tsh(balance.available),
    ),
    element(
      'section',
      { 'aria-label': homeWords.recent[at] },
      element('h2', {}, homeWords.recent[at]),
      rows.length > 0 ? element('ul', {}, ...rows) : element('p', {}, homeWords.noPayments[at]),
    ),
  )
}
