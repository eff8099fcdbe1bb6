/**
 * Tokens that work once: 256 random bits, shown to their owner, stored as a hash. They are hexadecimal, so that a double click
 * selects the whole token.
 */
import { createHash, randomBytes } from 'node:crypto'

export function newToken(): string {
  return randomBytes(32).toString('hex')
}

/** The stored form of a token. With so many random bits, no slow hash is needed. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
