/** The text of a receipt by mail, in both languages. */
import { byLanguage } from '../../domain/texts.ts'

export const messagesOf = byLanguage({
  subject: (amount: string, merchant: string) => [`Receipt: ${amount} to ${merchant}`, `Risiti: ${amount} kwa ${merchant}`],
  test: [
    'TEST: this was a test payment. No real money is involved.',
    'TEST: haya yalikuwa malipo ya majaribio. Pesa halisi haihusiki.',
  ],
  title: ['Payment complete', 'Malipo yamekamilika'],
  refundSubject: (amount: string, merchant: string) => [
    `Refund: ${amount} from ${merchant}`,
    `Umerudishiwa ${amount} kutoka kwa ${merchant}`,
  ],
  refundTitle: ['Refund complete', 'Umerudishiwa fedha'],
  refundedBy: ['Refunded by', 'Umerudishiwa na'],
  refundOf: ['Refund of', 'Malipo yaliyorudishwa'],
  refundedTo: ['Sent to', 'Zimetumwa kwa'],
  refundedHow: ['How', 'Namna'],
  refundedOutside: ['Returned by the merchant, not through Malipo', 'Zilirudishwa na mfanyabiashara mwenyewe, si kupitia Malipo'],
  refund: ['Refund reference', 'Kumbukumbu ya marejesho'],
  amount: ['Amount', 'Kiasi'],
  amountAsked: ['Requested amount', 'Kiasi kilichoombwa'],
  payTo: ['Paid to', 'Umemlipa'],
  paidFor: ['For', 'Malipo ya'],
  paidFrom: ['Paid from', 'Yamelipwa kutoka'],
  paidAt: ['Date', 'Tarehe'],
  eastAfricaTime: ['East Africa Time', 'saa za Afrika Mashariki'],
  networkReceipt: ['Network receipt number', 'Namba ya risiti ya mtandao'],
  shortCode: ['Payment code', 'Msimbo wa malipo'],
  reference: ['Reference', 'Kumbukumbu namba'],
  open: ['Open, save or share this receipt', 'Fungua, hifadhi au tuma risiti hii'],
  help: ['Help', 'Msaada'],
  helpFrom: (merchant: string) => [`About what you paid for, from ${merchant}`, `Kuhusu ulichokilipia, kutoka kwa ${merchant}`],
  helpWithPayment: ['About the payment itself, from Malipo', 'Kuhusu malipo yenyewe, kutoka Malipo'],
  pinSafety: [
    'Never tell anyone your PIN. We never ask for it, by mail, by message or by phone.',
    'Usimpe mtu yeyote namba yako ya siri (PIN). Hatuiombi kamwe, kwa barua pepe, ujumbe wala simu.',
  ],
  whyYou: [
    'This address was entered with the payment. If you did not pay, ignore this message.',
    'Anwani hii iliandikwa wakati wa kulipa. Kama si wewe, puuza ujumbe huu.',
  ],
})
