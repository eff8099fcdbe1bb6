/** The texts of the list of payment pages. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const pagesTexts = defineTexts('pages', {
  en: {
    title: 'Payment pages',
    text: 'A link where anyone can pay with a mobile phone.',
    make: 'New page',
    requests: 'Payment requests',
    page: 'Page',
    amount: 'Amount',
    payerChooses: 'The payer chooses',
    state: 'State',
    suspended: 'Suspended',
    count: 'Payments',
    total: 'Total paid',
    link: 'Link',
    linkOf: 'Link of {{title}}',
    none: 'No payment page yet',
    noneText: 'Create one in a minute: a title and an amount are enough. Then share its link or print its code.',
  },
  sw: {
    title: 'Kurasa za malipo',
    text: 'Kiungo ambacho mtu yeyote anaweza kulipia, kwa simu.',
    make: 'Ukurasa mpya',
    requests: 'Maombi ya malipo',
    page: 'Ukurasa',
    amount: 'Kiasi',
    payerChooses: 'Mlipaji anachagua',
    state: 'Hali',
    suspended: 'Umesimamishwa',
    count: 'Malipo',
    total: 'Jumla iliyolipwa',
    link: 'Kiungo',
    linkOf: 'Kiungo cha {{title}}',
    none: 'Hakuna ukurasa wa malipo bado',
    noneText: 'Tengeneza kwa dakika moja: kichwa na kiasi vinatosha. Kisha shiriki kiungo au chapisha msimbo wake.',
  },
})
