/** Keys that make all tries of a call result in one payment or payout. */
import { needCrypto } from './webhooks.js'

export function newIdempotencyKey(): string {
  const bytes = needCrypto().getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
