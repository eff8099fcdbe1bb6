/** The texts of the search. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const searchTexts = defineTexts('search', {
  en: {
    search: 'Search',
    placeholder: 'Reference, code, receipt, phone number, name, page …',
    results: 'Results',
    searching: 'Searching …',
    found_one: '{{count}} found',
    found_other: '{{count}} found',
    sections: 'Go to',
    kinds: {
      payment: 'Payments',
      refund: 'Refunds',
      payout: 'Payouts',
      payment_page: 'Payment pages',
      transaction: 'Lines of the wallet',
      event: 'Events',
    },
  },
  sw: {
    search: 'Tafuta',
    placeholder: 'Kumbukumbu namba, msimbo, risiti, simu, jina, ukurasa …',
    results: 'Vilivyopatikana',
    searching: 'Inatafuta …',
    found_one: 'Kimepatikana {{count}}',
    found_other: 'Vimepatikana {{count}}',
    sections: 'Nenda',
    kinds: {
      payment: 'Malipo',
      refund: 'Fedha zilizorudishwa',
      payout: 'Pesa zilizotumwa',
      payment_page: 'Kurasa za malipo',
      transaction: 'Mistari ya pochi',
      event: 'Matukio',
    },
  },
})
