/** Keys in the form in which Node's cryptography takes them without looking twice: bytes cost it six times the hash itself at each use. */
import { createHmac, createSecretKey, type Hmac, type KeyObject } from 'node:crypto'

const keyObjects = new WeakMap<Buffer, KeyObject>()

/** The key of some bytes; those that stay, as the service's own keys do, are looked at once. */
export function secretKeyOf(bytes: Buffer): KeyObject {
  let key = keyObjects.get(bytes)
  if (key === undefined) {
    key = createSecretKey(bytes)
    keyObjects.set(bytes, key)
  }
  return key
}

/** HMAC-SHA256 under a key, of bytes, or of the text as it stands. */
export function hmacSha256(key: KeyObject | Buffer | string): Hmac {
  return createHmac('sha256', Buffer.isBuffer(key) ? secretKeyOf(key) : key)
}
