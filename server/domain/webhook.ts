/** Deliveries of webhooks: their statuses, and what began them. */
import { z } from 'zod'

/** `manual`: one attempt without retries. */
export const deliveryTriggers = ['automatic', 'manual'] as const
export type DeliveryTrigger = (typeof deliveryTriggers)[number]

export const attemptTriggers = [...deliveryTriggers, 'test'] as const
export const attemptTriggerSchema = z.enum(attemptTriggers)
export type AttemptTrigger = (typeof attemptTriggers)[number]

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'cancelled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
