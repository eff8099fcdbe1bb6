/** Reconciliation runs: their kinds, their statuses for operators, and the phases through which they go. */
import { z } from 'zod'

/**
 * recent: unfinished records; late: records that ended without a credit in the last day; daily: all records of a day; weekly: all records
 * of the last 30 days, for late changes; balance: the provider's balance, once a day.
 */
export const runKinds = ['recent', 'late', 'daily', 'weekly', 'balance'] as const
export const runKindSchema = z.enum(runKinds)
export type RunKind = (typeof runKinds)[number]

export const runPhases = ['due', 'asking', 'listing', 'missing', 'ended'] as const
export type RunPhase = (typeof runPhases)[number]

export const recordOutcomes = ['matched', 'repaired', 'break', 'unreadable', 'idle', 'missing'] as const
export type RecordOutcome = (typeof recordOutcomes)[number]

/** What operators record of our account with a provider: money that no charge or payout moved. */
export const movementKinds = ['opening', 'top_up', 'withdrawal', 'correction'] as const
export const movementKindSchema = z.enum(movementKinds)
export type MovementKind = (typeof movementKinds)[number]

export const runStatusSchema = z.enum(['planned', 'running', 'ended'])
