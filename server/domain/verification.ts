/** The verification of people and businesses: its statuses, the stages of a review, and the decisions. */
import { z } from 'zod'

export const verificationStatuses = ['unsubmitted', 'pending', 'verified', 'rejected'] as const
export const verificationStatusSchema = z.enum(verificationStatuses)
export type VerificationStatus = (typeof verificationStatuses)[number]

/** A business exists only from its first submission. */
export const businessStatusSchema = verificationStatusSchema.exclude(['unsubmitted'])

export const reviewStages = ['draft', 'submitted', 'decided'] as const
export const reviewStageSchema = z.enum(reviewStages)
export type ReviewStage = (typeof reviewStages)[number]

export const reviewDecisionSchema = verificationStatusSchema.extract(['verified', 'rejected'])
export type Decision = z.infer<typeof reviewDecisionSchema>

export const reviewActions = ['submitted', 'changed', ...reviewDecisionSchema.options] as const
export const reviewActionSchema = z.enum(reviewActions)
export type ReviewAction = (typeof reviewActions)[number]

/** The reviewed subject, as the API names it. */
export const reviewedKindSchema = z.enum(['person', 'business'])
