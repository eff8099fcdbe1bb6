/** The checksum of ClickPesa: an HMAC over the canonical JSON of a body (docs.clickpesa.com, home/checksum). */
import { hmacSha256 } from '../../platform/crypto/keyed.ts'

const deepest = 32

function sorted(value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new RangeError('nested too deeply')
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item, depth + 1)]))
}

/** The content that a checksum covers: compact JSON, keys sorted at every level, without the checksum itself. */
export function canonical(payload: Record<string, unknown>): string {
  const { checksum: _checksum, checksumMethod: _method, ...rest } = payload
  return JSON.stringify(sorted(rest))
}

export function checksumOf(payload: Record<string, unknown>, key: string): string {
  return hmacSha256(key).update(canonical(payload)).digest('hex')
}
