/** The texts of one payment request. */
import { numberNames } from '../../ui/number-names.ts'
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const paymentRequestTexts = defineTexts('paymentRequest', [shared], {
  title: ['Payment request', 'Ombi la malipo'],
  back: ['Payment requests', 'Maombi ya malipo'],
  loading: ['Loading the request', 'Ombi linapakiwa'],
  share: ['Send the link', 'Tuma kiungo'],
  link: ['Link for the customer', 'Kiungo cha mteja'],
  copyLink: ['Copy link', 'Nakili kiungo'],
  facts: ['Details', 'Maelezo'],
  reference: numberNames.merchantReference,
  name: ['Customer', 'Mteja'],
  createdAt: ['Created', 'Lilitengenezwa'],
  endsAt: ['Until', 'Hadi'],
  paidAt: ['Paid', 'Lililipwa'],
  payment: ['See the payment', 'Angalia malipo'],
  cancel: ['Cancel the request', 'Ghairi ombi'],
  cancelTitle: ['Cancel this request?', 'Ughairi ombi hili?'],
  cancelText: [
    'The customer can no longer start a payment. A payment that is in progress may still complete.',
    'Mteja hataweza tena kuanza malipo. Malipo yanayoendelea yanaweza bado kukamilika.',
  ],
  cancelled: ['The request is cancelled.', 'Ombi limeghairiwa.'],
  paidTwice: ['Paid more than once', 'Limelipwa zaidi ya mara moja'],
  paidTwiceText: [
    'An earlier payment of this customer succeeded late, after another one. Both are in your wallet. Search for the order number to see both, and refund one.',
    'Malipo ya awali ya mteja huyu yamefanikiwa kwa kuchelewa, baada ya mengine. Yote yako kwenye pochi yako. Tafuta namba ya oda uyaone yote mawili, kisha urudishe moja.',
  ],
})
