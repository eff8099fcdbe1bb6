/**
 * Verifies webhooks: HMAC-SHA256 of `{timestamp}.{raw body}` under the whole secret, compared by WebCrypto in constant time.
 * Invariant: no part of a body is trusted before its signature is verified.
 */
import type { Event as WebhookEvent } from './api-types.js'

export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | readonly string[] | undefined>

/** A body as it arrived: text, or its bytes as `arrayBuffer()`, a Buffer or any other view gives them. */
export type RawBody = string | ArrayBuffer | ArrayBufferView

export type VerifyWebhookOptions = {
  /** The maximum difference between the webhook's time and ours, in both directions; 300 by default. */
  toleranceSeconds?: number
  /** The time to compare with, for tests. */
  now?: Date
}

export type WebhookRefusal =
  | 'no_secret'
  | 'header_missing'
  | 'header_malformed'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'body_malformed'
  | 'body_not_raw'
  | 'no_webcrypto'

const sentences: Record<WebhookRefusal, string> = {
  no_secret: 'There is no secret to check the webhook with.',
  header_missing: 'The webhook lacks its timestamp or its signature.',
  header_malformed: 'The timestamp is not a number of seconds.',
  timestamp_out_of_tolerance: 'The webhook is too old, or from the future: check the clock of this machine.',
  signature_mismatch: 'The signature is not that of this body under this secret. Was the body parsed and written again?',
  body_malformed: 'The body is signed but is not an event.',
  body_not_raw: 'The body must be the one that arrived, as text or bytes, not the parsed one.',
  no_webcrypto: 'There is no WebCrypto here. On Node 18 start with `node --experimental-global-webcrypto`.',
}

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, cause?: unknown) {
    super(sentences[reason], cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}

// Derived from the value, because Node's types have no name for this type that browsers also have.
type WebCrypto = typeof globalThis.crypto
type HmacKey = Awaited<ReturnType<WebCrypto['subtle']['importKey']>>

/** Node 18 has WebCrypto, but not in the global variable of browsers, edge runtimes and later versions. */
export function needCrypto(): WebCrypto {
  const found = (globalThis as { crypto?: WebCrypto }).crypto
  if (found) return found
  throw new Error(sentences.no_webcrypto)
}

function readHeader(headers: WebhookHeaders | null | undefined, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  for (const [given, value] of Object.entries(headers)) {
    // A repeated header does not come from us.
    if (given.toLowerCase() === name) return typeof value === 'string' ? value : value?.join(', ')
  }
  return undefined
}

/** By its name: an ArrayBuffer of another realm, as in some test runners, is no instance of ours. */
const isBuffer = (value: unknown): value is ArrayBuffer =>
  /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value))

function bytesOf(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  try {
    if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
    if (isBuffer(rawBody)) return new Uint8Array(rawBody)
  } catch (error) {
    // Its bytes were handed to another thread.
    throw new WebhookVerificationError('body_not_raw', error)
  }
  // A body that a framework has parsed or already read would look like a forgery.
  throw new WebhookVerificationError('body_not_raw')
}

/** The signed bytes: a prefix, then the body byte for byte as it arrived. */
function signedBytes(before: string, rawBody: RawBody): Uint8Array<ArrayBuffer> {
  const [start, body] = [new TextEncoder().encode(before), bytesOf(rawBody)]
  const bytes = new Uint8Array(start.length + body.length)
  bytes.set(start)
  bytes.set(body, start.length)
  return bytes
}

function importKey(key: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify'): Promise<HmacKey> {
  return needCrypto().subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [use])
}

/** The HMAC of `before`, directly followed by the body. */
export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  before: string,
  rawBody: RawBody,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await needCrypto().subtle.sign('HMAC', await importKey(key, 'sign'), signedBytes(before, rawBody)))
}

/** The lower-case hex value of `X-Service-Signature`. */
export async function signatureOf(rawBody: RawBody, secret: string, timestamp: string): Promise<string> {
  const signature = await hmacSha256(new TextEncoder().encode(secret), `${timestamp}.`, rawBody)
  return [...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined
  return Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16))
}

/** The event in a body, genuine or not; undefined when the body contains none. */
export function readEvent(rawBody: RawBody): WebhookEvent | undefined {
  try {
    const text = typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(rawBody))
    const event = JSON.parse(text) as WebhookEvent
    if (typeof event.id === 'string' && typeof event.type === 'string' && typeof event.data === 'object' && event.data !== null) {
      return event
    }
  } catch {
    // The caller reports the error.
  }
  return undefined
}

/**
 * The event of a genuine webhook; otherwise throws `WebhookVerificationError`, and no other error. `rawBody` is the body as it
 * arrived, not parsed and re-encoded JSON. White space around a secret is left out. During a rotation of the secret pass both, or only the one that you have: both signatures are checked.
 */
export async function verifyWebhook(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const secrets = [secret].flat().flatMap((one) => (typeof one === 'string' && one.trim()) || [])
  if (secrets.length === 0) throw new WebhookVerificationError('no_secret')
  const timestamp = readHeader(headers, 'x-service-timestamp')
  const current = readHeader(headers, 'x-service-signature')
  if (timestamp === undefined || current === undefined) throw new WebhookVerificationError('header_missing')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('header_malformed')
  // In this form, a tolerance or a time that is not a number is refused.
  const isRecent = Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds
  if (!isRecent) throw new WebhookVerificationError('timestamp_out_of_tolerance')

  const bytes = signedBytes(`${timestamp}.`, rawBody)
  if (!(globalThis as { crypto?: WebCrypto }).crypto) throw new WebhookVerificationError('no_webcrypto')
  const signatures = [current, readHeader(headers, 'x-service-signature-previous') ?? ''].map(bytesOfHex)
  for (const key of await Promise.all(secrets.map((one) => importKey(new TextEncoder().encode(one), 'verify')))) {
    for (const signature of signatures) {
      if (!signature || !(await needCrypto().subtle.verify('HMAC', key, signature, bytes))) continue
      const event = readEvent(rawBody)
      if (event) return event
      throw new WebhookVerificationError('body_malformed')
    }
  }
  throw new WebhookVerificationError('signature_mismatch')
}
