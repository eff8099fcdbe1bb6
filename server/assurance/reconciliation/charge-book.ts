/** Charges, as a run compares them. Every proven outcome goes through the one settle function; every difference becomes a break. */
import { openBreak } from '../../money/breaks/break.sql.ts'
import { reportFoundMoney } from '../../collect/payments/found-money.ts'
import { lateCheckSeconds } from '../../collect/payments/payment.ts'
import { findRecordOwner } from '../../collect/payments/record-owner.sql.ts'
import type { Finding } from '../../money/breaks/break.ts'
import { readPhone } from '../../domain/phone.ts'
import { logFeeWaits, type Settle } from '../../collect/payments/settle.ts'
import type { Verdict } from '../../collect/payments/settle.sql.ts'
import { settlementOfAnswer, type SettlementSource } from '../../collect/payments/settlement.ts'
import type { Db } from '../../platform/db/db.ts'
import { idsOfTimes, newMoneyId, toWire } from '../../platform/ids.ts'
import { assert } from '../../platform/refusal.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerNamed, type ChargeSnapshot, type Providers } from '../../money/providers/provider.ts'
import { bookMissingFee } from './book-fee.ts'
import { createBook, nameOf, succeededTzs, type Book, type Outcome } from './book.ts'
import {
  findOldestEndedCharge,
  findOurCharges,
  keepMissingCharges,
  listUnfinishedCharges,
  nextMissingCharge,
  readClock,
  type MissingCharge,
  type UnfinishedCharge,
} from './charge-records.sql.ts'
import { judgeCharge, type OurCharge } from './judge-charge.ts'
import { lateSeconds, recentEveryMinutes, type Run } from './run.ts'
import { reportBroughtBack } from './unallocated-payout.ts'

/** The ids begin with the clock of a process. It may differ from the database's clock by at most this. */
const clockSkewMs = 3_600_000

export type ChargeBookDeps = { db: Db; log: Log; providers: Providers; settle: Settle }

const outcomeOf: Record<Verdict, Outcome> = {
  applied: 'repaired',
  unchanged: 'matched',
  ignored: 'matched',
  held: 'matched',
  unproven: 'unreadable',
  to_confirm: 'matched',
  amount_to_confirm: 'matched',
  contradicts: 'matched',
  amount_differs: 'break',
  reference_conflict: 'break',
  // Its money stays with the break that has booked it.
  found: 'matched',
  unknown_payment: 'unreadable',
}

/** The source of a comparison: a run, or a query about one charge. */
type Requester = Pick<Run, 'environment' | 'provider' | 'requestId'>

/** Compares a provider's record of one charge with our books, and settles it or opens a break. */
function createApplier({ db, log, settle }: ChargeBookDeps) {
  const sourceOf = (run: Requester, payment: { home: number; id: string }, actor: string): SettlementSource => ({
    home: payment.home,
    paymentId: payment.id,
    environment: run.environment,
    provider: run.provider,
    actor,
    requestId: run.requestId,
  })

  async function settleAnswer(
    run: Requester,
    payment: { home: number; id: string; isPastExpiry: boolean },
    snapshot: ChargeSnapshot,
    actor: string,
  ): Promise<Outcome> {
    const { isPastExpiry } = payment
    // The next run queries it, so its own checks can wait until then.
    const nextAttemptSeconds = isPastExpiry ? lateCheckSeconds : recentEveryMinutes * 60
    const settlement = settlementOfAnswer(sourceOf(run, payment, actor), snapshot, { isPastExpiry, nextAttemptSeconds })
    const { verdict } = await settle(settlement)
    return outcomeOf[verdict]
  }

  async function report(
    run: Requester,
    finding: Pick<Finding, 'kind' | 'home' | 'paymentId' | 'reference' | 'details'>,
    record?: ChargeSnapshot,
  ): Promise<'break' | 'matched'> {
    const { environment, provider } = run
    const amount = record === undefined ? null : succeededTzs(record)
    const phone = record?.payerPhone === undefined ? undefined : readPhone(record.payerPhone)
    const payerPhone = phone?.kind === 'mobile' ? phone.e164 : undefined
    // Money that only the provider knows is booked to `unallocated` until operators have decided.
    const found =
      record === undefined || finding.kind !== 'unknown_at_provider' || amount === null || amount === 0
        ? (await openBreak(db, { ...finding, environment, provider }, newMoneyId(finding.home)))
          ? 'new'
          : 'open'
        : await reportFoundMoney(
            db,
            { ...finding, environment, provider, reference: record.reference, payerPhone },
            { amount, fee: record.fee },
            { actor: 'provider:list', requestId: run.requestId },
          )
    if (found === 'decided') return 'matched'
    if (found === 'new') {
      log.error('reconciliation.break_opened', new Error(finding.kind), {
        kind: finding.kind,
        environment,
        provider,
        reference: finding.reference,
        payment_id: finding.paymentId && toWire('pay', finding.paymentId),
      })
    }
    return 'break'
  }

  /** The money was set aside after an answer that may have named no fee. */
  async function bookFeeOf(run: Requester, record: ChargeSnapshot, { home, id: paymentId }: OurCharge): Promise<void> {
    const amount = succeededTzs(record)
    const { fee, reference, expectedFee = null } = record
    if (amount === null || fee === null || fee === 0) return
    const { environment, provider, requestId } = run
    const found = { home, environment, paymentId, provider, reference, amount, fee, expectedFee }
    if (await db.tx((tx) => bookMissingFee(tx, found, { actor: 'provider:list', requestId }))) logFeeWaits(log, found)
  }

  /** The record had been open, or had shown money that a break has booked, and now shows that nothing was paid. */
  async function reportGone(run: Requester, record: ChargeSnapshot): Promise<Outcome> {
    const { environment, provider, requestId } = run
    const { reference, status } = record
    const owner = await findRecordOwner(db, { environment, provider, reference })
    if (owner?.breakId === null) return 'idle'
    const details = { status_there: status, amount_there: 0, currency_there: record.currency }
    const finding = { home: owner?.home ?? 0, environment, provider, reference, kind: 'unknown_at_provider', details } as const
    const cause = { actor: 'provider:list', requestId }
    // No money was booked: a break about the open record has nothing left to decide.
    if (!owner) return (await db.tx((tx) => reportBroughtBack(tx, finding, cause))) === 'released' ? 'repaired' : 'idle'
    return (await reportFoundMoney(db, finding, { amount: 0, fee: null }, cause)) === 'new' ? 'break' : 'idle'
  }

  async function applyRecord(run: Requester, record: ChargeSnapshot, ours: OurCharge | undefined): Promise<Outcome> {
    const judgement = judgeCharge(record, ours, run.environment)
    if (ours?.held && judgement.kind === 'matched') await bookFeeOf(run, record, ours)
    switch (judgement.kind) {
      case 'matched':
      case 'unreadable':
        return judgement.kind
      case 'idle':
        return reportGone(run, record)
      case 'settle':
        return settleAnswer(run, ours!, record, 'provider:list')
      case 'break': {
        const finding = {
          kind: judgement.breakKind,
          home: ours?.home ?? 0,
          paymentId: ours?.id,
          reference: record.reference,
          details: {
            status_there: record.status,
            amount_there: record.amount,
            currency_there: record.currency,
            network: record.network,
            our_reference_there: record.ourReference,
            status_here: judgement.ours?.status ?? null,
            amount_here: judgement.ours?.amount ?? null,
          },
        }
        return report(run, finding, record)
      }
    }
  }

  return { settleAnswer, report, applyRecord }
}

