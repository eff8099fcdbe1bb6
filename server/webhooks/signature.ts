/**
 * Signatures of webhooks: the three headers of service.md 6.2 and, beside them, those of Standard Webhooks 1.0. Both sign the exact
 * bytes that are sent. For a day after a rotation the previous secret signs too, so that a receiver can change over unhurried.
 */
import { hmacSha256 } from '../platform/keyed.ts'

export const secretPrefix = 'whsec_'

export type SignedContent = {
  /** The event's id as the merchant sees it. */
  eventId: string
  eventType: string
  /** Unix time of this attempt. */
  timestampSeconds: number
  body: string
  secret: string
  /** Undefined when there is none, or its day is over. */
  previousSecret?: string
}

function serviceSignature(secret: string, { timestampSeconds, body }: SignedContent): string {
  // The key is the text as it is shown, prefix included: what a merchant copies is what works.
  return hmacSha256(secret).update(`${timestampSeconds}.${body}`).digest('hex')
}

function standardSignature(secret: string, { eventId, timestampSeconds, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${hmacSha256(key).update(`${eventId}.${timestampSeconds}.${body}`).digest('base64')}`
}

/** What every webhook says of itself, whoever signs it. */
export function unsignedHeaders({
  eventId,
  eventType,
  timestampSeconds,
}: Pick<SignedContent, 'eventId' | 'eventType' | 'timestampSeconds'>): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Malipo-Webhooks/1',
    'x-service-event': eventType,
    'x-service-timestamp': String(timestampSeconds),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
  }
}

/** The headers that prove where a webhook comes from. */
export function signatureHeaders(content: SignedContent): Record<string, string> {
  const { secret, previousSecret } = content
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  return {
    'x-service-signature': serviceSignature(secret, content),
    ...(previousSecret !== undefined && { 'x-service-signature-previous': serviceSignature(previousSecret, content) }),
    'webhook-signature': secrets.map((each) => standardSignature(each, content)).join(' '),
  }
}
