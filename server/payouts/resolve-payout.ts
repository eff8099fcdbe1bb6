/**
 * What operators decide about a payout that people have to decide on, within the transaction of their decision. Invariant: it moves the
 * money as the provider's word would have, once, or lets the provider be asked again.
 */
import { lockAccounts, openWallet } from '../ledger/account.sql.ts'
import { findPayoutFeeTaken, findWrittenOff } from '../ledger/transfer.sql.ts'
import type { Tx } from '../platform/db/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { givesBack, type LateSuccess, type PayoutStatus } from './payout.ts'
import { lockPayout, updatePayout, type OrderedPayout } from './payout.sql.ts'
import { giveBack, payOut, payOutAgain, takeBack, takeBackWrittenOff, writeOff, type Cause } from './post-payout.ts'

async function lockUndecided(tx: Tx, key: { home: number; id: string }): Promise<OrderedPayout> {
  const payout = await lockPayout(tx, key)
  // One that is still pending was spoken of before the answer to our own call was here.
  if (payout?.status !== 'processing' && payout?.status !== 'pending') {
    throw new Refusal(409, 'invalid_state', 'This payout has already ended. There is nothing left to decide.')
  }
  return payout
}

async function release(
  tx: Tx,
  payout: OrderedPayout,
  status: PayoutStatus,
  change: { nextAttemptSeconds?: number | null; lateSuccess?: LateSuccess | null } = {},
): Promise<void> {
  const { nextAttemptSeconds = null, lateSuccess } = change
  await updatePayout(tx, payout, {
    status,
    held: false,
    lateSuccess,
    network: payout.network,
    failureCode: status === 'failed' ? (payout.failureCode ?? 'provider_error') : null,
    failureText: null,
    state: payout.providerReference === null ? payout.state : 'accepted',
    providerReference: payout.providerReference,
    nextAttemptSeconds,
  })
}

/** TZS that the provider paid, as its record says; what was asked for where it names no amount. */
function paidThere(payout: OrderedPayout, details: Record<string, unknown>): number {
  return typeof details['amount'] === 'number' ? details['amount'] : payout.amount
}

/**
 * The provider has shown that the recipient has the money: what was set aside leaves. Refuses with 409 one that has ended, and another amount
 * than was asked for: the books would say ours, and the provider's word for its own would be taken as decided on.
 */
export async function countAsPaid(
  tx: Tx,
  key: { home: number; id: string },
  details: Record<string, unknown>,
  cause: Cause,
): Promise<void> {
  const payout = await lockUndecided(tx, key)
  if (paidThere(payout, details) !== payout.amount) {
    throw new Refusal(
      409,
      'invalid_state',
      'The provider paid a different amount than the payout. Resolve it as not paid, then write off what the provider paid.',
    )
  }
  await payOut(tx, payout, cause, null)
  await release(tx, payout, 'completed')
}

/** The provider has shown that nothing was paid and never will be: the wallet gets everything back. Refuses with 409 one that has ended. */
export async function countAsNotPaid(tx: Tx, key: { home: number; id: string }, cause: Cause): Promise<void> {
  const payout = await lockUndecided(tx, key)
  await giveBack(tx, payout, cause)
  await release(tx, payout, 'failed')
}

/**
 * The provider has shown that what it called paid came back: the wallet gets everything back. Refuses with 409 one that is not completed.
 */
export async function countAsReturned(tx: Tx, key: { home: number; id: string }, cause: Cause): Promise<void> {
  const payout = await lockPayout(tx, key)
  if (payout?.lateSuccess === 'written_off') {
    await openWallet(tx, payout)
    await takeBackWrittenOff(tx, payout, cause, await findWrittenOff(tx, payout))
    return release(tx, payout, payout.status, { lateSuccess: null })
  }
  if (payout?.status !== 'completed') {
    throw new Refusal(409, 'invalid_state', 'This payout is not completed, so it cannot be reversed.')
  }
  await takeBack(tx, payout, cause, await findPayoutFeeTaken(tx, payout))
  await release(tx, payout, 'reversed')
}

async function lockGivenBack(tx: Tx, key: { home: number; id: string }): Promise<OrderedPayout> {
  const payout = await lockPayout(tx, key)
  if (!payout || !givesBack.has(payout.status) || payout.lateSuccess === 'written_off') {
    throw new Refusal(
      409,
      'invalid_state',
      'The money of this payout was not returned to the wallet, so it cannot be debited again.',
    )
  }
  return payout
}

/** The fee as it was taken before the money came back, else as it was quoted: nobody has named another one. */
async function feeThere(tx: Tx, payout: OrderedPayout): Promise<number> {
  return (await findPayoutFeeTaken(tx, payout)) || payout.fee
}

/**
 * The provider has shown that it paid what had been given back: the wallet pays again as far as it goes, the rest is owed. Refuses with 409
 * one that was not given back, and another amount than was asked for.
 */
export async function countAsPaidAfterAll(
  tx: Tx,
  key: { home: number; id: string },
  details: Record<string, unknown>,
  cause: Cause,
): Promise<void> {
  const payout = await lockGivenBack(tx, key)
  if (paidThere(payout, details) !== payout.amount) {
    throw new Refusal(409, 'invalid_state', 'The provider paid a different amount than the payout. Write off what it paid.')
  }
  const { merchantId } = payout
  if (merchantId === null) {
    throw new Refusal(409, 'invalid_state', 'A return to a payer has no merchant to debit. Write off what was paid.')
  }
  await openWallet(tx, payout)
  const providerFee = await feeThere(tx, payout)
  const { wallet } = await lockAccounts(tx, { ...payout, merchantId })
  await payOutAgain(tx, payout, cause, { fromWallet: Math.min(wallet, payout.amount + payout.fee), providerFee })
  await release(tx, payout, 'completed', { lateSuccess: 'booked' })
}

/** As above, and the merchant does not pay for it: what left there is booked to loss, and the payout stays as it is. */
export async function writeOffPaid(
  tx: Tx,
  key: { home: number; id: string },
  details: Record<string, unknown>,
  cause: Cause,
): Promise<void> {
  const payout = await lockGivenBack(tx, key)
  await openWallet(tx, payout)
  await writeOff(tx, payout, cause, { amount: paidThere(payout, details), fee: await feeThere(tx, payout) })
  await release(tx, payout, payout.status, { lateSuccess: 'written_off' })
}

/** Asks the provider once more; what it says settles, or opens its break anew. Refuses with 409 one that has ended. */
export async function askPayoutAgain(tx: Tx, key: { home: number; id: string }): Promise<void> {
  const payout = await lockUndecided(tx, key)
  // One that waits for approval was never sent: it goes on waiting.
  await release(tx, payout, payout.status, { nextAttemptSeconds: payout.approval === 'required' ? null : 0 })
}
