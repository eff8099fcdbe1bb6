/**
 * Signatures of webhooks: the three headers of service.md 6.2 and those of Standard Webhooks 1.0. Both sign the exact bytes that are sent.
 * For a day after a rotation the previous secret signs too, so that a receiver has time to change over.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'

export const secretPrefix = 'whsec_'

/** A secret in the form that both kinds of signature use. It is made once, because that costs more than signing. */
export type SigningKey = { service: KeyObject; standard: KeyObject }

export function signingKeyOf(secret: string): SigningKey {
  return {
    // The key is the text as it is shown, prefix included: merchants use exactly the text that they copied.
    service: createSecretKey(Buffer.from(secret)),
    standard: createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64')),
  }
}

export type SignedContent = {
  /** The event's id as the merchant sees it. */
  eventId: string
  eventType: string
  /** Unix time of this attempt. */
  timestampSeconds: number
  body: string
  key: SigningKey
  /** Undefined without a previous secret, or when its day is over. */
  previousKey?: SigningKey | undefined
}

function serviceSignature({ service }: SigningKey, { timestampSeconds, body }: SignedContent): string {
  return hmacSha256(service).update(`${timestampSeconds}.${body}`).digest('hex')
}

function standardSignature({ standard }: SigningKey, { eventId, timestampSeconds, body }: SignedContent): string {
  return `v1,${hmacSha256(standard).update(`${eventId}.${timestampSeconds}.${body}`).digest('base64')}`
}

/** The headers of every webhook that need no signature. */
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

/** The headers that prove the origin of a webhook. */
export function signatureHeaders(content: SignedContent): Record<string, string> {
  const { key, previousKey } = content
  if (previousKey === undefined) {
    return { 'x-service-signature': serviceSignature(key, content), 'webhook-signature': standardSignature(key, content) }
  }
  return {
    'x-service-signature': serviceSignature(key, content),
    'x-service-signature-previous': serviceSignature(previousKey, content),
    'webhook-signature': `${standardSignature(key, content)} ${standardSignature(previousKey, content)}`,
  }
}
