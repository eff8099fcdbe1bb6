/** Payouts, as a run compares them. Every proven outcome goes through the one settle function, which opens a break for a difference. */
import type { BreakKind } from '../domain/break.ts'
import { openBreak } from '../breaks/break.sql.ts'
import { settlePayout, type PayoutVerdict } from '../payouts/settle-payout.ts'
import type { Db } from '../platform/db/db.ts'
import { fromWire, homeOfId, newMoneyId, toWire } from '../platform/ids.ts'
import type { Log } from '../platform/process/log.ts'
import { providerNamed, type PayoutSnapshot, type Providers } from '../providers/provider.ts'
import type { Book, Outcome } from './book.ts'
import {
  findOurPayouts,
  keepMissingPayouts,
  listUnfinishedPayouts,
  listUnfinishedPayoutsById,
  nextMissingPayout,
  type OurPayout,
} from './payout-records.sql.ts'
import { recordMissing } from './record.sql.ts'
import { rememberLost, reportBroughtBack, reportUnknownPayout } from './unallocated-payout.ts'
import { recentAfterSeconds, recentEveryMinutes, type Run } from './run.ts'

export type PayoutBookDeps = { db: Db; log: Log; providers: Providers }

const outcomeOf: Record<PayoutVerdict, Outcome> = {
  applied: 'repaired',
  unchanged: 'matched',
  ignored: 'matched',
  to_confirm: 'matched',
  // The provider has the payout: it is bound to the record, so that no restore sends it again, and the provider is queried for the amount.
  unproven: 'matched',
  set_aside: 'break',
  unknown_payout: 'unreadable',
}

/** TZS that left our account at the provider for good. */
function paidTzs({ status, amount, currency }: PayoutSnapshot): number | null {
  return status === 'completed' && currency === 'TZS' ? amount : null
}

const endedWithoutMoney: ReadonlySet<PayoutSnapshot['status']> = new Set(['failed', 'reversed'])

/** Compares a provider's record of one payout with our books, and settles it or opens a break. */
function createApplier(deps: PayoutBookDeps) {
  const { db, log } = deps

  async function settle(
    run: Run,
    payout: { home: number; id: string },
    snapshot: PayoutSnapshot,
    actor: string,
  ): Promise<Outcome> {
    const key = { home: payout.home, id: payout.id, environment: run.environment }
    const source = { provider: run.provider, actor, requestId: run.requestId }
    // The next run queries it, so its own checks can wait until then.
    const nextAttemptSeconds = recentEveryMinutes * 60
    const { verdict } = await settlePayout(deps, key, source, { kind: 'snapshot', snapshot, nextAttemptSeconds })
    return outcomeOf[verdict]
  }

  async function report(
    run: Run,
    kind: BreakKind,
    reference: string,
    ours: OurPayout | undefined,
    details: Record<string, string | number | null>,
  ): Promise<'break'> {
    const { environment, provider } = run
    const home = ours?.home ?? 0
    const finding = { home, environment, provider, kind, reference, details, payoutId: ours?.id }
    if (await openBreak(db, finding, newMoneyId(home))) {
      const fields = { kind, environment, provider, reference, payout_id: ours && toWire('po', ours.id) }
      log.error('reconciliation.break_opened', new Error(kind), fields)
    }
    return 'break'
  }

  async function reportUnknown(run: Run, record: PayoutSnapshot): Promise<Outcome> {
    const { environment, provider, requestId } = run
    const { reference, status, amount, currency, fee } = record
    const details = {
      subject: 'payout',
      status_there: status,
      amount_there: amount,
      currency_there: currency,
      // A payout that a restored database has lost finds its record by this when it is requested again.
      our_reference_there: record.ourReference,
    }
    const finding = { home: 0, environment, provider, kind: 'unknown_at_provider', reference, details } as const
    const cause = { actor: 'provider:list', requestId }
    const alert = () => log.error('reconciliation.break_opened', new Error(finding.kind), { ...finding, details: undefined })
    if (endedWithoutMoney.has(status)) {
      const found = await db.tx((tx) => reportBroughtBack(tx, finding, cause))
      if (found === 'new_break') alert()
      if (found === 'nothing' && record.ourReference !== null) await db.tx((tx) => rememberLost(tx, finding))
      return found === 'nothing' ? 'idle' : found === 'released' ? 'repaired' : 'break'
    }
    const paid = paidTzs(record)
    if (await db.tx((tx) => reportUnknownPayout(tx, finding, paid === null ? null : paid + (fee ?? 0), cause))) alert()
    return 'break'
  }

  async function applyRecord(run: Run, record: PayoutSnapshot, ours: OurPayout | undefined): Promise<Outcome> {
    // An order that this service did not send: its money leaves, left or was returned.
    if (!ours) return reportUnknown(run, record)
    if (record.status === 'unrecognised') return 'unreadable'
    // Its break is open already.
    if (ours.held) return 'matched'
    return settle(run, ours, record, 'provider:list')
  }

  return { settle, report, applyRecord }
}

