/**
 * Reconciliation runs: when our books are compared with a provider's, and how far one has come. Invariant: a run does at most one call
 * to its provider at each step, and whoever takes it over goes on where it stopped.
 */
import type { Environment } from '../domain/environment.ts'

/** recent: what is unfinished; late: what ended without a credit in the last day; daily: all of a day. */
export const runKinds = ['recent', 'late', 'daily'] as const

export type RunKind = (typeof runKinds)[number]
/** What of a provider is compared. */
export const subjects = ['charges', 'payouts'] as const

export type Subject = (typeof subjects)[number]
export type RunPhase = 'due' | 'asking' | 'listing' | 'missing' | 'ended'

/** Calls a minute to one provider's list, of the 60 that the narrowest of them takes: the rest is for payers. */
export const callsPerMinute = 52
export const stepEveryMs = Math.floor(60_000 / callsPerMinute)

export const recentEveryMinutes = 5
/** Until then a charge's own checks are asked to find out. */
export const recentAfterSeconds = 120
/** Up to so many unfinished records are asked about one by one; more of them are looked for in the list, 100 with each call. */
export const askedOneByOne = 20
/** How far back a list is read for what is unfinished; what is older is left to the checks and the daily run. */
export const recentListSeconds = 2 * 3600
/** A day is compared an hour after it has ended: by then its payments have. */
export const dayEndsAfterSeconds = 3600
/** Days that are made up for when nobody has worked for longer. */
export const daysMadeUpFor = 31
/**
 * So long before its day a daily run looks at what may still change: a payer's money arrives after the failure was told, a network
 * brings money back days after it was paid out.
 */
export const lookBackSeconds: Record<Subject, number> = { charges: 7 * 86_400, payouts: 7 * 86_400 }
/** What ended so recently is looked for in the list every few minutes; what was begun longer before its end is left to questions. */
export const lateSeconds = { endedWithin: 86_400, begunWithin: 28 * 3600 }
/** A list is read so much further back than it needs to be: clocks differ, and records of one moment lie in any order. */
export const listMarginSeconds = 3600
/** So many of ours that a list does not have are asked about one by one; more of them say that the list is not to be believed. */
export const mostMissing = 500
/** How long a step may take before another process goes on with the run. */
export const leaseSeconds = 60
/** A recent run that gets no usable answer so often in a row ends: the next tick begins anew. */
export const recentTries = 5

/** Seconds until the next try after so many answers in a row that were none. */
export function retryDelay(attempts: number): number {
  return Math.min(15 * 2 ** Math.max(0, attempts - 1), 300)
}

export type Counts = {
  /** Of the provider's records, those that the run is about. */
  seen: number
  /** Agreed with our books. */
  matched: number
  /** Something that we had missed was settled. */
  repaired: number
  breaks: number
  unreadable: number
}

export const noCounts: Counts = { seen: 0, matched: 0, repaired: 0, breaks: 0, unreadable: 0 }

/** Whose records a run compares. */
export type Account = { subject: Subject; environment: Environment; provider: string }

export type Run = Account & {
  id: string
  kind: RunKind
  /** The beginning and the end of its day; null for a recent one. */
  dayFrom: Date | null
  dayTo: Date | null
  phase: RunPhase
  nextPage: number
  afterId: string | null
  listFrom: Date | null
  attempts: number
  requestId: string
}
