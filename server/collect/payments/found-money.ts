/**
 * Money of a provider record that no payment and no payout of ours has: it is in `unallocated` from the moment it is found. Invariant: the
 * money of one record is booked once. Its break owns the record until a payment or a payout takes it, with the money.
 */
import { differenceOf, isAboutPayout, returnsMoney, type Break, type Finding, type Resolution } from '../../money/breaks/break.ts'
import {
  findBooked,
  findLeft,
  findUnallocated,
  lockBreak,
  openOrLock,
  resolveBreak,
  updateEvidence,
} from '../../money/breaks/break.sql.ts'
import { openWallet } from '../../money/ledger/account.sql.ts'
import { postSteps, type Step } from '../../money/ledger/transfer.sql.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newMoneyId } from '../../platform/ids.ts'
import { findRecordOwner, freeRecord, lockRecord, type ProviderRecord } from './record-owner.sql.ts'

type Cause = { actor: string; requestId: string }

/** A finding about a record of a provider, with the provider and the reference. */
export type RecordFinding = Finding & { provider: string; reference: string }

/** `new`: a break was opened for it; `open`: a break waits for operators; `decided`: operators have decided on the same evidence. */
export type Found = 'new' | 'open' | 'decided'

const post = (
  tx: Tx,
  { home, environment, id: breakId }: Pick<Break, 'home' | 'id' | 'environment'>,
  cause: Cause,
  steps: Step[],
) => postSteps(tx, { home, environment, breakId, merchantId: null, ...cause }, steps)

/** A fee above the amount is not believed. */
const feeStep = (amount: number, fee: number | null): Step => ({
  kind: 'provider_fee',
  debit: 'provider_fees',
  credit: 'provider_clearing',
  amount: fee !== null && fee <= amount ? fee : 0,
})

/** The record passes to its newest break. False if a payment or a payout of ours has it. */
export async function passToBreak(tx: Tx, finding: RecordFinding, breakId: string): Promise<boolean> {
  const owner = await findRecordOwner(tx, finding)
  if (owner && owner.breakId !== null) await freeRecord(tx, finding, { home: owner.home, id: owner.breakId })
  return (await lockRecord(tx, finding, { home: finding.home, breakId }))?.breakId === breakId
}

/**
 * The record differs from what its break has booked. Money that lies in `unallocated` is booked again with another break. Returns the TZS
 * that stay booked, because the payer has them.
 */
async function withdrawFound(tx: Tx, finding: RecordFinding, one: Break, stand: RecordStand, cause: Cause): Promise<number> {
  if (stand !== 'free') return -(await findLeft(tx, { ...finding, home: one.home }))
  await releaseFoundMoney(tx, one, cause)
  if (one.resolvedAt === null) await resolveBreak(tx, one, { resolution: 'provider_was_wrong', by: 'system' })
  return 0
}

/**
 * Opens the break for a provider record whose money moved, and books the part of its money that is not booked yet. `amount`: TZS that the
 * record shows, 0 if it shows that nothing was paid. A break stays as it is while its booking equals the record.
 */
export async function reportFoundMoney(
  db: Db,
  finding: RecordFinding,
  { amount, fee }: { amount: number; fee: number | null },
  cause: Cause,
): Promise<Found> {
  return db.tx(async (tx) => {
    const found = await lockBreakOfRecord(tx, finding)
    if (found) {
      const booked = await findBooked(tx, { ...finding, home: found.one.home })
      const isSame = -booked.left === amount
      // The answer to a query names no fee; the list of the day does.
      if (isSame && booked.fee === 0) await post(tx, found.one, cause, [feeStep(amount, fee)])
      if (isSame || found.stand === 'returning') return found.one.resolvedAt === null ? 'open' : 'decided'
    }
    const kept = found ? await withdrawFound(tx, finding, found.one, found.stand, cause) : 0
    const difference = amount - kept
    if (difference === 0) return 'decided'
    const id = newMoneyId(finding.home)
    const details = { ...finding.details, ...(kept !== 0 && { difference }) }
    // Another process has just booked it.
    if (difference > 0 && !(await passToBreak(tx, finding, id))) return 'decided'
    const one = await openOrLock(tx, { ...finding, details, evenIfDecided: found !== undefined && difference > 0 }, id)
    const isNew = one?.id === id
    if (difference < 0) return isNew ? 'new' : 'decided'
    if (!isNew) await freeRecord(tx, finding, { home: finding.home, id })
    if (one?.providerReference !== finding.reference) return one ? 'open' : 'decided'
    if (!isNew) {
      // The break was opened before its money moved.
      await lockRecord(tx, finding, { home: one.home, breakId: one.id })
      await updateEvidence(tx, one, finding)
    }
    await openWallet(tx, { home: finding.home, environment: finding.environment, merchantId: null })
    await post(tx, one, cause, [
      { kind: 'unallocated_found', debit: 'provider_clearing', credit: 'unallocated', amount: difference },
      feeStep(amount, kept === 0 ? fee : null),
    ])
    return isNew ? 'new' : 'open'
  })
}