export function createPayoutBook(deps: PayoutBookDeps): Book {
  const { db } = deps
  const providerOf = (run: Run) => providerNamed(deps.providers, run.environment, run.provider)
  const { settle, report, applyRecord } = createApplier(deps)

  /**
   * A listed success of an unknown order may name no amount, and nothing is booked before the amount is known. So the provider is queried
   * for the record.
   */
  async function queryAmount(run: Run, record: PayoutSnapshot): Promise<PayoutSnapshot> {
    const { reference, ourReference, status, amount } = record
    if (status !== 'completed' || amount !== null) return record
    const answer = await providerOf(run).fetchPayout({ reference, ourReference: ourReference ?? '' })
    // Without an answer, the daily runs of the next days query again.
    return answer.kind === 'found' ? answer.snapshot : record
  }

  return {
    async listUnfinished(run, limit) {
      const rows = await listUnfinishedPayouts(db, run, { silentSeconds: recentAfterSeconds, limit })
      const { looksUpOurReference } = providerOf(run).capabilities
      return rows.map(({ id, providerReference, createdAt, ageSeconds }) => ({
        id,
        createdAt,
        ageSeconds,
        canBeQueried: providerReference !== null || looksUpOurReference,
      }))
    },

    // The money of a failed payout was returned. The daily run finds a payout that is paid after all.
    findOldestEnded: async () => undefined,

    async queryNext(run) {
      const provider = providerOf(run)
      const wanted = { silentSeconds: recentAfterSeconds, afterId: run.afterId, limit: 100 }
      const rows = await listUnfinishedPayoutsById(db, run, wanted)
      const next = rows.find((row) => row.providerReference !== null || provider.capabilities.looksUpOurReference)
      if (!next) return undefined
      const answer = await provider.fetchPayout({ reference: next.providerReference, ourReference: toWire('po', next.id) })
      // "Not found" alone never makes a failure.
      if (answer.kind !== 'found') return { id: next.id, outcome: 'no_answer' }
      return { id: next.id, outcome: await settle(run, next, answer.snapshot, 'provider:poll') }
    },

    async applyPage(run, placeOf) {
      const page = await providerOf(run).listPayouts(run.nextPage)
      if (page.kind === 'indeterminate') return { ...page, kind: 'no_answer' }
      const meant = page.items.filter(({ createdAt }) => placeOf(createdAt) !== 'outside')
      const named = meant.map(({ reference, ourReference }) => {
        const id = ourReference === null ? undefined : fromWire('po', ourReference)
        return { reference, id: id ?? null, home: id === undefined ? null : homeOfId(id) }
      })
      // An order at another provider, in the other environment, or under a second reference of a known payout is not ours.
      const ours = (await findOurPayouts(db, run, named)).map((one, index) => {
        const isOurs = one?.provider === run.provider && one.environment === run.environment
        return isOurs && [null, meant[index]!.reference].includes(one.providerReference) ? one : undefined
      })
      // In parallel, because a restore may have lost many and a step has only a minute.
      const said = await Promise.all(meant.map(async (record, index) => (ours[index] ? record : queryAmount(run, record))))
      const applied = new Map<PayoutSnapshot, { outcome: Outcome; ours: OurPayout | undefined }>()
      // One after the other: each locks one wallet, and speed does not matter.
      for (const [index, record] of meant.entries()) {
        applied.set(record, { outcome: await applyRecord(run, said[index]!, ours[index]), ours: ours[index] })
      }
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
          amount: paidTzs(record),
          home: applied.get(record)?.ours?.home ?? null,
          subjectId: applied.get(record)?.ours?.id ?? null,
          outcome: applied.get(record)?.outcome ?? 'idle',
        })),
      }
    },

    async keepMissing(run, most) {
      const { dayFrom, dayTo } = run
      if (dayFrom === null || dayTo === null) return 0
      return keepMissingPayouts(db, { ...run, dayFrom, dayTo }, most)
    },

    async queryMissing(run, isLastTry) {
      const missing = await nextMissingPayout(db, run.id)
      if (!missing) return undefined
      const { id, providerReference: reference, status, amount } = missing
      const answer = await providerOf(run).fetchPayout({ reference, ourReference: toWire('po', id) })
      if (answer.kind === 'indeterminate' && !isLastTry) return 'no_answer'
      if (answer.kind === 'found') {
        const outcome = await applyRecord(run, answer.snapshot, missing)
        const { snapshot } = answer
        await recordMissing(db, run.id, reference, { outcome, status: snapshot.status, amount: paidTzs(snapshot) })
        return outcome
      }
      const details = { status_here: status, amount_here: amount }
      const outcome =
        answer.kind === 'not_found' ? await report(run, 'missing_at_provider', reference, missing, details) : 'unreadable'
      await recordMissing(db, run.id, reference, { outcome, status: 'missing', amount: null })
      return outcome
    },
  }
}
