/** Payouts, as a run compares them. Every proven outcome goes through the one settle function, which opens a break for a difference. */
import type { BreakKind } from '../../domain/break.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { settlePayout, type PayoutVerdict } from '../../pay-out/payouts/settle-payout.ts'
import type { Db } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerNamed, type PayoutSnapshot, type Providers } from '../../money/providers/provider.ts'
import { createBook, nameOf, succeededTzs, type Book, type Outcome } from './book.ts'
import {
  findOurPayouts,
  keepMissingPayouts,
  listUnfinishedPayouts,
  listUnfinishedPayoutsById,
  nextMissingPayout,
  type OurPayout,
} from './payout-records.sql.ts'
import { rememberLost, reportBroughtBack, reportUnknownPayout } from './unallocated-payout.ts'
import { recentEveryMinutes, type Run } from './run.ts'

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
    const paid = succeededTzs(record)
    if (await db.tx((tx) => reportUnknownPayout(tx, finding, paid === null ? null : paid + (fee ?? 0), cause))) alert()
    return 'break'
  }

  async function applyRecord(run: Run, record: PayoutSnapshot, ours: OurPayout | undefined): Promise<Outcome> {
    // An order that this service did not send: its money leaves, left or was returned.
    if (!ours) return reportUnknown(run, record.status === 'returned' ? { ...record, status: 'reversed' } : record)
    if (record.status === 'unrecognised') return 'unreadable'
    // Its break is open already.
    if (ours.held) return 'matched'
    return settle(run, ours, record, 'provider:list')
  }

  return { settle, report, applyRecord }
}

export function createPayoutBook(deps: PayoutBookDeps): Book {
  const { db } = deps
  const { settle, report, applyRecord } = createApplier(deps)

  /**
   * A listed success of an unknown order may name no amount, and nothing is booked before the amount is known. So the provider is queried
   * for the record.
   */
  async function queryAmount(run: Run, record: PayoutSnapshot): Promise<PayoutSnapshot> {
    const { reference, ourReference, status, amount } = record
    if (status !== 'completed' || amount !== null) return record
    const provider = providerNamed(deps.providers, run.environment, run.provider)
    const answer = await provider.fetchPayout({ reference, ourReference: ourReference ?? '' })
    // Without an answer, the daily runs of the next days query again.
    return answer.kind === 'found' ? answer.snapshot : record
  }

  return createBook(deps, {
    prefix: 'po',
    fetch: (provider, key) => provider.fetchPayout(key),
    list: (provider, page) => provider.listPayouts(page),
    listUnfinished: (run, wanted) => listUnfinishedPayouts(db, run, wanted),
    listUnfinishedById: (run, wanted) => listUnfinishedPayoutsById(db, run, wanted),
    // The money of a failed payout was returned. The daily run finds a payout that is paid after all.
    findOldestEnded: async () => undefined,
    settle,
    readAt: async () => undefined,
    async applyAll(run, records) {
      const named = records.map((record) => nameOf('po', record))
      // An order at another provider, in the other environment, or under a second reference of a known payout is not ours.
      const ours = (await findOurPayouts(db, run, named)).map((one, index) => {
        const isOurs = one?.provider === run.provider && one.environment === run.environment
        return isOurs && [null, records[index]!.reference].includes(one.providerReference) ? one : undefined
      })
      // In parallel, because a restore may have lost many and a step has only a minute.
      const said = await Promise.all(records.map(async (record, index) => (ours[index] ? record : queryAmount(run, record))))
      const applied: { outcome: Outcome; ours: OurPayout | undefined }[] = []
      // One after the other: each locks one wallet, and speed does not matter.
      for (const [index, record] of said.entries()) {
        applied.push({ outcome: await applyRecord(run, record, ours[index]), ours: ours[index] })
      }
      return applied
    },
    keepMissing: (run, most) => keepMissingPayouts(db, run, most),
    nextMissing: (runId) => nextMissingPayout(db, runId),
    applyMissing: (run, missing, found) => applyRecord(run, found, missing),
    reportMissing(run, missing) {
      const details = { status_here: missing.status, amount_here: missing.amount }
      return report(run, 'missing_at_provider', missing.providerReference, missing, details)
    },
  })
}
