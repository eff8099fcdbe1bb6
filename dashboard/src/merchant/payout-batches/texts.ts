/** The texts of the list of payout batches. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const payoutBatchesTexts = defineTexts('payout-batches', {
  en: {
    title: 'Payout batches',
    text: 'Salaries, bursaries or a group: one file, checked row by row, approved once.',
    make: 'New batch',
    batch: 'Batch',
    untitled: 'Batch of {{when}}',
    status: 'Status',
    rows: 'Rows',
    errors_one: '{{count}} with an error',
    errors_other: '{{count}} with errors',
    arrived: '{{done}} of {{rows}} arrived',
    total: 'Total',
    made: 'Made',
    by: 'by {{name}}',
    none: 'No batches yet',
    noneText: 'Pay many people at once: upload a sheet with their amounts, numbers and names.',
  },
  sw: {
    title: 'Kutuma kwa orodha',
    text: 'Mishahara, posho au kikundi: faili moja, linakaguliwa mstari kwa mstari, na kuidhinishwa mara moja.',
    make: 'Orodha mpya',
    batch: 'Orodha',
    untitled: 'Orodha ya {{when}}',
    status: 'Hali',
    rows: 'Mistari',
    errors_one: '{{count}} una kosa',
    errors_other: '{{count}} ina makosa',
    arrived: '{{done}} kati ya {{rows}} imefika',
    total: 'Jumla',
    made: 'Ilitengenezwa',
    by: 'na {{name}}',
    none: 'Hakuna orodha bado',
    noneText: 'Watumie watu wengi kwa mara moja: pakia jedwali lenye kiasi, namba na jina la kila mtu.',
  },
})
