/**
 * One attempt in full: the request and the answer. The request is not stored. It is built again from the event, which never changes, and
 * the time of the attempt. Invariant: a signature is shown only when it is certainly the one that was sent.
 */
import { z } from 'zod'
import type { App } from '../../accounts/developers/app.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { must, orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { attemptSchema, attemptToJson } from './attempt.ts'
import { findAttempt } from './attempt.sql.ts'
import { openSecret, readableSecret } from './endpoint.ts'
import { findSecrets, type Secrets } from './endpoint.sql.ts'
import { eventBody } from './event.ts'
import { signatureHeaders, signingKeyOf, unsignedHeaders, type SignedContent } from './signature.ts'

export type ReadAttemptDeps = { db: Db; sealer: Sealer }

export const attemptDetailSchema = attemptSchema
  .extend({
    request: z.object({
      method: z.literal('POST'),
      headers: z.record(z.string(), z.string()).meta({
        description:
          'The headers as they were sent. The signature headers are missing if the secret has been replaced, or the webhook removed, since then.',
      }),
      body: z.string().meta({ description: 'Exactly the bytes that were signed and sent.' }),
      is_signature_shown: z.boolean(),
    }),
  })
  .meta({ id: 'WebhookDeliveryDetail' })

/** Close to a rotation it is not certain which secrets an attempt used. */
const doubtMs = 60_000

/** The keys that certainly signed at that time, the newer first; undefined when this is not certain. */
function secretsAt(
  deps: ReadAttemptDeps,
  now: Secrets | undefined,
  moment: Date,
): Pick<SignedContent, 'key' | 'previousKey'> | undefined {
  if (!now) return undefined
  const { id, secretRotatedAt, previousSecretSealed, previousSecretExpiresAt } = now
  const key = signingKeyOf(readableSecret(deps.sealer, now))
  if (secretRotatedAt === null) return { key }
  const at = moment.getTime()
  if (at < secretRotatedAt.getTime() + doubtMs) return undefined
  const overlapEnd = previousSecretExpiresAt!.getTime()
  if (Math.abs(at - overlapEnd) < doubtMs) return undefined
  return at > overlapEnd
    ? { key }
    : { key, previousKey: signingKeyOf(openSecret(deps.sealer, id, 'previous_secret', previousSecretSealed!)) }
}

/** Refuses with 404 if the id is not an attempt of this app in the last 30 days. */
export async function readAttempt(
  deps: ReadAttemptDeps,
  app: Pick<App, 'id' | 'merchantId'>,
  wireId: string,
  maxAttempts: number,
): Promise<z.infer<typeof attemptDetailSchema>> {
  const merchant = must(await findMerchant(deps.db, app.merchantId), 'every app has a merchant')
  const id = fromWire('whd', wireId)
  const found = orNotFound(id === undefined ? undefined : await findAttempt(deps.db, { home: merchant.home, appId: app.id, id }))
  const { attempt, event, endpointId } = found
  const content = {
    eventId: toWire('evt', event.id),
    eventType: event.type,
    // The time of the attempt is the time that was signed: the database returned both in one statement.
    timestampSeconds: Math.floor(attempt.attemptedAt.getTime() / 1000),
    body: eventBody(event),
  }
  const keys = secretsAt(deps, await findSecrets(deps.db, endpointId), attempt.attemptedAt)
  return {
    ...attemptToJson(attempt, maxAttempts),
    request: {
      method: 'POST',
      headers: { ...unsignedHeaders(content), ...(keys && signatureHeaders({ ...content, ...keys })) },
      body: content.body,
      is_signature_shown: keys !== undefined,
    },
  }
}
