/**
 * What operators decide about a payout that people have to decide on, within the transaction of their decision. Invariant: it moves the
 * money as the provider's word would have, once, or lets the provider be asked again.
 */
import { findPayoutFeeTaken } from '../ledger/transfer.sql.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusal.ts'
import type { PayoutStatus } from './payout.ts'
import { lockPayout, updatePayout, type OrderedPayout } from './payout.sql.ts'
import { giveBack, payOut, takeBack } from './post-payout.ts'

type Cause = { actor: string; requestId: string }

async function lockUndecided(tx: Tx, key: { home: number; id: string }): Promise<OrderedPayout> {
  const payout = await lockPayout(tx, key)
  // One that is still pending was spoken of before the answer to our own call was here.
  if (payout?.status !== 'processing' && payout?.status !== 'pending') {
    throw new Refusal(409, 'invalid_state', 'This payout is not under way any more: nothing is left to decide.')
  }
  return payout
}

async function release(
  tx: Tx,
  payout: OrderedPayout,
  status: PayoutStatus,
  nextCheckSeconds: number | null = null,
): Promise<void> {
  await updatePayout(tx, payout, {
    status,
    held: false,
    network: payout.network,
    failureCode: status === 'failed' ? 'provider_error' : null,
    failureText: null,
    state: payout.providerReference === null ? payout.state : 'accepted',
    providerReference: payout.providerReference,
    nextCheckSeconds,
  })
}

/** The provider has shown that the recipient has the money: what was set aside leaves. Refuses with 409 one that has ended. */
export async function countAsPaid(tx: Tx, key: { home: number; id: string }, cause: Cause): Promise<void> {
  const payout = await lockUndecided(tx, key)
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
  if (payout?.status !== 'completed') {
    throw new Refusal(409, 'invalid_state', 'This payout is not counted as paid: nothing can come back of it.')
  }
  await takeBack(tx, payout, cause, await findPayoutFeeTaken(tx, payout))
  await release(tx, payout, 'reversed')
}

/** Asks the provider once more; what it says settles, or opens its break anew. Refuses with 409 one that has ended. */
export async function askPayoutAgain(tx: Tx, key: { home: number; id: string }): Promise<void> {
  const payout = await lockUndecided(tx, key)
  // One that waits for approval was never sent: it goes on waiting.
  await release(tx, payout, payout.status, payout.approval === 'required' ? null : 0)
}
