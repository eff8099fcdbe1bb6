/** The statuses of a payout batch, and of its rows before they are payouts. */
import { z } from 'zod'
import { payoutStatuses } from './payout.ts'

/** `waiting`: other people must approve it first. */
export const batchStatuses = ['draft', 'waiting', 'running', 'done', 'stopped'] as const
export const batchStatusSchema = z.enum(batchStatuses)
export type BatchStatus = (typeof batchStatuses)[number]

export const batchRowStates = ['invalid', 'ready', 'removed'] as const
export type BatchRowState = (typeof batchRowStates)[number]

/** The status of a row: its state until it is a payout, then the status of the payout. */
export const batchItemStatusSchema = z.enum([...batchRowStates, ...payoutStatuses])
export type BatchItemStatus = z.infer<typeof batchItemStatusSchema>

const batchRowWarnings = ['recipient_name_differs', 'duplicate_row'] as const
export const batchRowWarningSchema = z.enum(batchRowWarnings)