export function createChargeBook(deps: ChargeBookDeps): Book {
  const { db } = deps
  const { settleAnswer, report, applyRecord } = createApplier(deps)
  return createBook<ChargeSnapshot, UnfinishedCharge, MissingCharge>(deps, {
    prefix: 'pay',
    fetch: (provider, key) => provider.fetchCharge(key),
    list: (provider, page) => provider.listCharges(page),
    listUnfinished: (run, wanted) => listUnfinishedCharges(db, run, { ...wanted, afterId: null }),
    listUnfinishedById: (run, wanted) => listUnfinishedCharges(db, run, wanted),
    findOldestEnded: (run) => findOldestEndedCharge(db, run, lateSeconds),
    settle: settleAnswer,
    readAt: () => readClock(db),
    async applyAll(run, records, readAt) {
      assert(readAt, 'charges are judged by the time of the list')
      const named = records.map((record) => nameOf('pay', record))
      const found = await findOurCharges(db, run, named, readAt)
      // Runs in parallel, so that the settlements of a page become one batch.
      return Promise.all(
        records.map(async (record, index) => ({ outcome: await applyRecord(run, record, found[index]), ours: found[index] })),
      )
    },
    keepMissing(run, most) {
      // A success may come after the day of its payment.
      const from = run.dayFrom.getTime() - lateSeconds.begunWithin * 1000
      const ids = idsOfTimes(from - clockSkewMs, run.dayTo.getTime() + clockSkewMs)
      return keepMissingCharges(db, run, ids, most)
    },
    nextMissing: (runId) => nextMissingCharge(db, runId),
    applyMissing: (run, missing, found) => applyRecord(run, found, missing),
    async reportMissing(run, { home, id: paymentId, providerReference: reference, status, amount }) {
      // Operators have taken its credit back.
      if (amount === 0) return 'matched'
      const details = { status_here: status, amount_here: amount }
      return report(run, { kind: 'missing_at_provider', home, paymentId, reference, details })
    },
  })
}

/**
 * Queries a provider about one charge of ours and applies the answer like a record of a list: a difference becomes a break. Returns false
 * while there is no answer.
 */
export async function compareCharge(
  deps: ChargeBookDeps,
  requester: Requester,
  { home, paymentId, reference }: { home: number; paymentId: string; reference: string | null },
): Promise<boolean> {
  const askedAt = await readClock(deps.db)
  const provider = providerNamed(deps.providers, requester.environment, requester.provider)
  if (reference === null && !provider.capabilities.looksUpOurReference) return false
  const answer = await provider.fetchCharge({ reference, ourReference: toWire('pay', paymentId) })
  // "Not found" alone proves nothing: the daily comparison queries again.
  if (answer.kind !== 'found') return false
  const { snapshot } = answer
  const [ours] = await findOurCharges(deps.db, requester, [{ reference: snapshot.reference, home, id: paymentId }], askedAt)
  await createApplier(deps).applyRecord(requester, snapshot, ours)
  return true
}
