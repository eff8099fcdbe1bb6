/** For the tests of integrators, and for programs that forward webhooks: signs webhooks in the same way as the service. */
import { hmacSha256, readEvent, signatureOf, type RawBody } from './webhooks.js'

export type SignWebhookOptions = {
  /** Unix seconds; now by default. */
  timestamp?: number
}

const secretPrefix = 'whsec_'

/** The Standard Webhooks key is the decoded base64 after the prefix; a secret in another format has none. */
function standardKeyOf(secret: string): Uint8Array<ArrayBuffer> | undefined {
  if (!secret.startsWith(secretPrefix)) return undefined
  try {
    const key = Uint8Array.from(atob(secret.slice(secretPrefix.length)), (character) => character.charCodeAt(0))
    return key.length > 0 ? key : undefined
  } catch {
    return undefined
  }
}

async function standardHeaders(id: string, rawBody: RawBody, secret: string, timestamp: string): Promise<Record<string, string>> {
  const key = standardKeyOf(secret)
  if (!key) return {}
  const signature = await hmacSha256(key, `${id}.${timestamp}.`, rawBody)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  }
}

/**
 * The headers of a genuine webhook with this body. They include those of Standard Webhooks when the body is an event and the
 * secret has our format, `whsec_` and base64. Any other body is signed too, so that your tests can check that it is refused.
 */
export async function signWebhook(
  rawBody: RawBody,
  secret: string,
  { timestamp = Math.floor(Date.now() / 1000) }: SignWebhookOptions = {},
): Promise<Record<string, string>> {
  const event = readEvent(rawBody)
  return {
    'content-type': 'application/json',
    'x-service-event': event?.type ?? 'payment.completed',
    'x-service-timestamp': String(timestamp),
    'x-service-signature': await signatureOf(rawBody, secret, String(timestamp)),
    ...(event && (await standardHeaders(event.id, rawBody, secret, String(timestamp)))),
  }
}
