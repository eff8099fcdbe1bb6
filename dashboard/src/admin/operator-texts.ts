/** Words that several screens of operators share. */
import { defineTexts } from '../i18n/define-texts.ts'

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
    when: 'When',
    you: 'You',
    system: 'The service',
    commandLine: 'Command line',
    never: 'never',
    yes: 'Yes',
    no: 'No',
    reason: 'Reason',
    note: 'Note',
    unclear: 'not known',
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

/** How long it has been, in the two largest units that say something: `3 d 4 h`, `12 min`. */
export function ageText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return '< 1 min'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
