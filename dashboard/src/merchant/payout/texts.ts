/** The texts of one payout. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const payoutTexts = defineTexts('payout', [shared], {
  title: ['Payout', 'Pesa iliyotumwa'],
  titleOf: ['{{amount}} to {{name}}', '{{amount}} kwa {{name}}'],
  back: ['Payouts', 'Pesa zilizotumwa'],
  copyId: ['Copy the id', 'Nakili kitambulisho'],
  facts: ['Details', 'Kiasi na mpokeaji'],
  history: ['History', 'Yaliyotokea'],
  total: ['Total debit', 'Yaliyotoka kwenye pochi'],
  phone: ['Number', 'Namba'],
  network: ['Network', 'Mtandao'],
  narration: ['Purpose', 'Ni ya nini'],
  reference: ['Your reference', 'Kumbukumbu yako'],
  batch: ['Batch', 'Orodha'],
  toBatch: ['See the whole batch', 'Ona orodha yote'],
  waitsUntil: ['Sent at this time, because the recipient is new', 'Itaondoka saa, kwa kuwa mpokeaji ni mpya'],
  approval: ['Approval', 'Idhini'],
  underReview: ['We are investigating this payout', 'Tunachunguza malipo haya'],
  underReviewText: [
    'The network’s report does not match our books. Two of our operators will decide; until then its money stays set aside.',
    'Mtandao unasema kitu kisicholingana na vitabu vyetu. Watu wawili wataamua; hadi hapo pesa haisogei.',
  ],
  underReviewEnded: [
    'The network’s report does not match our books. Two of our operators will decide; until then the payout stays as it is here.',
    'Mtandao unasema kitu kisicholingana na vitabu vyetu. Watu wawili wataamua; hadi hapo malipo haya yanabaki kama yalivyo hapa.',
  ],
  payoutsWait: ['New payouts wait until then.', 'Kutuma pesa kwingine kunasubiri hadi hapo.'],
  returned: ['We returned {{amount}} to the wallet', '{{amount}} zimerudi kwenye pochi'],
  returnedText: [
    'Amount and fee, as one line of the statement. The balance was then {{balance}}.',
    'Kiasi na makato, kwa mstari mmoja wa taarifa. Kisha pochi ilikuwa na {{balance}}.',
  ],
  cancel: ['Cancel the payout', 'Ghairi'],
  cancelText: [
    'It can be cancelled until it is sent; amount and fee return to the wallet.',
    'Kabla haijatumwa inaweza kughairiwa; kiasi na makato vinarudi kwenye pochi.',
  ],
  cancelled: ['The payout is cancelled.', 'Imeghairiwa.'],
  state: {
    pending: ['Requested', 'Imeombwa'],
    processing: ['Being processed by the network', 'Iko njiani kwenye mtandao'],
    completed: ['Arrived', 'Imefika'],
    failed: ['Failed', 'Imeshindikana'],
    reversed: ['Reversed by the network', 'Mtandao umeirudisha'],
    cancelled: ['Cancelled before it was sent', 'Imeghairiwa kabla ya kutumwa'],
  },
  sent: ['Sent to the provider', 'Imetumwa kwa mtoa huduma'],
  line: {
    payout: ['{{amount}} debited', '{{amount}} zimetoka kwenye pochi'],
    fee: ['{{amount}} fee debited', 'Makato ya {{amount}} yametoka kwenye pochi'],
    payout_reversal: ['{{amount}} returned to the wallet', '{{amount}} zimerudi kwenye pochi'],
    payout_again: [
      '{{amount}} debited again, because it was paid after all',
      '{{amount}} zimetoka tena kwenye pochi, kwa sababu zililipwa baadaye',
    ],
    payout_raised: [
      '{{amount}} debited in addition, because the network paid more',
      '{{amount}} za ziada zimetoka kwenye pochi, kwa sababu mtandao ulilipa zaidi',
    ],
    payout_lowered: [
      '{{amount}} returned to the wallet, because the network paid less',
      '{{amount}} zimerudi kwenye pochi, kwa sababu mtandao ulilipa pungufu',
    ],
  },
  balanceAfter: ['Balance afterwards: {{amount}}', 'Kisha kwenye pochi: {{amount}}'],
})
