/** The texts of the list of customers. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const customersTexts = defineTexts('customers', [shared], {
  title: ['Customers', 'Wateja'],
  text: ['Everyone who has paid this wallet, by phone number.', 'Kila aliyelipa kwenye pochi hii, kwa namba ya simu.'],
  search: ['Search by name or number', 'Tafuta kwa jina au namba'],
  name: ['Customer', 'Mteja'],
  noName: ['No name given', 'Hakuna jina'],
  total: ['Paid in total', 'Jumla aliyolipa'],
  refunded: ['{{amount}} refunded', '{{amount}} zimerudishwa'],
  last: ['Last payment', 'Malipo ya mwisho'],
  counting: ['Earlier payments are still being counted', 'Malipo ya zamani bado yanahesabiwa'],
  countingText: [
    'Totals grow in the next minutes. Later visits show everything at once.',
    'Jumla zitaongezeka ndani ya dakika chache. Baadaye utaona zote mara moja.',
  ],
  none: ['No customers yet', 'Hakuna wateja bado'],
  noneText: ['A payer appears here after their first payment.', 'Anayekulipa huonekana hapa baada ya malipo ya kwanza.'],
  noneFoundText: ['Try a part of the name, or some digits of the number.', 'Jaribu sehemu ya jina, au tarakimu chache za namba.'],
  noneYet: ['No one found so far', 'Bado hakuna aliyepatikana'],
  noneYetText: ['The list is long: this was a part of it.', 'Orodha ni ndefu: hii ni sehemu yake tu.'],
  lookOn: ['Search further', 'Endelea kutafuta'],
})
