/** For the tests of integrators: webhooks signed as the service signs them. */
import { signatureOf } from './webhooks.js'

export type SignWebhookOptions = {
  /** Unix seconds; now unless said otherwise. */
  timestamp?: number
}

/** The headers that a genuine webhook with this body would have. */
export async function signWebhook(
  rawBody: string | Uint8Array,
  secret: string,
  { timestamp = Math.floor(Date.now() / 1000) }: SignWebhookOptions = {},
): Promise<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'x-service-event': 'payment.completed',
    'x-service-timestamp': String(timestamp),
    'x-service-signature': await signatureOf(rawBody, secret, String(timestamp)),
  }
}
