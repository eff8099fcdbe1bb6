/** The texts of refunds. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const refundTexts = defineTexts('refunds', [shared], {
  title: ['Refunds', 'Fedha zilizorudishwa'],
  refund: ['Refund', 'Rudisha fedha'],
  dialog: ['Refund this payment', 'Rudisha fedha za malipo haya'],
  to: ['The money goes to the phone that paid, {{phone}}.', 'Fedha zinaenda kwenye simu iliyolipa, {{phone}}.'],
  how: ['How does the customer get the money?', 'Mteja anapataje fedha?'],
  ways: {
    provider: ['Send it from my wallet', 'Zitumwe kutoka kwenye pochi yangu'],
    outside: ['I gave the money back myself (cash or my own phone)', 'Nimezirudisha mwenyewe (taslimu au kwa simu yangu)'],
  },
  outside: [
    'Nothing is sent and your wallet does not change. The receipt of the customer says that you returned the money.',
    'Hakuna kinachotumwa na pochi yako haibadiliki. Risiti ya mteja itaonyesha kuwa ulirudisha fedha.',
  ],
  outsideHint: ['How and when you gave it back. The customer does not see it.', 'Ulizirudisha vipi na lini. Mteja haioni.'],
  recordAmount: ['Record the return of {{amount}}', 'Rekodi kurudisha {{amount}}'],
  recorded: ['The return was recorded.', 'Imerekodiwa.'],
  byMerchant: ['Returned by you, outside the wallet', 'Ulizirudisha mwenyewe, nje ya pochi'],
  left: ['{{amount}} of this payment can be refunded.', '{{amount}} za malipo haya zinaweza kurudishwa.'],
  tooMuch: ['At most {{amount}} can be refunded.', 'Zinaweza kurudishwa {{amount}} tu.'],
  reasonHint: ['Your own note. The customer does not see it.', 'Kumbukumbu yako mwenyewe. Mteja haioni.'],
  total: ['Debited from your wallet', 'Zinazotoka kwenye pochi yako'],
  after: ['Left in your wallet', 'Zitakazobaki kwenye pochi yako'],
  notEnough: [
    'Your wallet does not have enough for this refund and its fee.',
    'Pochi yako haina fedha za kutosha kurudisha kiasi hiki pamoja na makato.',
  ],
  refundAmount: ['Refund {{amount}}', 'Rudisha {{amount}}'],
  refundAgain: ['Refund {{amount}} again', 'Rudisha {{amount}} tena'],
  refundAllTheSame: ['Refund {{amount}} all the same', 'Rudisha {{amount}} hata hivyo'],
  rest: ['{{amount}} could not be refunded later', '{{amount}} hazitaweza kurudishwa baadaye'],
  restText: [
    'What would be left is less than the minimum of a refund. To return everything, refund {{amount}} now.',
    'Kitakachobaki ni chini ya kiwango cha chini cha kurudisha. Kurudisha zote, rudisha {{amount}} sasa.',
  ],
  again: ['Refund again?', 'Urudishe tena?'],
  againText: [
    'You already refunded {{amount}} of this payment {{when}}.',
    'Tayari ulirudisha {{amount}} za malipo haya {{when}}.',
  ],
  unsure: ['We do not know yet whether it was sent', 'Bado hatujui kama imetumwa'],
  unsureText: [
    'The connection was lost during the request. Try again: it is refunded only once, however often you try.',
    'Mtandao ulikatika tulipokuwa tunauliza. Uliza tena: hata ukiuliza mara ngapi, zinarudishwa mara moja tu.',
  ],
  askAgain: ['Try again', 'Uliza tena'],
  startAgain: ['Start a new one', 'Anza mpya'],
  done: ['The refund was created.', 'Fedha zinarudishwa.'],
  status: ['Status', 'Hali'],
  waits: {
    members: ['Waits for the approval of members', 'Zinasubiri idhini ya wanachama'],
    operators: ['Waits for the approval of Malipo', 'Zinasubiri idhini ya Malipo'],
  },
})
