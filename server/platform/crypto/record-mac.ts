/**
 * Codes (HMAC-SHA256) over what a row says, under keys that the database does not have. Invariant: whoever can write every table, and has
 * no key, cannot change a row and make the code that fits it.
 */
import { timingSafeEqual } from 'node:crypto'
import { hmacSha256 } from './keyed.ts'

/** The first makes codes, all check them. */
export type IntegrityKeys = readonly { id: string; key: Buffer }[]

export type MacPart = string | number | boolean | null

export type RecordMac = {
  /** `kind` keeps the codes of one sort of record from those of another. */
  make(kind: string, parts: readonly MacPart[]): string
  /** False also for a code under a key that is not known. */
  isRight(mac: string, kind: string, parts: readonly MacPart[]): boolean
  /** Whether the code was made under the key in use. */
  isCurrent(mac: string): boolean
}

function codeOf(key: Buffer, kind: string, parts: readonly MacPart[]): Buffer {
  return hmacSha256(key)
    .update(JSON.stringify([kind, ...parts]))
    .digest()
}

/** The name of the key that a code was made under. */
export function macKeyId(mac: string): string {
  return mac.slice(0, mac.indexOf('.'))
}

export function createRecordMac(keys: IntegrityKeys): RecordMac {
  const current = keys[0]!
  return {
    make: (kind, parts) => `${current.id}.${codeOf(current.key, kind, parts).toString('base64url')}`,
    isRight(mac, kind, parts) {
      const named = keys.find(({ id }) => id === macKeyId(mac))
      if (!named) return false
      const [given, expected] = [Buffer.from(mac.slice(named.id.length + 1), 'base64url'), codeOf(named.key, kind, parts)]
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
    isCurrent: (mac) => macKeyId(mac) === current.id,
  }
}
