/** The texts of the list of payment requests. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const paymentRequestsTexts = defineTexts('paymentRequests', {
  en: {
    title: 'Payment requests',
    text: 'A link on which one customer pays one order.',
    back: 'Payment pages',
    make: 'New request',
    request: 'Request',
    status: 'Status',
    when: 'Created',
    amount: 'Amount',
    link: 'Link',
    linkOf: 'Link of {{title}}',
    none: 'No payment request yet',
    noneText: 'Enter what the customer pays for and how much. Then send the link by WhatsApp.',
  },
  sw: {
    title: 'Maombi ya malipo',
    text: 'Kiungo ambacho mteja mmoja analipia oda moja.',
    back: 'Kurasa za malipo',
    make: 'Ombi jipya',
    request: 'Ombi',
    status: 'Hali',
    when: 'Lilitengenezwa',
    amount: 'Kiasi',
    link: 'Kiungo',
    linkOf: 'Kiungo cha {{title}}',
    none: 'Hakuna ombi la malipo bado',
    noneText: 'Andika mteja analipia nini na kiasi gani. Kisha mtumie kiungo kwa WhatsApp.',
  },
})
