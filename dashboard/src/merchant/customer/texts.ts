/** The texts of one customer. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const customerTexts = defineTexts('customer', [shared], {
  title: ['Customer', 'Mteja'],
  back: ['Customers', 'Wateja'],
  loading: ['Loading the customer', 'Mteja anapakiwa'],
  facts: ['Details', 'Maelezo'],
  network: ['Network', 'Mtandao'],
  completed: ['Completed payments', 'Malipo yaliyokamilika'],
  total: ['Paid in total', 'Jumla aliyolipa'],
  first: ['First payment', 'Malipo ya kwanza'],
  last: ['Last payment', 'Malipo ya mwisho'],
  payment: ['Payment', 'Malipo'],
  status: ['Status', 'Hali'],
  when: ['Started', 'Yalianza'],
  none: ['No payments', 'Hakuna malipo'],
  noneText: ['Payments of this phone appear here.', 'Malipo ya simu hii huonekana hapa.'],
})
