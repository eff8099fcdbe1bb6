/**
 * Refresh tokens: opaque to clients; inside, a session, a generation and a MAC over both. Invariant: the token of a given
 * generation of a session is always the same text, so that a lost answer can be repeated without a second rotation.
 */
import { createHash } from 'node:crypto'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { isMadeUnder, type RotatingKey } from '../../platform/crypto/rotating-key.ts'

export type RefreshToken = { sessionId: string; generation: number }

const prefix = 'mrt_'
/** A cell's name comes before the rest, outside the MAC: it only says where the session is. */
const form = /^mrt_(?:([a-z0-9]{2})_)?([\w-]{70})$/
const idBytes = 16
const bodyBytes = idBytes + 4
const macBytes = 32

function macOf(key: Buffer, body: Buffer): Buffer {
  return hmacSha256(key).update(body).digest()
}

export function writeRefreshToken(key: Buffer, { sessionId, generation }: RefreshToken, cell = ''): string {
  const body = Buffer.alloc(bodyBytes)
  body.write(sessionId.replaceAll('-', ''), 'hex')
  body.writeUInt32BE(generation, idBytes)
  return prefix + (cell && `${cell}_`) + Buffer.concat([body, macOf(key, body)]).toString('base64url')
}

/** The content of a token, or undefined when we did not make it. */
export function readRefreshToken(keys: RotatingKey, text: string): RefreshToken | undefined {
  const [, , written] = form.exec(text) ?? []
  if (written === undefined) return undefined
  const bytes = Buffer.from(written, 'base64url')
  // Decoding is tolerant: a text that is not the canonical form of its bytes is not ours.
  if (bytes.length !== bodyBytes + macBytes || bytes.toString('base64url') !== written) return undefined
  const body = bytes.subarray(0, bodyBytes)
  if (!isMadeUnder(keys, bytes.subarray(bodyBytes), (key) => macOf(key, body))) return undefined
  const sessionId = body.toString('hex', 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { sessionId, generation: body.readUInt32BE(idBytes) }
}

export const cellOfRefreshToken = (text: string): string | undefined => form.exec(text)?.[1]

export function hashOfRefreshToken(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
