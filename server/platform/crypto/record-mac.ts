/**
 * Codes (HMAC-SHA256) over the values of a row, under keys that the database does not have. Invariant: an attacker who can write
 * every table, but has no key, cannot change a row and make a matching code.
 */
import { timingSafeEqual } from 'node:crypto'
import { hmacSha256 } from './keyed.ts'

/** The first key makes codes, all keys check them. */
export type IntegrityKeys = readonly { id: string; key: Buffer }[]

export type MacPart = string | number | boolean | null

export type RecordMac = {
  /** `kind` separates the codes of one sort of record from those of another. */
  make(kind: string, parts: readonly MacPart[]): string
  /** Returns false also for a code under an unknown key. */
  isRight(mac: string, kind: string, parts: readonly MacPart[]): boolean
  /** The id of the key that the code was made under, if it is none of these keys. */
  otherKeyOf(mac: string): string | undefined
  /** Whether the code was made under the current key. */
  isCurrent(mac: string): boolean
}

function codeOf(key: Buffer, kind: string, parts: readonly MacPart[]): Buffer {
  return hmacSha256(key)
    .update(JSON.stringify([kind, ...parts]))
    .digest()
}

/** The id of the key that a code was made under. */
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
      // As texts: several texts decode to the same bytes.
      const [given, expected] = [mac.slice(named.id.length + 1), codeOf(named.key, kind, parts).toString('base64url')].map(
        (text) => Buffer.from(text),
      ) as [Buffer, Buffer]
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
    otherKeyOf(mac) {
      const named = /^([\w-]+)\./.exec(mac)?.[1]
      return keys.some(({ id }) => id === named) ? undefined : named
    },
    isCurrent: (mac) => macKeyId(mac) === current.id,
  }
}
