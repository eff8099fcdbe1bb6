/** The texts of the operators' search. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const searchTexts = defineTexts('admin-search', {
  en: {
    title: 'Search',
    label: 'A name, a number, an address, a reference',
    hint: 'A person’s phone or e-mail, a merchant, a payment’s reference, code or network receipt, a payout, a refund, a page.',
    find: 'Find',
    what: 'What',
    kind: { person: 'Person', business: 'Business', payment: 'Payment', payout: 'Payout', payment_page: 'Payment page' },
    whose: 'Owner',
    empty: 'Nothing found',
    emptyText: 'Try a part of the name, the whole number, or the whole reference.',
  },
  sw: {
    title: 'Tafuta',
    label: 'Jina, namba, anwani, kumbukumbu namba',
    hint: 'Simu au barua pepe ya mtu, mfanyabiashara, kumbukumbu, msimbo au risiti ya malipo, malipo ya nje, fedha zilizorudishwa, ukurasa.',
    find: 'Tafuta',
    what: 'Nini',
    kind: { person: 'Mtu', business: 'Biashara', payment: 'Malipo', payout: 'Malipo ya nje', payment_page: 'Ukurasa wa malipo' },
    whose: 'Ya nani',
    empty: 'Hakuna kilichopatikana',
    emptyText: 'Jaribu sehemu ya jina, namba nzima, au kumbukumbu nzima.',
  },
})
