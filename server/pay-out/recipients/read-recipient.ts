/** The phone of a recipient as a merchant types it, and why it can receive no payout. */
import type { Network } from '../../domain/network.ts'
import { readPhone } from '../../domain/phone.ts'
import type { FieldError } from '../../platform/refusal.ts'

export type ReadRecipient = { e164: string; network: Network | null; errors: FieldError[] }

/** The phone that a payout goes to; `errors` says why it can go to none. */
export function readRecipient(typed: string): ReadRecipient {
  const phone = readPhone(typed)
  const field = 'phone_number'
  switch (phone.kind) {
    case 'mobile':
      return { ...phone, errors: [] }
    case 'unsupported': {
      const message = `Payouts to ${phone.networkName} numbers are not supported.`
      return { e164: phone.e164, network: null, errors: [{ field, code: 'network_unsupported', message }] }
    }
    case 'invalid': {
      const message = 'This is not a Tanzanian mobile number. Use one such as +255754123456.'
      return { e164: typed, network: null, errors: [{ field, code: 'phone_invalid', message }] }
    }
  }
}
