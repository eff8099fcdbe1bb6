/** The hash under which the parts of a request, or its idempotency key, are stored to recognise a repeat. */
import { hash } from 'node:crypto'

export function hashOf(parts: readonly unknown[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer')
}
