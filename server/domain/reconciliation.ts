/** Reconciliation runs: their kinds, their statuses for operators, and the phases through which they go. */
import { z } from 'zod'

/** recent: unfinished records; late: records that ended without a credit in the last day; daily: all records of a day. */
export const runKinds = ['recent', 'late', 'daily'] as const
export const runKindSchema = z.enum(runKinds)
export type RunKind = (typeof runKinds)[number]

export const runPhases = ['due', 'asking', 'listing', 'missing', 'ended'] as const
export type RunPhase = (typeof runPhases)[number]

/** The result of comparing one record. */
export const recordOutcomes = ['matched', 'repaired', 'break', 'unreadable', 'idle', 'missing'] as const
export type RecordOutcome = (typeof recordOutcomes)[number]

export const runStatusSchema = z.enum(['planned', 'running', 'ended'])
