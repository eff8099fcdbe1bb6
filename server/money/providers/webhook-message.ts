/** What every adapter does with a provider's webhook: the check of a signature, and the doubts about its content. */
import { timingSafeEqual } from 'node:crypto'
import type { WebhookMessage } from './provider.ts'

/** Whether a signature in hex is right for one of the keys; during a rotation there are two. `digestOf`: a SHA-256 HMAC. */
export function isSigned(signature: unknown, keys: readonly string[], digestOf: (key: string) => Buffer): boolean {
  // Buffer.from(…, 'hex') cuts at the first character that is not hex, so the alphabet and the length are checked first.
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false
  const given = Buffer.from(signature, 'hex')
  return keys.some((key) => timingSafeEqual(digestOf(key), given))
}

type Doubtful = Extract<WebhookMessage, { kind: 'doubtful' }>

/**
 * The message about one charge or payout. `named`: what it is about, as far as even an odd message says. `possible`: the statuses that its
 * event may have.
 */
export function messageAbout<Subject extends Doubtful['subject'], Snapshot extends { status: string }>(
  subject: Subject,
  named: { eventId: string; reference: string | null; ourReference: string | null },
  snapshot: Snapshot | undefined,
  possible: readonly Snapshot['status'][],
  isStale: boolean,
): { kind: Subject; eventId: string; snapshot: Snapshot } | Doubtful {
  const doubtful = { kind: 'doubtful', subject, ...named } as const
  if (!snapshot) return { ...doubtful, reason: 'unreadable' }
  if (!possible.includes(snapshot.status)) return { ...doubtful, reason: 'contradictory' }
  return isStale ? { ...doubtful, reason: 'stale' } : { kind: subject, eventId: named.eventId, snapshot }
}
