/**
 * Reconciliation runs: when our books are compared with a provider's, and the progress of a run. Invariant: a step makes at most one call
 * to its provider, and a process that takes over a run continues where it stopped.
 */
import type { Direction } from '../../domain/provider.ts'
import type { RunKind, RunPhase } from '../../domain/reconciliation.ts'
import type { Environment } from '../../domain/environment.ts'

/** Calls a minute to one provider's list, of the 60 that the strictest provider allows: the rest is for payers. */
export const callsPerMinute = 52
export const stepEveryMs = Math.floor(60_000 / callsPerMinute)

export const recentEveryMinutes = 5
/** Until then the charge's own checks ask for the outcome. */
export const recentAfterSeconds = 120
/** Up to this many unfinished records are queried one by one. More of them are looked up in the list, 100 with each call. */
export const queriedOneByOne = 20
/** How far back a list is read for unfinished records. Older records are left to the checks and the daily run. */
export const recentListSeconds = 2 * 3600
/** A day is compared an hour after its end: by then its payments have ended too. */
export const dayEndsAfterSeconds = 3600
/** The most days that are compared later when no worker ran for a longer time. */
export const daysMadeUpFor = 31
/**
 * A daily run also reads this long before its day, for records that may still change: a payer's money arrives after the failure was
 * reported, or a network reverses a payout days after it was paid.
 */
export const lookBackSeconds: Record<Direction, number> = { charges: 7 * 86_400, payouts: 7 * 86_400 }
/** Records that ended this recently are looked up in the list every few minutes. Records that began longer ago are left to queries. */
export const lateSeconds = { endedWithin: 86_400, begunWithin: 28 * 3600 }
/** A weekly run reads this long back, for what a provider has changed in closed days. */
export const weeklySeconds = 30 * 86_400
/** A list is read from this much earlier than needed: clocks differ, and records of the same time have no fixed order. */
export const listMarginSeconds = 3600
/** Up to this many of our records that are missing in a list are queried one by one. More of them mean that the list is faulty. */
export const mostMissing = 500
/** How long a step may take before another process continues the run. */
export const leaseSeconds = 60
/** A recent run ends after this many unusable answers in a row: the next tick starts a new run. */
export const recentTries = 5

/** Seconds until the next try after this many unusable answers in a row. */
export function retryDelay(attempts: number): number {
  return Math.min(15 * 2 ** Math.max(0, attempts - 1), 300)
}

export type Counts = {
  /** The provider's records that belong to the run. */
  seen: number
  /** Equal to our books. */
  matched: number
  /** A missed outcome was settled. */
  repaired: number
  breaks: number
  unreadable: number
}

export const noCounts: Counts = { seen: 0, matched: 0, repaired: 0, breaks: 0, unreadable: 0 }

/** The account whose records a run compares. */
export type Account = { subject: Direction; environment: Environment; provider: string }

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
