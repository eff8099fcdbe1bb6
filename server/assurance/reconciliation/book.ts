/** One side of a provider's books, charges or payouts, as a run compares it: the steps, and what differs between the two sides. */
import type { RecordOutcome } from '../../domain/reconciliation.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import {
  providerNamed,
  type ListedPage,
  type Provider,
  type ProviderKey,
  type Providers,
} from '../../money/providers/provider.ts'
import { recordMissing, type DayRun } from './record.sql.ts'
import { recentAfterSeconds, type Run } from './run.ts'

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
  /** `newest`: when the newest of its records began; null if the page is not in that order, so that newer ones may follow. */
  | { kind: 'page'; records: ReadRecord[]; newest: Date | null; unreadable: number; isLast: boolean }
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

/** Of our ids on the wire. */
type Prefix = 'pay' | 'po'

/** Our own id that a record names, in its wire form with this prefix. */
export function nameOf(prefix: Prefix, { reference, ourReference }: Snapshot): Named {
  const id = ourReference === null ? undefined : fromWire(prefix, ourReference)
  return { reference, id: id ?? null, home: id === undefined ? null : homeOfId(id) }
}

/**
 * What differs between charges and payouts. `Found`: a record of the provider. `Open`: an order of ours that has not ended. `Missing`: one
 * that is settled in our books and missing in the list.
 */
export type Side<Found extends Snapshot, Open extends OpenOrder, Missing extends MissingOrder> = {
  prefix: Prefix
  fetch(provider: Provider, key: ProviderKey): Promise<Answer<Found>>
  list(provider: Provider, page: number): Promise<ListedPage<Found>>
  /** Our orders that have not ended and had no update for this long, oldest first. */
  listUnfinished(run: Run, wanted: { silentSeconds: number; limit: number }): Promise<OpenOrder[]>
  /** The same after an id, in the order of ids. */
  listUnfinishedById(run: Run, wanted: { silentSeconds: number; afterId: string | null; limit: number }): Promise<Open[]>
  findOldestEnded: Book['findOldestEnded']
  settle(run: Run, order: Open, found: Found, actor: string): Promise<Outcome>
  /** The time before a list is read, if its records are judged by it. */
  readAt(): Promise<Date | undefined>
  /** Applies the records of a page that belong to the run; returns what became of each, in their order. */
  applyAll(run: Run, records: Found[], readAt: Date | undefined): Promise<Applied[]>
  keepMissing(run: DayRun, most: number): Promise<number>
  nextMissing(runId: string): Promise<Missing | undefined>
  applyMissing(run: Run, missing: Missing, found: Found): Promise<Outcome>
  /** Opens the break for a record that the provider does not have. */
  reportMissing(run: Run, missing: Missing): Promise<Outcome>
}

type MissingOrder = { id: string; providerReference: string }

const canBeQueried = ({ providerReference }: OpenOrder, { capabilities }: Provider): boolean =>
  providerReference !== null || capabilities.looksUpOurReference

/** A page of the provider's list after its records were applied; those that are not in `applied` are outside the run. */
function appliedPage<Found extends Snapshot>(
  page: Extract<ListedPage<Found>, { kind: 'page' }>,
  placeOf: (createdAt: Date | null) => Place,
  applied: ReadonlyMap<Found, Applied>,
): AppliedPage {
  const times = page.items.flatMap(({ createdAt }) => createdAt?.getTime() ?? [])
  return {
    kind: 'page',
    isLast: page.isLast,
    unreadable: page.unreadable,
    newest: times.length > 0 && times[0]! >= times.at(-1)! ? new Date(Math.max(...times)) : null,
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

export function createBook<Found extends Snapshot, Open extends OpenOrder, Missing extends MissingOrder>(
  { db, providers }: { db: Db; providers: Providers },
  side: Side<Found, Open, Missing>,
): Book {
  const providerOf = (run: Run): Provider => providerNamed(providers, run.environment, run.provider)
  const fetch = (run: Run, { id, providerReference }: { id: string; providerReference: string | null }) =>
    side.fetch(providerOf(run), { reference: providerReference, ourReference: toWire(side.prefix, id) })

  return {
    async listUnfinished(run, limit) {
      const orders = await side.listUnfinished(run, { silentSeconds: recentAfterSeconds, limit })
      return orders.map((order) => {
        const { id, createdAt, ageSeconds } = order
        return { id, createdAt, ageSeconds, canBeQueried: canBeQueried(order, providerOf(run)) }
      })
    },

    findOldestEnded: side.findOldestEnded,

    async queryNext(run) {
      const wanted = { silentSeconds: recentAfterSeconds, afterId: run.afterId, limit: 100 }
      const orders = await side.listUnfinishedById(run, wanted)
      const next = orders.find((order) => canBeQueried(order, providerOf(run)))
      if (!next) return undefined
      const answer = await fetch(run, next)
      // "Not found" alone never makes a failure.
      const outcome = answer.kind === 'found' ? await side.settle(run, next, answer.snapshot, 'provider:poll') : 'no_answer'
      return { id: next.id, outcome }
    },

    async applyPage(run, placeOf) {
      const readAt = await side.readAt()
      const page = await side.list(providerOf(run), run.nextPage)
      if (page.kind === 'indeterminate') return { ...page, kind: 'no_answer' }
      const meant = page.items.filter(({ createdAt }) => placeOf(createdAt) !== 'outside')
      const applied = await side.applyAll(run, meant, readAt)
      return appliedPage(page, placeOf, new Map(meant.map((record, index) => [record, applied[index]!])))
    },

    async keepMissing(run, most) {
      const { dayFrom, dayTo } = run
      return dayFrom === null || dayTo === null ? 0 : side.keepMissing({ ...run, dayFrom, dayTo }, most)
    },

    async queryMissing(run, isLastTry) {
      const missing = await side.nextMissing(run.id)
      if (!missing) return undefined
      const { providerReference: reference } = missing
      const answer = await fetch(run, missing)
      if (answer.kind === 'indeterminate' && !isLastTry) return 'no_answer'
      if (answer.kind === 'found') {
        const { snapshot } = answer
        const outcome = await side.applyMissing(run, missing, snapshot)
        await recordMissing(db, run.id, reference, { outcome, status: snapshot.status, amount: succeededTzs(snapshot) })
        return outcome
      }
      const outcome = answer.kind === 'not_found' ? await side.reportMissing(run, missing) : 'unreadable'
      await recordMissing(db, run.id, reference, { outcome, status: 'missing', amount: null })
      return outcome
    },
  }
}
