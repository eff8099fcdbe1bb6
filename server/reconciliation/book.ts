/** One side of a provider's books, as a run compares it: charges, or payouts. A run knows nothing of what lies behind. */
import type { Run } from './run.ts'

/** The clocks of processes, which ids begin with, may differ by so much from the database's. */
export const clockSkewMs = 3_600_000

/** What came of one record; `idle`: nobody's here, and no money. */
export type Outcome = 'matched' | 'repaired' | 'break' | 'unreadable' | 'idle'

export type ReadRecord = {
  reference: string
  /** Of the day that the run is about. */
  inDay: boolean
  network: string | null
  status: string
  /** TZS that succeeded there; null where it is no success in TZS. */
  amount: number | null
  home: number | null
  subjectId: string | null
  outcome: Outcome
}

/** What a record of a page is to the run: of its day, of one before on which something may have changed since, or none of its business. */
export type Place = 'in_day' | 'before' | 'outside'

export type AppliedPage =
  | { kind: 'page'; records: ReadRecord[]; oldest: Date | null; unreadable: number; isLast: boolean }
  | { kind: 'no_answer'; reason: string; afterMs?: number }

/** A record of ours that has not come to an end. */
export type Unfinished = { id: string; canBeAsked: boolean; createdAt: Date; ageSeconds: number }

export type Book = {
  /** Ours that have not come to an end and that nothing was heard of for a while, oldest first. */
  listUnfinished(run: Run, limit: number): Promise<Unfinished[]>
  /** When the oldest was begun of those that ended without a credit in the last day; undefined: there is none. */
  findOldestEnded(run: Run): Promise<Date | undefined>
  /** Asks the provider about the oldest after `run.afterId` that can be asked about, and settles its answer; undefined: none is left. */
  askNext(run: Run): Promise<{ id: string; outcome: Outcome | 'no_answer' } | undefined>
  /** Reads the page of the provider's list that the run has come to and applies those of its records that are meant. */
  applyPage(run: Run, placeOf: (createdAt: Date | null) => Place): Promise<AppliedPage>
  /** Writes down what is settled with us and not on the list that was read; answers how many, `most` at most. */
  keepMissing(run: Run, most: number): Promise<number>
  /** Asks about the next of them by its reference; undefined: none is left. `isLastTry`: without an answer it is left. */
  askMissing(run: Run, isLastTry: boolean): Promise<Outcome | 'no_answer' | undefined>
}
