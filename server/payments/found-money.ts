/**
 * Money of a charge that succeeded at a provider and is unknown here: it is in `unallocated` from the moment it is found. Invariant: the
 * money of one provider record is booked once, with the break that was open when it was found.
 */
import { openWallet } from '../ledger/account.sql.ts'
import { postSteps, type Step } from '../ledger/transfer.sql.ts'
import type { Db, Tx } from '../platform/db/db.ts'
import { newMoneyId } from '../platform/ids.ts'
import { findFoundMoney, findUnallocated, lockOpenBreak, openBreak, updateEvidence } from '../breaks/break.sql.ts'
import type { Break, Finding } from '../breaks/break.ts'

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

/** Opens the break for a provider record whose money moved, and books the part that is not booked yet. Amounts in TZS. */
export async function reportFoundMoney(
  db: Db,
  finding: RecordFinding,
  money: { amount: number; fee: number | null },
  cause: Cause,
): Promise<Found> {
  return db.tx(async (tx) => {
    const booked = await findFoundMoney(tx, finding)
    if (booked) return booked.isOpen ? 'open' : 'decided'
    const id = newMoneyId(finding.home)
    const isNew = await openBreak(tx, finding, id)
    const one = await lockOpenBreak(tx, finding)
    if (!one) return 'decided'
    // The break was opened before its money moved, or another process has booked the money meanwhile.
    const isBooked = !isNew && (await findFoundMoney(tx, finding)) !== undefined
    if (isBooked || one.providerReference !== finding.reference) return 'open'
    if (!isNew) await updateEvidence(tx, one, finding)
    await openWallet(tx, { home: finding.home, environment: finding.environment, merchantId: null })
    const { amount, fee } = money
    await post(tx, one, cause, [
      { kind: 'unallocated_found', debit: 'provider_clearing', credit: 'unallocated', amount },
      {
        kind: 'provider_fee',
        debit: 'provider_fees',
        credit: 'provider_clearing',
        amount: fee !== null && fee <= amount ? fee : 0,
      },
    ])
    return isNew ? 'new' : 'open'
  })
}

/**
 * Moves the money of a break and its fee out of `unallocated`, because it is now booked to its right account. Returns the amount and the
 * fee; 0 if none is there.
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
    { kind: 'provider_fee_returned', debit: 'provider_clearing', credit: 'provider_fees', amount: fee },
  ])
  return { amount, fee }
}
