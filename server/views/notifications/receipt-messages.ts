/** The text of a receipt by mail, in both languages. Invariant: a key that is missing in one of them fails the build. */
import type { PayerLanguage } from '../../domain/language.ts'

const en = {
  subject: (amount: string, merchant: string) => `Receipt: ${amount} to ${merchant}`,
  test: 'TEST: this was a test payment. No real money is involved.',
  title: 'Payment complete',
  refundSubject: (amount: string, merchant: string) => `Refund: ${amount} from ${merchant}`,
  refundTitle: 'Refund complete',
  refundedBy: 'Refunded by',
  refundOf: 'Refund of',
  refundedTo: 'Sent to',
  refund: 'Refund reference',
  amount: 'Amount',
  amountAsked: 'Requested amount',
  payTo: 'Paid to',
  paidFor: 'For',
  paidFrom: 'Paid from',
  paidAt: 'Date',
  eastAfricaTime: 'East Africa Time',
  networkReceipt: 'Network receipt number',
  shortCode: 'Payment code',
  reference: 'Reference',
  open: 'Open, save or share this receipt',
  help: 'Help',
  helpFrom: (merchant: string) => `About what you paid for, from ${merchant}`,
  helpWithPayment: 'About the payment itself, from Malipo',
  pinSafety: 'Never tell anyone your PIN. We never ask for it, by mail, by message or by phone.',
  whyYou: 'This address was entered with the payment. If you did not pay, ignore this message.',
}

export type ReceiptMessages = typeof en

const sw: ReceiptMessages = {
  subject: (amount, merchant) => `Risiti: ${amount} kwa ${merchant}`,
  test: 'TEST: haya yalikuwa malipo ya majaribio. Pesa halisi haihusiki.',
  title: 'Malipo yamekamilika',
  refundSubject: (amount, merchant) => `Umerudishiwa ${amount} kutoka ${merchant}`,
  refundTitle: 'Umerudishiwa fedha',
  refundedBy: 'Umerudishiwa na',
  refundOf: 'Malipo yaliyorudishwa',
  refundedTo: 'Zimetumwa kwa',
  refund: 'Kumbukumbu ya marejesho',
  amount: 'Kiasi',
  amountAsked: 'Kiasi kilichoombwa',
  payTo: 'Umemlipa',
  paidFor: 'Malipo ya',
  paidFrom: 'Imelipwa kutoka',
  paidAt: 'Tarehe',
  eastAfricaTime: 'saa za Afrika Mashariki',
  networkReceipt: 'Namba ya risiti ya mtandao',
  shortCode: 'Msimbo wa malipo',
  reference: 'Kumbukumbu namba',
  open: 'Fungua, hifadhi au tuma risiti hii',
  help: 'Msaada',
  helpFrom: (merchant) => `Kuhusu ulichokilipia, kutoka kwa ${merchant}`,
  helpWithPayment: 'Kuhusu malipo yenyewe, kutoka Malipo',
  pinSafety: 'Usimpe mtu yeyote namba yako ya siri (PIN). Hatuiombi kamwe, kwa barua pepe, ujumbe wala simu.',
  whyYou: 'Anwani hii iliandikwa wakati wa kulipa. Kama si wewe, puuza ujumbe huu.',
}

export const messagesOf: Record<PayerLanguage, ReceiptMessages> = { sw, en }
