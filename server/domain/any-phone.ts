/** A phone number of any country and kind, as a person types it; without a country code it is Tanzanian. */
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js'
import { parsePhoneNumberFromString as parseMobile } from 'libphonenumber-js/mobile'
import { phoneTyped } from './typed.ts'

// Without `extract: false` the parser would find a number in any sentence.
const wholeText = { defaultCountry: 'TZ', extract: false } as const

const e164 = (phone: PhoneNumber | undefined): string | undefined =>
  phone?.isValid() && phone.ext === undefined ? phone.number : undefined

/** E.164, including landlines. Undefined: it is no number. */
export const anyPhoneTyped = (text: string): string | undefined =>
  e164(parsePhoneNumberFromString(phoneTyped(text) ?? '', wholeText))

/** E.164 of a mobile number. Undefined: it is none. */
export const anyMobileTyped = (text: string): string | undefined => e164(parseMobile(phoneTyped(text) ?? '', wholeText))
