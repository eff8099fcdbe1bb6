/** The texts of the till. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const tillTexts = defineTexts('till', [shared], {
  title: ['Till', 'Kaunta'],
  close: ['Close the till', 'Funga kaunta'],
  fullScreen: ['Full screen', 'Skrini nzima'],
  sound: ['Sound', 'Sauti'],
  soundBlocked: ['Touch here to hear payments', 'Gusa hapa usikie malipo'],
  last: ['Last payment', 'Malipo ya mwisho'],
  new: ['New payment', 'Malipo mapya'],
  none: ['No payment yet', 'Bado hakuna malipo'],
  noneText: [
    'A payment is shown here as soon as the network has confirmed it.',
    'Malipo yataonekana hapa mara tu mtandao utakapoyathibitisha.',
  ],
  code: ['Payment code {{code}}', 'Msimbo wa malipo {{code}}'],
  receipt: ['Network receipt number {{receipt}}', 'Namba ya risiti ya mtandao {{receipt}}'],
  payments_one: ['{{count}} payment', 'malipo {{count}}'],
  payments_other: ['{{count}} payments', 'malipo {{count}}'],
  list: ['Last payments', 'Malipo ya karibuni'],
  page: ['Code to pay', 'Msimbo wa kulipia'],
  showPage: ['Pay code', 'Msimbo'],
  choosePage: ['Page', 'Ukurasa'],
  noPage: ['There is no active page to show.', 'Hakuna ukurasa unaotumika wa kuonyesha.'],
  scan: ['The customer points the camera here, or opens the link.', 'Mteja aelekeze kamera hapa, au afungue kiungo.'],
  request: ['New request', 'Ombi jipya'],
  digit: ['Digits', 'Tarakimu'],
  delete: ['Delete the last digit', 'Futa tarakimu ya mwisho'],
  make: ['Show the code', 'Onyesha msimbo'],
  requestTitle: ['Payment at the counter', 'Malipo ya kaunta'],
  requestScan: ['The customer scans this code and pays.', 'Mteja achanganue msimbo huu kisha alipe.'],
  waiting: ['Waiting for the payment', 'Tunasubiri malipo'],
  paid: ['Paid', 'Imelipwa'],
  over: ['This request has ended without a payment.', 'Ombi hili limeisha bila malipo.'],
  another: ['Another request', 'Ombi lingine'],
  loading: ['The till is loading', 'Kaunta inapakia'],
})
