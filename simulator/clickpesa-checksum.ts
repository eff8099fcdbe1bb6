/**
 * ClickPesa's checksum on bodies, in both directions. Invariant: the same document has the same checksum whatever the order of its
 * keys.
 */
import { createHmac } from 'node:crypto'

/** Hex HMAC-SHA256 of the compact JSON with all keys sorted, at every depth, without the two fields of the checksum itself. */
export function checksumOf(key: string, document: Record<string, unknown>): string {
  const { checksum: _proof, checksumMethod: _method, ...proven } = document
  return createHmac('sha256', key)
    .update(JSON.stringify(canonical(proven)))
    .digest('hex')
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, inner]) => [name, canonical(inner)]))
}
