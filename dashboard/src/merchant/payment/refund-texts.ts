/** The texts of refunds. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const refundTexts = defineTexts('refunds', {
  title: ['Refunds', 'Fedha zilizorudishwa'],
  refund: ['Refund', 'Rudisha fedha'],
  dialog: ['Refund this payment', 'Rudisha fedha za malipo haya'],
  to: ['The money goes to the phone that paid, {{phone}}.', 'Fedha zinaenda kwenye simu iliyolipa, {{phone}}.'],
  amount: ['Amount', 'Kiasi'],
  left: ['{{amount}} of this payment can be refunded.', '{{amount}} za malipo haya zinaweza kurudishwa.'],
  tooMuch: ['At most {{amount}} can be refunded.', 'Zinaweza kurudishwa {{amount}} tu.'],
  reason: ['Reason', 'Sababu'],
  reasonHint: ['Your own note. The customer does not see it.', 'Kumbukumbu yako mwenyewe. Mteja haioni.'],
  fee: ['Fee', 'Makato'],
  total: ['Debited from your wallet', 'Zinazotoka kwenye pochi yako'],
  after: ['Left in your wallet', 'Zitakazobaki kwenye pochi yako'],
  notEnough: [
    'Your wallet does not have enough for this refund and its fee.',
    'Pochi yako haina fedha za kutosha kurudisha kiasi hiki pamoja na makato.',
  ],
  refundAmount: ['Refund {{amount}}', 'Rudisha {{amount}}'],
  done: ['The refund was created.', 'Fedha zinarudishwa.'],
  status: ['Status', 'Hali'],
  when: ['When', 'Lini'],
  waits: {
    members: ['Waits for the approval of members', 'Zinasubiri idhini ya wanachama'],
    operators: ['Waits for the approval of Malipo', 'Zinasubiri idhini ya Malipo'],
  },
  refunded: ['Refunded', 'Zilizorudishwa'],
})
