/** Keys that make one payment or payout of all the tries of a call. */
import { needCrypto } from './webhooks.js'

export function newIdempotencyKey(): string {
  const bytes = needCrypto().getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
