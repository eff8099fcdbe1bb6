/** Tokens that work once: 256 random bits, shown to their owner, stored as a hash. They are hex, so that a double click takes all of one. */
import { createHash, randomBytes } from 'node:crypto'

export function newToken(): string {
  return randomBytes(32).toString('hex')
}

/** What is stored of a token. So many random bits need no slow hash. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
