/** Tanzanian mobile numbers as the provider reads them. Invariant: inside the simulator a phone is always `255` and nine digits. */

export type NetworkName = 'mpesa' | 'airtel' | 'mixx' | 'halotel'

// Source: libphonenumber's carrier table for 255, after Tigo became Yas. 73 (TTCL) is left out because Snippe does not serve it; 60 has no carrier.
const networkOfPrefix: Record<string, NetworkName> = {
  '61': 'halotel',
  '62': 'halotel',
  '63': 'halotel',
  '65': 'mixx',
  '67': 'mixx',
  '70': 'mixx',
  '71': 'mixx',
  '77': 'mixx',
  '66': 'airtel',
  '68': 'airtel',
  '69': 'airtel',
  '78': 'airtel',
  '72': 'mpesa',
  '74': 'mpesa',
  '75': 'mpesa',
  '76': 'mpesa',
  '79': 'mpesa',
}

const international = /^\+?(255(?:6[0-35-9]|7\d)\d{7})$/

/** `255XXXXXXXXX` of a number written as the API accepts it (`255…` or `+255…`); null for anything else, a local `0…` included. */
export function readPhone(written: unknown): string | null {
  return typeof written === 'string' ? (international.exec(written)?.[1] ?? null) : null
}

/** As `readPhone`, but also the way a person types it on the phone page: `0…`, spaces, dashes. */
export function readTypedPhone(written: string): string | null {
  const bare = written.replace(/[\s().-]/g, '')
  return readPhone(/^0\d{9}$/.test(bare) ? `255${bare.slice(1)}` : bare)
}

export function isTtcl(phone: string): boolean {
  return phone.startsWith('25573')
}

export function networkOf(phone: string): NetworkName | null {
  return networkOfPrefix[phone.slice(3, 5)] ?? null
}

export const withPlus = (phone: string): string => `+${phone}`

/** The last three digits, which choose a scenario. */
export const suffixOf = (phone: string): string => phone.slice(-3)
