/**
 * Signed addresses on the storage host. Invariant: the signature covers everything that an address allows (path, use, type,
 * expiry), so a changed address is refused, without a query to the database.
 */
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { isMadeUnder, type RotatingKey } from '../../platform/crypto/rotating-key.ts'

type Signed = { path: string; expires: number } & (
  | { use: 'upload'; contentType: string; maxBytes: number }
  | { use: 'view'; viewId: string }
)

function signatureOf(key: Buffer, signed: Signed): string {
  const facts = signed.use === 'upload' ? [signed.contentType, signed.maxBytes] : [signed.viewId]
  return hmacSha256(key)
    .update(JSON.stringify([signed.use, signed.path, signed.expires, ...facts]))
    .digest('base64url')
}

/** `expires` in Unix seconds. Returns the query that makes the document's address valid for this use. */
export function signAddress([key]: RotatingKey, signed: Signed): string {
  const signature = signatureOf(key, signed)
  return signed.use === 'upload'
    ? `expires=${signed.expires}&signature=${signature}`
    : `view=${signed.viewId}&expires=${signed.expires}&signature=${signature}`
}

export function isSignedBy(keys: RotatingKey, signed: Signed, signature: string): boolean {
  return isMadeUnder(keys, Buffer.from(signature), (key) => Buffer.from(signatureOf(key, signed)))
}
