/** One side of a provider's books, charges or payouts, as a run compares it. A run does not depend on the subject. */
import type { RecordOutcome } from '../domain/reconciliation.ts'
import type { Run } from './run.ts'

/** The ids begin with the clock of a process. It may differ from the database's clock by at most this. */
export const clockSkewMs = 3_600_000

/** The outcome of one record; `idle`: it matches no record of ours, and no money moved. */
export type Outcome = Exclude<RecordOutcome, 'missing'>

export type ReadRecord = {
  reference: string
  /** The record is of the day that the run compares. */
  inDay: boolean
  network: string | null
  status: string
  /** TZS that succeeded at the provider; null when it is no success in TZS. */
  amount: number | null
  home: number | null
  subjectId: string | null
  outcome: Outcome
}

/** The place of a record in a run: of its day, of an earlier day with a possible later change, or outside the run. */
export type Place = 'in_day' | 'before' | 'outside'

export type AppliedPage =
  | { kind: 'page'; records: ReadRecord[]; oldest: Date | null; unreadable: number; isLast: boolean }
  | { kind: 'no_answer'; reason: string; afterMs?: number }

/** A record of ours that has not ended. */
export type Unfinished = { id: string; canBeQueried: boolean; createdAt: Date; ageSeconds: number }

export type Book = {
  /** Our records that have not ended and had no update for a while, oldest first. */
  listUnfinished(run: Run, limit: number): Promise<Unfinished[]>
  /** When the oldest of the records that ended without a credit in the last day began; undefined when there is none. */
  findOldestEnded(run: Run): Promise<Date | undefined>
  /**
   * Queries the provider for the oldest record after `run.afterId` that can be queried, and settles the answer; undefined when there is none
   * left.
   */
  queryNext(run: Run): Promise<{ id: string; outcome: Outcome | 'no_answer' } | undefined>
  /** Reads the next page of the provider's list and applies the records of it that belong to the run. */
  applyPage(run: Run, placeOf: (createdAt: Date | null) => Place): Promise<AppliedPage>
  /** Stores the records that are settled in our books and missing in the list, at most `most`. Returns their number. */
  keepMissing(run: Run, most: number): Promise<number>
  /**
   * Queries the next missing record by its reference; undefined when there is none left. With `isLastTry`, a record without an answer is
   * skipped.
   */
  queryMissing(run: Run, isLastTry: boolean): Promise<Outcome | 'no_answer' | undefined>
}
