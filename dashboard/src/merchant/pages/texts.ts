/** The texts of the list of payment pages. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const pagesTexts = defineTexts('pages', [shared], {
  title: ['Payment pages', 'Kurasa za malipo'],
  text: ['A link where anyone can pay with a mobile phone.', 'Kiungo ambacho mtu yeyote anaweza kulipia, kwa simu.'],
  make: ['New page', 'Ukurasa mpya'],
  requests: ['Payment requests', 'Maombi ya malipo'],
  payerChooses: ['The payer chooses', 'Mlipaji anachagua'],
  suspended: ['Suspended', 'Umesimamishwa'],
  count: ['Payments', 'Malipo'],
  total: ['Total paid', 'Jumla iliyolipwa'],
  link: ['Link', 'Kiungo'],
  linkOf: ['Link of {{title}}', 'Kiungo cha {{title}}'],
  none: ['No payment page yet', 'Hakuna ukurasa wa malipo bado'],
  noneText: [
    'Create one in a minute: a title and an amount are enough. Then share its link or print its code.',
    'Tengeneza kwa dakika moja: kichwa na kiasi vinatosha. Kisha shiriki kiungo au chapisha msimbo wake.',
  ],
})
