/** The balance and the recent payments of Home, before the app is there. */
import type { Answer } from '../../api/call.ts'
import { currentLanguage } from '../../i18n/language.ts'
import { money } from '../../ui/format.ts'
import { statusWords } from '../../ui/status-words.ts'
import type { Place } from '../place.ts'
import { element, showFirstLook } from './draw.ts'
import { homeWords, testWords } from './words.ts'

type Money = {
  balance: Answer<'GET /v1/merchant/balance'>['data']
  payments: Answer<'GET /v1/merchant/payments'>['data']
}

export function showFirstHome(place: Place, business: string | undefined, { balance, payments }: Money): void {
  const language = currentLanguage()
  const words = homeWords[language]
  const tsh = (amount: number) => element('span', { class: 'figures nowrap' }, money(amount, language))
  const rows = payments.map(({ reference, customer, status, amount }) =>
    element(
      'li',
      {},
      element(
        'a',
        { href: `/dashboard/${place.owner}/${place.environment}/payments/${reference}` },
        customer.name ?? customer.phone_masked,
      ),
      element('span', {}, statusWords[language][status]),
      tsh(amount),
    ),
  )
  showFirstLook(
    business,
    place.environment === 'test' && element('p', { class: 'note' }, testWords[language].testBanner),
    element('h1', {}, words.title),
    element('section', { 'aria-label': words.available }, element('p', {}, words.available), tsh(balance.available)),
    element(
      'section',
      { 'aria-label': words.recent },
      element('h2', {}, words.recent),
      rows.length > 0 ? element('ul', {}, ...rows) : element('p', {}, words.noPayments),
    ),
  )
}
