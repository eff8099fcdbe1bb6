/** Delivery attempts in the form that the owner of a webhook reads. */
import { z } from 'zod'
import { attemptTriggerSchema, type AttemptTrigger, type EventType } from '../../domain/webhook.ts'
import { outcomeSchema, type Outcome } from '../../domain/outcome.ts'
import { toWire } from '../../platform/ids.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type Attempt = {
  id: string
  eventId: string
  eventType: EventType
  url: string
  attempt: number
  trigger: AttemptTrigger
  outcome: Outcome
  responseStatus: number | null
  responseBody: string | null
  errorCode: string | null
  durationMs: number
  attemptedAt: Date
  nextAttemptAt: Date | null
}

export const attemptSchema = z
  .object({
    id: z.string().meta({ example: 'whd_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    event_id: z.string().meta({ example: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    event_type: z.string(),
    url: z.string().meta({ description: 'The URL at the time of the attempt.' }),
    attempt: z.int().meta({ description: 'Number of the attempt in its chain, starting at 1.' }),
    max_attempts: z.int(),
    trigger: attemptTriggerSchema.meta({
      description: '`manual`: requested by resend or replay. `test`: for a payment made to test the webhook.',
    }),
    outcome: outcomeSchema,
    response_status: z.int().nullable(),
    response_body: z.string().nullable().meta({ description: 'The first 4 KiB of the response.' }),
    duration_ms: z.int(),
    error: z
      .object({
        code: z.string().meta({
          description:
            'One of dns_not_found, dns_failure, dns_timeout, local_failure, blocked_target, connection_refused, connection_reset, answer_incomplete, tls_untrusted, tls_expired, tls_wrong_host, tls_error, timeout, protocol_error, redirect, unexpected_status.',
        }),
      })
      .nullable(),
    attempted_at: z.iso.datetime(),
    next_attempt_at: z.iso.datetime().nullable().meta({ description: 'Null if this was the last attempt.' }),
  })
  .meta({ id: 'WebhookDeliveryAttempt' })

/** `maxAttempts` is the limit of a chain. A manual delivery is attempted once. */
export function attemptToJson(attempt: Attempt, maxAttempts: number): z.infer<typeof attemptSchema> {
  return answerOf(attemptSchema, attempt, {
    id: toWire('whd', attempt.id),
    event_id: toWire('evt', attempt.eventId),
    max_attempts: attempt.trigger === 'manual' ? 1 : maxAttempts,
    error: attempt.errorCode === null ? null : { code: attempt.errorCode },
  })
}
