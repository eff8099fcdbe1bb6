/** The names of documents and fields, in the person's language. */
import type { Purpose } from './uploads.ts'
import { verificationTexts } from './texts.ts'

const purposes: readonly Purpose[] = [
  'registration_certificate',
  'tax_certificate',
  'business_license',
  'proof_of_address',
  'national_id',
  'student_id_card',
  'selfie',
]

const fields = [
  'full_name',
  'institution',
  'student_id',
  'national_id_number',
  'date_of_birth',
  'business_type',
  'legal_name',
  'trading_name',
  'registration_number',
  'tax_identification_number',
  'address',
  'city',
  'region',
  'phone',
  'email',
  'website',
  'representative_role',
] as const

export const isPurpose = (item: string): item is Purpose => purposes.some((purpose) => purpose === item)

export function useItemName(): (item: string) => string {
  const say = verificationTexts.use()
  return (item) => {
    if (isPurpose(item)) return say(`purpose.${item}`)
    const field = fields.find((one) => one === item)
    return field ? say(`fact.${field}`) : item
  }
}
