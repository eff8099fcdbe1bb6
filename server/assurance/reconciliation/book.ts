/** One side of a provider's books, charges or payouts, as a run compares it, and the steps that are the same for both. */
import type { RecordOutcome } from '../../domain/reconciliation.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire, homeOfId } from '../../platform/ids.ts'
import type { ListedPage, Provider } from '../../money/providers/provider.ts'
import { recordMissing } from './record.sql.ts'
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

/** A record of a provider, by its reference and by our own id if the record names it. */
export type Named = { reference: string; home: number | null; id: string | null }

/** A charge or payout of ours that has not ended. */
export type OpenOrder = { home: number; id: string; providerReference: string | null; createdAt: Date; ageSeconds: number }

/** What both kinds of records of a provider say. */
type Snapshot = {
  reference: string
  ourReference: string | null
  status: string
  amount: number | null
  currency: string | null
  network: string | null
}

type Answer<Record> = { kind: 'found'; snapshot: Record } | { kind: 'not_found' } | { kind: 'indeterminate' }

/** What became of a record, and ours that it belongs to. */
type Applied = { outcome: Outcome; ours: { home: number; id: string } | undefined }

/** TZS that succeeded at the provider; null when it is no success in TZS. */
export function succeededTzs({ status, amount, currency }: Snapshot): number | null {
  return status === 'completed' && currency === 'TZS' ? amount : null
}

/** Our own id that a record names, in its wire form with this prefix. */
export function nameOf(prefix: 'pay' | 'po', { reference, ourReference }: Snapshot): Named {
  const id = ourReference === null ? undefined : fromWire(prefix, ourReference)
  return { reference, id: id ?? null, home: id === undefined ? null : homeOfId(id) }
}

const canBeQueried = ({ providerReference }: OpenOrder, { capabilities }: Provider): boolean =>
  providerReference !== null || capabilities.looksUpOurReference

export function unfinishedOf(orders: OpenOrder[], provider: Provider): Unfinished[] {
  return orders.map((order) => {
    const { id, createdAt, ageSeconds } = order
    return { id, createdAt, ageSeconds, canBeQueried: canBeQueried(order, provider) }
  })
}

/** Queries the first order that can be queried, and settles the answer; undefined when there is none. */
export async function queryFirst<Order extends OpenOrder, Found>(
  orders: Order[],
  provider: Provider,
  { fetch, settle }: { fetch(order: Order): Promise<Answer<Found>>; settle(order: Order, found: Found): Promise<Outcome> },
): Promise<{ id: string; outcome: Outcome | 'no_answer' } | undefined> {
  const next = orders.find((order) => canBeQueried(order, provider))
  if (!next) return undefined
  const answer = await fetch(next)
  // "Not found" alone never makes a failure.
  return { id: next.id, outcome: answer.kind === 'found' ? await settle(next, answer.snapshot) : 'no_answer' }
}

/** A page of the provider's list after its records were applied; those that are not in `applied` are outside the run. */
export function appliedPage<Found extends Snapshot>(
  page: Extract<ListedPage<Found>, { kind: 'page' }>,
  placeOf: (createdAt: Date | null) => Place,
  applied: ReadonlyMap<Found, Applied>,
): AppliedPage {
  const times = page.items.flatMap(({ createdAt }) => createdAt?.getTime() ?? [])
  return {
    kind: 'page',
    isLast: page.isLast,
    unreadable: page.unreadable,
    oldest: times.length > 0 ? new Date(Math.min(...times)) : null,
    records: page.items.map((record) => ({
      reference: record.reference,
      inDay: placeOf(record.createdAt) === 'in_day',
      network: record.network,
      status: record.status,
      amount: succeededTzs(record),
      home: applied.get(record)?.ours?.home ?? null,
      subjectId: applied.get(record)?.ours?.id ?? null,
      outcome: applied.get(record)?.outcome ?? 'idle',
    })),
  }
}

/** `Book.queryMissing`. `report`: opens the break for a record that the provider does not have. */
export async function queryMissing<Missing extends { providerReference: string }, Found extends Snapshot>(
  db: Db,
  run: Run,
  isLastTry: boolean,
  side: {
    next(): Promise<Missing | undefined>
    fetch(missing: Missing): Promise<Answer<Found>>
    apply(missing: Missing, found: Found): Promise<Outcome>
    report(missing: Missing): Promise<Outcome>
  },
): Promise<Outcome | 'no_answer' | undefined> {
  const missing = await side.next()
  if (!missing) return undefined
  const { providerReference: reference } = missing
  const answer = await side.fetch(missing)
  if (answer.kind === 'indeterminate' && !isLastTry) return 'no_answer'
  if (answer.kind === 'found') {
    const { snapshot } = answer
    const outcome = await side.apply(missing, snapshot)
    await recordMissing(db, run.id, reference, { outcome, status: snapshot.status, amount: succeededTzs(snapshot) })
    return outcome
  }
  const outcome = answer.kind === 'not_found' ? await side.report(missing) : 'unreadable'
  await recordMissing(db, run.id, reference, { outcome, status: 'missing', amount: null })
  return outcome
}
