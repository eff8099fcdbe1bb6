/** For the tests of integrators, and for programs that pass webhooks on: webhooks signed as the service signs them. */
import { hmacSha256, readEvent, signatureOf } from './webhooks.js'

export type SignWebhookOptions = {
  /** Unix seconds; now unless said otherwise. */
  timestamp?: number
}

const secretPrefix = 'whsec_'

/** The key of Standard Webhooks is what the base64 behind the prefix stands for; a secret of another form has none. */
function standardKeyOf(secret: string): Uint8Array<ArrayBuffer> | undefined {
  if (!secret.startsWith(secretPrefix)) return undefined
  try {
    const key = Uint8Array.from(atob(secret.slice(secretPrefix.length)), (character) => character.charCodeAt(0))
    return key.length > 0 ? key : undefined
  } catch {
    return undefined
  }
}

async function standardHeaders(
  id: string,
  rawBody: string | Uint8Array,
  secret: string,
  timestamp: string,
): Promise<Record<string, string>> {
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
 * The headers that a genuine webhook with this body would have. Those of Standard Webhooks are among them when the body is an event and
 * the secret has the form of ours, `whsec_` and base64. Anything else is signed too: your tests may want to see it refused.
 */
export async function signWebhook(
  rawBody: string | Uint8Array,
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
