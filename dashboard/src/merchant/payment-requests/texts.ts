/** The texts of the list of payment requests. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const paymentRequestsTexts = defineTexts('paymentRequests', [shared], {
  title: ['Payment requests', 'Maombi ya malipo'],
  text: ['A link on which one customer pays one order.', 'Kiungo ambacho mteja mmoja analipia oda moja.'],
  back: ['Payment pages', 'Kurasa za malipo'],
  make: ['New request', 'Ombi jipya'],
  status: ['Status', 'Hali'],
  when: ['Created', 'Lilitengenezwa'],
  link: ['Link', 'Kiungo'],
  linkOf: ['Link of {{title}}', 'Kiungo cha {{title}}'],
  none: ['No payment request yet', 'Hakuna ombi la malipo bado'],
  noneText: [
    'Enter what the customer pays for and how much. Then send the link by WhatsApp.',
    'Andika mteja analipia nini na kiasi gani. Kisha mtumie kiungo kwa WhatsApp.',
  ],
})
