/** The statuses of a payment request. They follow from its page and its payments; no column holds them. */
import { z } from 'zod'

export const requestStatuses = ['open', 'paid', 'expired', 'cancelled'] as const
export const requestStatusSchema = z.enum(requestStatuses)
export type RequestStatus = (typeof requestStatuses)[number]
