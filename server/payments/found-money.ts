/**
 * Money of a provider record that no payment and no payout of ours has: it is in `unallocated` from the moment it is found. Invariant: the
 * money of one record is booked once. Its break owns the record until a payment or a payout takes it, with the money.
 */
import { differenceOf, isAboutMoneyBack, type Break, type Finding } from '../breaks/break.ts'
import { findUnallocated, lockBreak, lockOpenBreak, openBreak, resolveBreak, updateEvidence } from '../breaks/break.sql.ts'
import { openWallet } from '../ledger/account.sql.ts'
import { postSteps, type Step } from '../ledger/transfer.sql.ts'
import type { Db, Tx } from '../platform/db/db.ts'
import { newMoneyId } from '../platform/ids.ts'
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

/**
 * Takes the record for the break of a finding, and opens the break if none is open. Undefined, and nothing changes: another break of the
 * subject is open, or operators have decided on the same evidence.
 */
async function takeForBreak(tx: Tx, finding: RecordFinding): Promise<{ one: Break; isNew: boolean } | undefined> {
  const { home } = finding
  const id = newMoneyId(home)
  const owner = await lockRecord(tx, finding, { home, breakId: id })
  // Another process has just booked it.
  if (owner?.breakId !== id) return undefined
  const isNew = await openBreak(tx, finding, id)
  const one = await lockOpenBreak(tx, finding)
  if (one?.id !== id) await freeRecord(tx, finding, { home, id })
  if (!one || one.providerReference !== finding.reference) return undefined
  if (!isNew) {
    // The break was opened before its money moved.
    await lockRecord(tx, finding, { home: one.home, breakId: one.id })
    await updateEvidence(tx, one, finding)
  }
  return { one, isNew }
}

/** Opens the break for a provider record whose money moved, and books its money if it is not booked yet. Amounts in TZS. */
export async function reportFoundMoney(
  db: Db,
  finding: RecordFinding,
  money: { amount: number; fee: number | null },
  cause: Cause,
): Promise<Found> {
  return db.tx(async (tx) => {
    const owner = await findRecordOwner(tx, finding)
    if (owner) {
      if (owner.breakId === null) return 'decided'
      const { resolvedAt } = await lockBreak(tx, { home: owner.home, id: owner.breakId })
      return resolvedAt === null ? 'open' : 'decided'
    }
    const taken = await takeForBreak(tx, finding)
    if (!taken) return (await lockOpenBreak(tx, finding)) ? 'open' : 'decided'
    await openWallet(tx, { home: finding.home, environment: finding.environment, merchantId: null })
    const { amount, fee } = money
    await post(tx, taken.one, cause, [
      { kind: 'unallocated_found', debit: 'provider_clearing', credit: 'unallocated', amount },
      {
        kind: 'provider_fee',
        debit: 'provider_fees',
        credit: 'provider_clearing',
        amount: fee !== null && fee <= amount ? fee : 0,
      },
    ])
    return taken.isNew ? 'new' : 'open'
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
 * What the break of a record says to a payment or a payout of ours that the record belongs to. `free`: nobody has the money, so it goes
 * there. `returning`: it is on the way back to the payer; `returned`: the payer has it. `decided`: somebody else has paid or received it.
 */
export type RecordStand = 'free' | 'returning' | 'returned' | 'decided'

function standOf(one: Break): RecordStand {
  const { resolution, lastReturn } = one
  if (lastReturn?.status === 'pending' || lastReturn?.status === 'processing') return 'returning'
  // Beside a decision that has booked the rest of the record.
  if (isAboutMoneyBack(one) || differenceOf(one) !== undefined) return 'decided'
  switch (resolution) {
    case null:
    case 'keep_unallocated':
    case 'already_settled':
    case 'provider_was_wrong':
      return 'free'
    case 'return_to_payer':
    case 'refund_second_charge':
      return 'returned'
    default:
      return 'decided'
  }
}

/** The break that owns a record, locked until the transaction ends; undefined if no break owns it. Its lock comes before all others. */
export async function lockBreakOfRecord(tx: Tx, record: ProviderRecord): Promise<{ one: Break; stand: RecordStand } | undefined> {
  const owner = await findRecordOwner(tx, record)
  if (!owner || owner.breakId === null) return undefined
  const one = await lockBreak(tx, { home: owner.home, id: owner.breakId })
  // Read again under the lock: a decision may have given the record to somebody.
  const now = await findRecordOwner(tx, record)
  return now?.breakId === one.id ? { one, stand: standOf(one) } : undefined
}

/** A break whose stand is `free` gives up its record and the money; the caller books both in the same transaction. */
export async function giveUpRecord(tx: Tx, record: ProviderRecord, one: Break, cause: Cause): Promise<void> {
  await releaseFoundMoney(tx, one, cause)
  await freeRecord(tx, record, one)
  if (one.resolvedAt === null) await resolveBreak(tx, one, { resolution: 'already_settled', by: 'system' })
}
