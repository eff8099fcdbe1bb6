/** The outcome of one attempt or of one request. */
import { z } from 'zod'

export const outcomes = ['succeeded', 'failed'] as const
export const outcomeSchema = z.enum(outcomes)
export type Outcome = (typeof outcomes)[number]
