/** The texts of the list of payout batches. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const payoutBatchesTexts = defineTexts('payout-batches', [shared], {
  title: ['Payout batches', 'Kutuma kwa orodha'],
  text: [
    'Salaries, bursaries or a group: one file, checked row by row, approved once.',
    'Mishahara, posho au kikundi: faili moja, linakaguliwa mstari kwa mstari, na kuidhinishwa mara moja.',
  ],
  make: ['New batch', 'Orodha mpya'],
  batch: ['Batch', 'Orodha'],
  untitled: ['Batch of {{when}}', 'Orodha ya {{when}}'],
  status: ['Status', 'Hali'],
  errors_one: ['{{count}} with an error', '{{count}} una kosa'],
  errors_other: ['{{count}} with errors', '{{count}} ina makosa'],
  arrived: ['{{done}} of {{rows}} arrived', '{{done}} kati ya {{rows}} imefika'],
  total: ['Total', 'Jumla'],
  made: ['Made', 'Ilitengenezwa'],
  by: ['by {{name}}', 'na {{name}}'],
  none: ['No batches yet', 'Hakuna orodha bado'],
  noneText: [
    'Pay many people at once: upload a sheet with their amounts, numbers and names.',
    'Watumie watu wengi kwa mara moja: pakia jedwali lenye kiasi, namba na jina la kila mtu.',
  ],
})
