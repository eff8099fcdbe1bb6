/**
 * Tanzanian mobile numbers as payers type them, and the network that a prefix suggests. The prefix is a guess, because numbers are
 * portable: the provider's word replaces it. Sources: libphonenumber's carrier data for 255; section 3.1 of the providers' facts.
 */
import type { Network } from './network.ts'
import { phoneTyped } from './typed.ts'

export type PhoneReading =
  | { kind: 'mobile'; e164: string; network: Network | null }
  /** A Tanzanian mobile number of a network that no provider of ours reaches. */
  | { kind: 'unsupported'; e164: string; networkName: string }
  | { kind: 'invalid' }

const networkOfPrefix: Record<string, Network> = {
  '72': 'mpesa',
  '74': 'mpesa',
  '75': 'mpesa',
  '76': 'mpesa',
  '79': 'mpesa',
  '66': 'airtel',
  '68': 'airtel',
  '69': 'airtel',
  '78': 'airtel',
  '65': 'mixx',
  '67': 'mixx',
  '70': 'mixx',
  '71': 'mixx',
  '77': 'mixx',
  '61': 'halotel',
  '62': 'halotel',
  '63': 'halotel',
}

const unsupportedPrefixes: Record<string, string> = { '73': 'TTCL' }

/** Of all networks, so that a page can guess while a number is typed as the server will. */
export const networkPrefixes: readonly { network: Network; prefixes: readonly string[] }[] = Object.values(
  Object.groupBy(Object.entries(networkOfPrefix), ([, network]) => network),
).map((entries) => ({ network: entries[0]![1], prefixes: entries.map(([prefix]) => prefix) }))

export const prefixesWithoutNetwork: readonly string[] = Object.keys(unsupportedPrefixes)

// 60 is a valid range without a known carrier, 64 is none.
const mobileNumber = /^(?:6[0-35-9]|7\d)\d{7}$/
const countryForms = /^(?:\+255|255|0{2,3}255|0)?(\d{9})$/

/** Reads `0754…`, `754…`, `255…`, `+255…`, `00255…`, `+255 (0) 754…`, with spaces, dashes, dots or parentheses between. */
export function readPhone(typed: string): PhoneReading {
  const national = countryForms.exec(phoneTyped(typed) ?? '')?.[1]
  if (national === undefined || !mobileNumber.test(national)) return { kind: 'invalid' }
  const prefix = national.slice(0, 2)
  const e164 = `+255${national}`
  const networkName = unsupportedPrefixes[prefix]
  if (networkName !== undefined) return { kind: 'unsupported', e164, networkName }
  return { kind: 'mobile', e164, network: networkOfPrefix[prefix] ?? null }
}

/** The digits of a part of a number, as it is stored: a dialled number starts with a zero that is not. Null: a text, or less than three digits. */
export function partOfPhone(typed: string): string | null {
  const digits = (phoneTyped(typed) ?? '').replace(/^\+/, '').replace(/^0(?=\d{3})/, '')
  return /^\d{3,}$/.test(digits) ? digits : null
}

/** `0754 ••• 456`: enough for the payer to recognise, too little to call. */
export function maskPhone(e164: string): string {
  // Of a payer who was erased there is no number any more.
  if (!e164.startsWith('+')) return '•••'
  const national = `0${e164.slice(4)}`
  return `${national.slice(0, 4)} ••• ${national.slice(-3)}`
}

/** `0754 123 456`: the whole number as its owner writes it. */
export function localPhone(e164: string): string {
  if (!e164.startsWith('+')) return ''
  const national = `0${e164.slice(4)}`
  return `${national.slice(0, 4)} ${national.slice(4, 7)} ${national.slice(7)}`
}
