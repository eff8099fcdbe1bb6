/**
 * Keys as `KeyObject`s, which Node's cryptography uses without preparation. With plain bytes, each use costs six times as much as
 * the hash itself.
 */
import { createHmac, createSecretKey, type Hmac, type KeyObject } from 'node:crypto'

const keyObjects = new WeakMap<Buffer, KeyObject>()

/** The `KeyObject` of some bytes. Long-lived buffers, such as the service's keys, are converted once. */
export function secretKeyOf(bytes: Buffer): KeyObject {
  let key = keyObjects.get(bytes)
  if (key === undefined) {
    key = createSecretKey(bytes)
    keyObjects.set(bytes, key)
  }
  return key
}

/** HMAC-SHA256 under a key, of bytes or of text. */
export function hmacSha256(key: KeyObject | Buffer | string): Hmac {
  return createHmac('sha256', Buffer.isBuffer(key) ? secretKeyOf(key) : key)
}
