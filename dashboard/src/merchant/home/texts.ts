/** The texts of the start. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const homeTexts = defineTexts('home', {
  en: {
    title: 'Home',
    available: 'Available',
    reserved: 'On its way out',
    recent: 'Recent payments',
    customer: 'Customer',
    page: 'Page',
    amount: 'Amount',
    status: 'Status',
    when: 'When',
    noPayments: 'No payments yet',
    noPaymentsText: 'What your customers pay appears here at once.',
  },
  sw: {
    title: 'Mwanzo',
    available: 'Salio',
    reserved: 'Inatoka',
    recent: 'Malipo ya karibuni',
    customer: 'Mteja',
    page: 'Ukurasa',
    amount: 'Kiasi',
    status: 'Hali',
    when: 'Lini',
    noPayments: 'Hakuna malipo bado',
    noPaymentsText: 'Wateja wanapolipa, malipo yanaonekana hapa mara moja.',
  },
})
