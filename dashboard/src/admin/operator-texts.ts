/** Words that several operators' screens share. */
import { defineTexts } from '../i18n/define-texts.ts'
import type { Language } from '../i18n/language.ts'

export const operatorTexts = defineTexts('operators', {
  en: {
    all: 'All',
    person: 'Person',
    business: 'Business',
    people: 'People',
    businesses: 'Businesses',
    environment: { test: 'Test', live: 'Live' },
    network: 'Network',
    merchant: 'Merchant',
    payment: 'Payment',
    payout: 'Payout',
    page: 'Payment page',
    amount: 'Amount',
    status: 'Status',
    age: 'Age',
    overdue: 'overdue',
    waiting_one: '{{size}} waiting.',
    waiting_other: '{{size}} waiting.',
    oldestWaits: 'The oldest has waited:',
    waitedFor: 'Waiting for',
    when: 'When',
    you: 'You',
    system: 'The service',
    commandLine: 'Command line',
    never: 'never',
    yes: 'Yes',
    no: 'No',
    reason: 'Reason',
    note: 'Note',
    unclear: 'unknown',
    provider: 'Provider',
    payer: 'Payer',
    money: 'Money',
    break: 'Break',
    breakKind: {
      amount_differs: 'The provider reports another amount',
      charge_unknown: 'The outcome of a payment is unknown',
      reference_conflict: 'Two payments have the same provider reference',
      payout_amount_differs: 'The provider paid out another amount',
      payout_unknown: 'The outcome of a payout is unknown',
      payout_contradicts: 'The provider contradicts itself about a payout',
      payout_reference_conflict: 'Two payouts have the same provider reference',
      missing_at_provider: 'A payment is missing at the provider',
      unknown_at_provider: 'The provider has a payment that we do not have',
      settled_differs: 'The provider settled another sum',
      fee_differs: 'The provider reports another fee',
    },
    resolution: {
      credit_payment: 'Credit the merchant',
      return_to_payer: 'Return the money to the payer',
      credit_to_payment: 'Credit it to a payment',
      keep_unallocated: 'The owner is unknown: keep the money in suspense',
      refund_second_charge: 'Charged twice: return the second charge',
      ask_again: 'Ask the provider again',
      not_charged: 'Nothing was charged: close it as failed',
      payout_paid: 'The recipient was paid',
      payout_not_paid: 'The recipient was not paid: return the money',
      payout_returned: 'The money came back: return it to the wallet',
      follow_provider: 'Follow the provider: correct what is booked',
      book_fee: 'Book the reported fee',
      provider_was_wrong: 'The provider was wrong',
      payout_paid_after_all: 'It was paid after all: debit the wallet again; the rest is owed',
      write_off: 'It was paid, and the merchant does not owe it: book it as a loss',
      debit_wallet: 'The money belongs to a payout or merchant: debit that wallet',
      already_settled: 'It is already settled',
    },
    purpose: {
      national_id: 'National identity card',
      student_id_card: 'Student card',
      selfie: 'Picture of the person',
      registration_certificate: 'Registration certificate',
      tax_certificate: 'Tax certificate',
      business_license: 'Business licence',
      proof_of_address: 'Proof of address',
    },
  },
  sw: {
    all: 'Zote',
    person: 'Mtu',
    business: 'Biashara',
    people: 'Watu',
    businesses: 'Biashara',
    environment: { test: 'Majaribio', live: 'Halisi' },
    network: 'Mtandao',
    merchant: 'Mfanyabiashara',
    payment: 'Malipo',
    payout: 'Malipo ya nje',
    page: 'Ukurasa wa malipo',
    amount: 'Kiasi',
    status: 'Hali',
    age: 'Umri',
    overdue: 'imechelewa',
    waiting_one: '{{size}} inasubiri.',
    waiting_other: '{{size}} zinasubiri.',
    oldestWaits: 'Ya zamani zaidi imesubiri:',
    waitedFor: 'Imesubiri',
    when: 'Lini',
    you: 'Wewe',
    system: 'Mfumo',
    commandLine: 'Mstari wa amri',
    never: 'bado kamwe',
    yes: 'Ndiyo',
    no: 'Hapana',
    reason: 'Sababu',
    note: 'Maelezo',
    unclear: 'haijulikani',
    provider: 'Mtoa huduma',
    payer: 'Mlipaji',
    money: 'Pesa',
    break: 'Tofauti',
    breakKind: {
      amount_differs: 'Mtoa huduma anasema kiasi kingine',
      charge_unknown: 'Haijulikani malipo yaliishiaje',
      reference_conflict: 'Malipo mawili yana namba moja kwa mtoa huduma',
      payout_amount_differs: 'Mtoa huduma alilipa kiasi kingine',
      payout_unknown: 'Haijulikani malipo ya nje yaliishiaje',
      payout_contradicts: 'Mtoa huduma anajipinga kuhusu malipo ya nje',
      payout_reference_conflict: 'Malipo ya nje mawili yana namba moja kwa mtoa huduma',
      missing_at_provider: 'Mtoa huduma hayajui malipo yetu',
      unknown_at_provider: 'Mtoa huduma ana malipo tusiyoyajua',
      settled_differs: 'Mtoa huduma alikamilisha kiasi kingine',
      fee_differs: 'Mtoa huduma ameripoti ada nyingine',
    },
    resolution: {
      credit_payment: 'Mwekee mfanyabiashara',
      return_to_payer: 'Mrudishie mlipaji pesa',
      credit_to_payment: 'Weka kwenye malipo fulani',
      keep_unallocated: 'Mwenye pesa hajulikani: ibaki ilipo',
      refund_second_charge: 'Alikatwa mara mbili: mrudishie ya pili',
      ask_again: 'Muulize mtoa huduma tena',
      not_charged: 'Hakuna kilichokatwa: funga kama yaliyoshindikana',
      payout_paid: 'Mpokeaji alilipwa',
      payout_not_paid: 'Mpokeaji hakulipwa: rudisha pesa',
      payout_returned: 'Pesa imerudi: irudishe kwenye pochi',
      follow_provider: 'Mfuate mtoa huduma: rekebisha kiasi kilichoandikwa',
      book_fee: 'Weka ada iliyoripotiwa',
      provider_was_wrong: 'Mtoa huduma alikosea',
      payout_paid_after_all: 'Ililipwa baadaye: toa tena kwenye pochi, iliyobaki ni deni',
      write_off: 'Ililipwa, na mfanyabiashara halipi: iandikwe hasara',
      debit_wallet: 'Pesa ni ya malipo au mfanyabiashara fulani: pochi hiyo inalipa',
      already_settled: 'Imeshakamilishwa',
    },
    purpose: {
      national_id: 'Kitambulisho cha taifa',
      student_id_card: 'Kitambulisho cha mwanafunzi',
      selfie: 'Picha ya mtu',
      registration_certificate: 'Cheti cha usajili',
      tax_certificate: 'Cheti cha kodi',
      business_license: 'Leseni ya biashara',
      proof_of_address: 'Uthibitisho wa anwani',
    },
  },
})

export type Purpose =
  | 'national_id'
  | 'student_id_card'
  | 'selfie'
  | 'registration_certificate'
  | 'tax_certificate'
  | 'business_license'
  | 'proof_of_address'

/** A duration in its two largest useful units: `3 d 4 h`, `12 min`. */
export function ageText(seconds: number, language: Language): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const [days, hour, minute] = [Math.floor(hours / 24), hours % 24, minutes % 60]
  if (language === 'sw') {
    if (minutes < 1) return 'chini ya dk 1'
    if (hours < 1) return `dk ${minutes}`
    return days < 1 ? `saa ${hours}, dk ${minute}` : `siku ${days}, saa ${hour}`
  }
  if (minutes < 1) return '< 1 min'
  if (hours < 1) return `${minutes} min`
  return days < 1 ? `${hours} h ${minute} min` : `${days} d ${hour} h`
}
