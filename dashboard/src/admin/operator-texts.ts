/** Words that several operators' screens share. */
import { defineTexts } from '../i18n/define-texts.ts'
import type { Language } from '../i18n/language.ts'
import { shared } from '../ui/texts.ts'

export const operatorTexts = defineTexts('operators', [shared], {
  all: ['All', 'Zote'],
  person: ['Person', 'Mtu'],
  business: ['Business', 'Biashara'],
  people: ['People', 'Watu'],
  businesses: ['Businesses', 'Biashara'],
  environment: {
    test: ['Test', 'Majaribio'],
    live: ['Live', 'Halisi'],
  },
  network: ['Network', 'Mtandao'],
  merchant: ['Merchant', 'Mfanyabiashara'],
  payment: ['Payment', 'Malipo'],
  payout: ['Payout', 'Malipo ya nje'],
  page: ['Payment page', 'Ukurasa wa malipo'],
  status: ['Status', 'Hali'],
  age: ['Age', 'Umri'],
  overdue: ['overdue', 'muda umepita'],
  waiting_one: ['{{size}} waiting.', '{{size}} kinasubiri.'],
  waiting_other: ['{{size}} waiting.', '{{size}} vinasubiri.'],
  oldestWaits: ['The oldest has waited:', 'Cha zamani zaidi kimesubiri:'],
  waitedFor: ['Waiting for', 'Muda wa kusubiri'],
  you: ['You', 'Wewe'],
  system: ['The service', 'Mfumo'],
  commandLine: ['Command line', 'Mstari wa amri'],
  never: ['never', 'bado kamwe'],
  yes: ['Yes', 'Ndiyo'],
  no: ['No', 'Hapana'],
  note: ['Note', 'Maelezo'],
  unclear: ['unknown', 'haijulikani'],
  provider: ['Provider', 'Mtoa huduma'],
  payer: ['Payer', 'Mlipaji'],
  money: ['Money', 'Pesa'],
  break: ['Break', 'Tofauti'],
  breakKind: {
    amount_differs: ['The provider reports another amount', 'Mtoa huduma anasema kiasi kingine'],
    charge_unknown: ['The outcome of a payment is unknown', 'Haijulikani malipo yaliishiaje'],
    reference_conflict: ['Two payments have the same provider reference', 'Malipo mawili yana namba moja kwa mtoa huduma'],
    payout_amount_differs: ['The provider paid out another amount', 'Mtoa huduma alilipa kiasi kingine'],
    payout_unknown: ['The outcome of a payout is unknown', 'Haijulikani malipo ya nje yaliishiaje'],
    payout_contradicts: ['The provider contradicts itself about a payout', 'Mtoa huduma anajipinga kuhusu malipo ya nje'],
    payout_reference_conflict: [
      'Two payouts have the same provider reference',
      'Malipo ya nje mawili yana namba moja kwa mtoa huduma',
    ],
    missing_at_provider: ['A payment is missing at the provider', 'Mtoa huduma hayajui malipo yetu'],
    unknown_at_provider: ['The provider has a payment that we do not have', 'Mtoa huduma ana malipo tusiyoyajua'],
    settled_differs: ['The provider settled another sum', 'Mtoa huduma alikamilisha kiasi kingine'],
    balance_differs: ['The balance at the provider differs', 'Salio kwa mtoa huduma linatofautiana'],
    fee_differs: ['The provider reports another fee', 'Mtoa huduma ameripoti ada nyingine'],
  },
  resolution: {
    credit_payment: ['Credit the merchant', 'Mwekee mfanyabiashara'],
    return_to_payer: ['Return the money to the payer', 'Mrudishie mlipaji pesa'],
    credit_to_payment: ['Credit it to a payment', 'Weka kwenye malipo fulani'],
    keep_unallocated: ['The owner is unknown: keep the money in suspense', 'Mwenye pesa hajulikani: ibaki ilipo'],
    refund_second_charge: ['Charged twice: return the second charge', 'Alikatwa mara mbili: mrudishie ya pili'],
    ask_again: ['Ask the provider again', 'Muulize mtoa huduma tena'],
    not_charged: ['Nothing was charged: close it as failed', 'Hakuna kilichokatwa: funga kama yaliyoshindikana'],
    payout_paid: ['The recipient was paid', 'Mpokeaji alilipwa'],
    payout_not_paid: ['The recipient was not paid: return the money', 'Mpokeaji hakulipwa: rudisha pesa'],
    payout_returned: ['The money came back: return it to the wallet', 'Pesa imerudi: irudishe kwenye pochi'],
    follow_provider: ['Follow the provider: correct what is booked', 'Mfuate mtoa huduma: rekebisha kiasi kilichoandikwa'],
    book_fee: ['Book the reported fee', 'Weka ada iliyoripotiwa'],
    provider_was_wrong: ['The provider was wrong', 'Mtoa huduma alikosea'],
    payout_paid_after_all: [
      'It was paid after all: debit the wallet again; the rest is owed',
      'Ililipwa baadaye: toa tena kwenye pochi, iliyobaki ni deni',
    ],
    write_off: [
      'It was paid, and the merchant does not owe it: book it as a loss',
      'Ililipwa, na mfanyabiashara halipi: iandikwe hasara',
    ],
    debit_wallet: [
      'The money belongs to a payout or merchant: debit that wallet',
      'Pesa ni ya malipo au mfanyabiashara fulani: pochi hiyo inalipa',
    ],
    already_settled: ['It is already settled', 'Imeshakamilishwa'],
  },
  purpose: {
    national_id: ['National identity card', 'Kitambulisho cha taifa'],
    student_id_card: ['Student card', 'Kitambulisho cha mwanafunzi'],
    selfie: ['Picture of the person', 'Picha ya mtu'],
    registration_certificate: ['Registration certificate', 'Cheti cha usajili'],
    tax_certificate: ['Tax certificate', 'Cheti cha kodi'],
    business_license: ['Business licence', 'Leseni ya biashara'],
    proof_of_address: ['Proof of address', 'Uthibitisho wa anwani'],
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

/** A duration in its two largest useful units, without a zero: `3 d 4 h`, `1 d`, `12 min`. */
export function ageText(seconds: number, language: Language): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const [days, hour, minute] = [Math.floor(hours / 24), hours % 24, minutes % 60]
  if (language === 'sw') {
    if (minutes < 1) return 'chini ya dk 1'
    if (hours < 1) return `dk ${minutes}`
    if (days < 1) return minute === 0 ? `saa ${hours}` : `saa ${hours}, dk ${minute}`
    return hour === 0 ? `siku ${days}` : `siku ${days}, saa ${hour}`
  }
  if (minutes < 1) return '< 1 min'
  if (hours < 1) return `${minutes} min`
  if (days < 1) return minute === 0 ? `${hours} h` : `${hours} h ${minute} min`
  return hour === 0 ? `${days} d` : `${days} d ${hour} h`
}
