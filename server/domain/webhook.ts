/** Events and the deliveries of webhooks: their types and statuses, and what began them. */
import { z } from 'zod'

export const eventTypes = [
  'payment.completed',
  'payment.failed',
  'payment.voided',
  'payment.expired',
  'payout.completed',
  'payout.failed',
  'payout.reversed',
  'payout.cancelled',
  'refund.completed',
  'refund.failed',
  'payout_batch.completed',
  'business.verified',
  'business.rejected',
  'webhook.enabled',
] as const
export type EventType = (typeof eventTypes)[number]

/** What a webhook may choose to receive. `*`: every type, including those that are added later. */
export const eventChoices = [...eventTypes, '*'] as const
export type EventChoice = (typeof eventChoices)[number]

/** Without a choice a webhook receives nothing else. */
export const alwaysSent = 'payment.completed' satisfies EventType

/** `manual`: one attempt without retries. */
export const deliveryTriggers = ['automatic', 'manual'] as const
export type DeliveryTrigger = (typeof deliveryTriggers)[number]

export const attemptTriggers = [...deliveryTriggers, 'test'] as const
export const attemptTriggerSchema = z.enum(attemptTriggers)
export type AttemptTrigger = (typeof attemptTriggers)[number]

/** `endpoint_gone`: three chains in a row ended in 410. `endpoint_failing`: 5 days of failures without a success. */
export const disabledReasons = ['endpoint_gone', 'endpoint_failing'] as const
export type DisabledReason = (typeof disabledReasons)[number]

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'cancelled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
