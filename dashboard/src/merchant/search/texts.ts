/** The texts of the search. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const searchTexts = defineTexts('search', [shared], {
  placeholder: [
    'Reference, code, receipt, phone number, name, page …',
    'Kumbukumbu namba, msimbo, risiti, simu, jina, ukurasa …',
  ],
  results: ['Results', 'Vilivyopatikana'],
  searching: ['Searching …', 'Inatafuta …'],
  found_one: ['{{count}} found', 'Kimepatikana {{count}}'],
  found_other: ['{{count}} found', 'Vimepatikana {{count}}'],
  sections: ['Go to', 'Nenda'],
  kinds: {
    payment: ['Payments', 'Malipo'],
    refund: ['Refunds', 'Fedha zilizorudishwa'],
    payout: ['Payouts', 'Pesa zilizotumwa'],
    payment_page: ['Payment pages', 'Kurasa za malipo'],
    transaction: ['Lines of the wallet', 'Mistari ya pochi'],
    event: ['Events', 'Matukio'],
  },
})
