/**
 * Applies operators' decisions about a payout, within the transaction of the decision. Invariant: it moves the money once, as the
 * provider's message would have, or makes the provider be queried again.
 */
import type { PayoutStatus } from '../../domain/payout.ts'
import { lockAccounts, openWallet } from '../../money/ledger/account.sql.ts'
import { findPayoutCorrection, findPayoutFeeTaken, findWrittenOff } from '../../money/ledger/transfer.sql.ts'
import { correctRefunded } from '../../collect/payments/refund-source.sql.ts'
import type { Tx } from '../../platform/db/db.ts'
import { invalidState } from '../../platform/refusal.ts'
import { returnsToWallet, type LateSuccess } from './payout.ts'
import { lockPayout, updatePayout, type OrderedPayout } from './payout.sql.ts'
import {
  correctPaid,
  returnReserved,
  payOut,
  payOutAgain,
  returnPaid,
  returnWrittenOff,
  writeOff,
  type Cause,
} from './post-payout.ts'

async function lockUndecided(tx: Tx, key: { home: number; id: string }): Promise<OrderedPayout> {
  const payout = await lockPayout(tx, key)
  // A payout is still pending if the provider's message arrived before the answer to our own call.
  if (payout?.status !== 'processing' && payout?.status !== 'pending') {
    throw invalidState(
      'This payout has already ended. There is nothing left to decide.',
      'Malipo haya ya nje yameshamalizika. Hakuna cha kuamua.',
    )
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

/** TZS that the provider paid, by its record; the requested amount if the record has none. */
function paidThere(payout: OrderedPayout, details: Record<string, unknown>): number {
  return typeof details['amount'] === 'number' ? details['amount'] : payout.amount
}

/**
 * The provider has shown that the recipient has the money: the reserved money leaves. Refuses with 409 a payout that has ended, and an
 * amount other than the requested one: the books would have our amount, and the provider's message about its own amount would count as
 * already decided.
 */
export async function countAsPaid(
  tx: Tx,
  key: { home: number; id: string },
  details: Record<string, unknown>,
  cause: Cause,
): Promise<void> {
  const payout = await lockUndecided(tx, key)
  if (paidThere(payout, details) !== payout.amount) {
    throw invalidState(
      'The provider paid a different amount than the payout. Follow the provider, so that the books have the amount that it paid.',
      'Mtoa huduma alilipa kiasi tofauti na cha malipo haya ya nje. Mfuate mtoa huduma, ili vitabu viwe na kiasi alicholipa.',
    )
  }
  await payOut(tx, payout, cause, null)
  await release(tx, payout, 'completed')
}

/**
 * The provider has shown that it paid `paid` TZS: the wallet gets back what it paid less, or pays what it paid more as far as it can, and
 * the rest is owed. A payout in flight is completed. Refuses with 409 a payout whose money was returned, and an amount that is booked.
 */
export async function countAsPaidThere(tx: Tx, key: { home: number; id: string }, paid: number, cause: Cause): Promise<void> {
  const payout = await lockPayout(tx, key)
  if (!payout || returnsToWallet.has(payout.status)) {
    throw invalidState(
      'The money of this payout was returned, so its amount cannot be corrected.',
      'Pesa ya malipo haya ya nje ilirudishwa, kwa hiyo kiasi chake hakiwezi kusahihishwa.',
    )
  }
  const { home, merchantId, refundOf: paymentId } = payout
  const more = paid - payout.amount - (await findPayoutCorrection(tx, payout))
  if (more === 0)
    throw invalidState(
      'The payout already matches the provider’s record.',
      'Malipo haya ya nje tayari yanalingana na rekodi ya mtoa huduma.',
    )
  // The payment is locked before the accounts.
  if (paymentId !== null) await correctRefunded(tx, { home, paymentId, amount: more })
  if (payout.status !== 'completed') await payOut(tx, payout, cause, null)
  await openWallet(tx, payout)
  const wallet = merchantId === null ? more : (await lockAccounts(tx, { ...payout, merchantId })).wallet
  await correctPaid(tx, payout, cause, more, Math.max(0, more - wallet))
  await release(tx, payout, 'completed')
}

/**
 * The provider has shown that nothing was paid and never will be: the wallet gets everything back. Refuses with 409 a payout that has
 * ended.
 */
export async function countAsNotPaid(tx: Tx, key: { home: number; id: string }, cause: Cause): Promise<void> {
  const payout = await lockUndecided(tx, key)
  await returnReserved(tx, payout, cause)
  await release(tx, payout, 'failed')
}

/**
 * The provider has shown that a payout it had reported as paid came back: the wallet gets everything back. Refuses with 409 a payout that
 * is not completed.
 */
export async function countAsReturned(tx: Tx, key: { home: number; id: string }, cause: Cause): Promise<void> {
  const payout = await lockPayout(tx, key)
  if (payout?.lateSuccess === 'written_off') {
    await openWallet(tx, payout)
    await returnWrittenOff(tx, payout, cause, await findWrittenOff(tx, payout))
    return release(tx, payout, payout.status, { lateSuccess: null })
  }
  if (payout?.status !== 'completed') {
    throw invalidState(
      'This payout is not completed, so it cannot be reversed.',
      'Malipo haya ya nje hayajakamilika, kwa hiyo hayawezi kurudishwa.',
    )
  }
  await returnPaid(tx, payout, cause, await findPayoutFeeTaken(tx, payout))
  await release(tx, payout, 'reversed')
}

/** Takes back an earlier write-off, because the provider now shows another amount. */
async function lockReturned(tx: Tx, key: { home: number; id: string }, cause: Cause): Promise<OrderedPayout> {
  const payout = await lockPayout(tx, key)
  if (!payout || !returnsToWallet.has(payout.status)) {
    throw invalidState(
      'The money of this payout was not returned to the wallet, so it cannot be debited again.',
      'Pesa ya malipo haya ya nje haikurudi kwenye pochi, kwa hiyo haiwezi kukatwa tena.',
    )
  }
  await openWallet(tx, payout)
  if (payout.lateSuccess === 'written_off') await returnWrittenOff(tx, payout, cause, await findWrittenOff(tx, payout))
  return payout
}

/** The fee that was taken before the money came back, otherwise the quoted one: no other fee was reported. */
async function feeThere(tx: Tx, payout: OrderedPayout): Promise<number> {
  return (await findPayoutFeeTaken(tx, payout)) || payout.fee
}

/**
 * The provider has shown that it paid a payout whose money had been returned: the wallet pays again as far as it can, the rest is owed.
 * Refuses with 409 a payout whose money was not returned, and an amount other than the requested one.
 */
export async function countAsPaidAfterAll(
  tx: Tx,
  key: { home: number; id: string },
  details: Record<string, unknown>,
  cause: Cause,
): Promise<void> {
  const payout = await lockReturned(tx, key, cause)
  if (paidThere(payout, details) !== payout.amount) {
    throw invalidState(
      'The provider paid a different amount than the payout. Write off that amount.',
      'Mtoa huduma alilipa kiasi tofauti na cha malipo haya ya nje. Kiandike kuwa hasara.',
    )
  }
  const { merchantId } = payout
  if (merchantId === null) {
    throw invalidState(
      'A return to a payer has no merchant to debit. Write off the paid amount.',
      'Pesa iliyorudishwa kwa mlipaji haina mfanyabiashara wa kukatwa. Kiandike kiasi kilicholipwa kuwa hasara.',
    )
  }
  const providerFee = await feeThere(tx, payout)
  const { wallet } = await lockAccounts(tx, { ...payout, merchantId })
  await payOutAgain(tx, payout, cause, { fromWallet: Math.min(wallet, payout.amount + payout.fee), providerFee })
  await release(tx, payout, 'completed', { lateSuccess: 'booked' })
}

/** As above, but the merchant does not pay for it: the money that left there is booked to loss, and the payout does not change. */
export async function writeOffPaid(
  tx: Tx,
  key: { home: number; id: string },
  details: Record<string, unknown>,
  cause: Cause,
): Promise<void> {
  const payout = await lockReturned(tx, key, cause)
  await writeOff(tx, payout, cause, { amount: paidThere(payout, details), fee: await feeThere(tx, payout) })
  await release(tx, payout, payout.status, { lateSuccess: 'written_off' })
}

/**
 * Makes the provider be queried again; its answer settles the payout or opens its break again. Refuses with 409 a payout that has ended.
 */
export async function queryPayoutAgain(tx: Tx, key: { home: number; id: string }): Promise<void> {
  const payout = await lockUndecided(tx, key)
  // A payout that waits for approval was never sent: it continues to wait.
  await release(tx, payout, payout.status, { nextAttemptSeconds: payout.approval === 'required' ? null : 0 })
}
