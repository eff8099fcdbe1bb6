/** The texts of one payment for operators. */
import { numberNames } from '../../ui/number-names.ts'
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const paymentTexts = defineTexts('admin-payment', [operatorTexts], {
  title: ['Payment', 'Malipo'],
  story: ['What happened', 'Kilichotokea'],
  moment: ['on {{day}} at {{time}}', 'tarehe {{day}}, {{time}}'],
  facts: ['State', 'Yalipo'],
  ask: ['Ask the provider now', 'Muulize mtoa huduma sasa'],
  answer: {
    found: [
      'The provider has it: {{status}}, TSh {{amount}}. {{outcome}}',
      'Mtoa huduma anayajua: {{status}}, TSh {{amount}}. {{outcome}}',
    ],
    not_found: ['The provider does not have it. Nothing was changed.', 'Mtoa huduma hayajui. Hakuna kilichosogezwa.'],
    indeterminate: [
      'The provider gave no usable answer. Nothing was changed.',
      'Mtoa huduma hakutoa jibu linalofaa. Hakuna kilichosogezwa.',
    ],
  },
  outcome: {
    applied: ['The payment was changed.', 'Malipo yamebadilishwa.'],
    unchanged: ['Nothing was changed: we knew this already.', 'Hakuna kilichobadilika: tulilijua tayari.'],
    ignored: ['Nothing was changed: the payment had ended before.', 'Hakuna kilichobadilika: malipo yalishaisha.'],
    unproven: ['Nothing was changed: the answer has no amount.', 'Hakuna kilichobadilika: jibu halina kiasi.'],
    to_confirm: ['Nothing was changed: it must be confirmed first.', 'Hakuna kilichobadilika: lazima lithibitishwe kwanza.'],
    amount_to_confirm: [
      'Nothing was booked: the amount differs and must be confirmed first.',
      'Hakuna kilichowekwa: kiasi ni tofauti, lazima kithibitishwe kwanza.',
    ],
    contradicts: ['Nothing was changed: it contradicts the credit.', 'Hakuna kilichobadilika: linapingana na kilichowekwa.'],
    amount_differs: ['The amount differs: a break was opened.', 'Kiasi ni tofauti: tofauti imefunguliwa.'],
    held: ['The money is held until a break is resolved.', 'Pesa imezuiwa mpaka tofauti itatuliwe.'],
    found: [
      'Nothing was changed: a break has booked the money of this record.',
      'Hakuna kilichobadilika: pesa ya rekodi hii imewekwa na tofauti.',
    ],
    unknown_payment: ['We do not know this payment.', 'Hatuyajui malipo haya.'],
    reference_conflict: [
      'Another payment has the same provider reference: a break was opened.',
      'Malipo mengine yana namba hiyo kwa mtoa huduma: tofauti imefunguliwa.',
    ],
  },
  cases: ['Support cases', 'Masuala ya mlipaji'],
  paymentRequest: ['Payment request', 'Ombi la malipo'],
  shortCode: numberNames.shortCode,
  networkReceipt: numberNames.networkReceipt,
  providerReference: numberNames.providerReference,
  lastNews: ['Last news', 'Mara ya mwisho kusikia'],
  checks: ['Status checks', 'Maswali yaliyoulizwa'],
  next: ['Next automatic step', 'Kitakachotokea chenyewe'],
  nextAt: ['The provider is asked again at the time shown here: ', 'Mtoa huduma ataulizwa tena kwa muda huu: '],
  nextNone: ['None: the payment is final.', 'Hakuna zaidi: yamefika mwisho.'],
  nextBreak: [
    'None: two operators must resolve the break below.',
    'Hakuna chenyewe: wasimamizi wawili watatue tofauti iliyo hapa chini.',
  ],
  nextStopped: [
    'There are no more automatic status checks. The comparison with the provider finds it and opens a break, which two operators resolve.',
    'Hayaulizwi tena yenyewe. Ulinganisho na mtoa huduma utayakuta na kufungua tofauti itakayotatuliwa na wasimamizi wawili.',
  ],
  messages: ['Provider messages', 'Alichosema mtoa huduma'],
  noMessages: ['Nothing yet.', 'Bado hakuna.'],
  transfers: ['Ledger transfers', 'Kilichosogea vitabuni'],
  noTransfers: ['No transfers.', 'Hakuna kilichosogea.'],
  refunds: ['Refunds', 'Fedha zilizorudishwa'],
  refund: ['Refund', 'Urejeshaji'],
  outside: ['outside the wallet', 'nje ya pochi'],
  fee: ['Fee', 'Ada'],
  requested: ['Requested', 'Ziliombwa'],
  from: ['From', 'Kutoka'],
  to: ['To', 'Kwenda'],
  breaks: ['Breaks', 'Tofauti'],
  noBreaks: [
    'None. Balances are never changed by hand: an error is opened as a break, and two operators resolve it with evidence.',
    'Hakuna. Salio halibadilishwi kwa mkono: kilicho na kasoro hufunguliwa kama tofauti, na wasimamizi wawili huitatua kwa ushahidi.',
  ],
  underReview: ['Its money is in suspense.', 'Pesa yake imewekwa pembeni.'],
  late: ['The success was late.', 'Mafanikio yalichelewa.'],
  received: ['Received', 'Ilipokelewa'],
  word: ['Message', 'Neno'],
  kind: ['What', 'Nini'],
  by: ['By', 'Na'],
})