/**
 * Moves the money of a break and its fee out of `unallocated`, because it is now booked to its right account. Returns the amount and the
 * fee; 0 if none is there. The amount is negative for money that left.
 */
export async function releaseFoundMoney(
  tx: Tx,
  one: Pick<Break, 'home' | 'id' | 'environment'>,
  cause: Cause,
): Promise<{ amount: number; fee: number }> {
  const { amount, fee } = await findUnallocated(tx, one)
  if (amount === 0) return { amount, fee: 0 }
  await post(tx, one, cause, [
    { kind: 'unallocated_credited', debit: 'unallocated', credit: 'provider_clearing', amount },
    { kind: 'unallocated_debited', debit: 'provider_clearing', credit: 'unallocated', amount: -amount },
    { kind: 'provider_fee_returned', debit: 'provider_clearing', credit: 'provider_fees', amount: fee },
  ])
  return { amount, fee }
}

/**
 * What the break of a record says to a payment or a payout of ours that the record belongs to. `free`: no one has the money, so it goes
 * there. `balanced`: what left has come back and is booked so; the record goes there without money. `returning`: the money is on the way
 * back to the payer; `returned`: the payer has it. `decided`: the money was paid to another.
 */
export type RecordStand = 'free' | 'balanced' | 'returning' | 'returned' | 'decided'

/** Resolutions after which no one has received or paid the money. */
const leavesUnallocated: ReadonlySet<Resolution> = new Set(['keep_unallocated', 'already_settled', 'provider_was_wrong'])

function standOf(one: Break): RecordStand {
  const { resolution, lastReturn } = one
  if (lastReturn?.status === 'pending' || lastReturn?.status === 'processing') return 'returning'
  // A decision has booked the rest of the record.
  if (differenceOf(one) !== undefined) return 'decided'
  if (resolution !== null && returnsMoney.has(resolution)) return 'returned'
  return resolution === null || leavesUnallocated.has(resolution) ? 'free' : 'decided'
}

/** The break that owns a record, locked until the transaction ends; undefined if no break owns it. Its lock comes before all others. */
export async function lockBreakOfRecord(tx: Tx, record: ProviderRecord): Promise<{ one: Break; stand: RecordStand } | undefined> {
  const owner = await findRecordOwner(tx, record)
  if (!owner || owner.breakId === null) return undefined
  const one = await lockBreak(tx, { home: owner.home, id: owner.breakId })
  // Read again under the lock: a decision may have given the record to another owner.
  const now = await findRecordOwner(tx, record)
  if (now?.breakId !== one.id) return undefined
  const isBalanced = isAboutPayout(one) && (await findLeft(tx, { ...record, home: one.home })) === 0
  return { one, stand: isBalanced ? 'balanced' : standOf(one) }
}

/**
 * The break gives up its record; if the record is `free`, with the money, which the caller books in the same transaction. False: another owner
 * has the money, and nothing changes.
 */
export async function giveUpRecord(
  tx: Tx,
  record: ProviderRecord,
  { one, stand }: { one: Break; stand: RecordStand },
  cause: Cause,
): Promise<boolean> {
  if (stand !== 'free' && stand !== 'balanced') return false
  await freeRecord(tx, record, one)
  if (stand === 'balanced') return true
  await releaseFoundMoney(tx, one, cause)
  if (one.resolvedAt === null) await resolveBreak(tx, one, { resolution: 'already_settled', by: 'system' })
  return true
}
