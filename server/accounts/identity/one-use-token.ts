/**
 * Tokens that work once: 256 random bits, shown to their owner, stored as a hash. They are hexadecimal, so that a double click
 * selects the whole token.
 */
import { createHash, randomBytes } from 'node:crypto'

export function newToken(cell = ''): string {
  return cell + randomBytes(32).toString('hex')
}

export const cellOfToken = (token: string): string | undefined => /^([a-z0-9]{2})[0-9a-f]{64}$/.exec(token)?.[1]

/** The stored form of a token. With so many random bits, no slow hash is needed. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
