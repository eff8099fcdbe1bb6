/**
 * Settles a charge whose money a break has booked before its payment was known. Invariant: the break gives up the money in the transaction
 * that credits the payment or ends it, or nothing moves.
 */
import { openBreak, resolveBreak } from '../../money/breaks/break.sql.ts'
import type { Break } from '../../money/breaks/break.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { retryWhileLocked } from '../../platform/db/lock-retry.ts'
import type { ChargeSnapshot } from '../../money/providers/provider.ts'
import { giveUpRecord, lockBreakOfRecord } from './found-money.ts'
import { lockPayment } from './payment.sql.ts'
import { holdReturned, voidHeldPayment } from './release-held.sql.ts'
import { holdDifferingMoney } from './hold-money.sql.ts'
import { applySettlements, type Settled } from './settle.sql.ts'
import type { Settlement } from './settlement.ts'

const lockPatienceMs = 10_000

/** The message does not move the payment: the break keeps the money. */
class KeptByBreak extends Error {
  settled: Settled
  constructor(settled: Settled) {
    super('the break keeps the money')
    this.settled = settled
  }
}

const failedThere: ReadonlySet<ChargeSnapshot['status']> = new Set(['failed', 'voided', 'expired'])

/** The payer has the money back: the payment ends without a credit, and stays held, so that no later message credits it. */
async function endReturned(tx: Tx, item: Settlement, one: Break, changedPayload: string): Promise<void> {
  const { home, paymentId, environment, provider } = item
  if (!(await holdReturned(tx, item))) return
  const id = newMoneyId(home)
  const details = { returned_with: toWire('brk', one.id), resolution: one.resolution }
  const finding = { home, paymentId, environment, provider, reference: one.providerReference, details }
  await openBreak(tx, { ...finding, kind: 'reference_conflict' }, id)
  await resolveBreak(tx, { home, id }, { resolution: 'already_settled', by: 'system' })
  await voidHeldPayment(tx, item, changedPayload)
}

async function takeFromBreak(tx: Tx, item: Settlement, snapshot: ChargeSnapshot, changedPayload: string): Promise<Settled> {
  const { provider, environment, actor, requestId } = item
  const record = { provider, environment, reference: snapshot.reference }
  const found = await lockBreakOfRecord(tx, record)
  await lockPayment(tx, item)
  const nothing: Settled = { verdict: 'found', status: null, isLate: false }
  if (found && !(await giveUpRecord(tx, record, found, { actor, requestId }))) {
    if (found.stand === 'returned' && snapshot.status === 'completed') await endReturned(tx, item, found.one, changedPayload)
    return nothing
  }
  const [settled = nothing] = await applySettlements(tx, [item], changedPayload)
  if (!found) return settled
  if (settled.verdict === 'amount_differs') {
    const ids = { breakId: newMoneyId(item.home), feeBreakId: newMoneyId(item.home) }
    return { ...settled, feeWaits: await holdDifferingMoney(tx, item, ids) }
  }
  const isMoved = settled.verdict === 'applied' && settled.status === snapshot.status
  if (!isMoved && !failedThere.has(snapshot.status)) throw new KeptByBreak(settled)
  return settled
}

/** The verdict is `found` if nothing moved: the money is returned to the payer, or was. */
export async function settleFound(db: Db, item: Settlement, changedPayload: string): Promise<Settled> {
  const { learned } = item
  if (learned.kind !== 'provider_record') return { verdict: 'found', status: null, isLate: false }
  const take = () => db.tx((tx) => takeFromBreak(tx, item, learned.snapshot, changedPayload))
  return retryWhileLocked(take, lockPatienceMs).catch((error: unknown) => {
    if (error instanceof KeptByBreak) return error.settled
    throw error
  })
}
