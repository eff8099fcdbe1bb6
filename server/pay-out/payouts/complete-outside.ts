/** A refund that the merchant gave back by its own means is complete: no order is sent, and no account of the ledger moves. */
import type { Tx } from '../../platform/db/db.ts'
import type { Payout } from './payout.ts'
import { updatePayout } from './payout.sql.ts'

/** Needs no approval, or has it. This transaction has stored or locked the refund. */
export async function completeOutside(tx: Tx, refund: Payout): Promise<void> {
  await updatePayout(tx, refund, {
    status: 'completed',
    held: refund.held,
    network: refund.network,
    failureCode: null,
    failureText: null,
    state: 'withdrawn',
    providerReference: null,
    nextAttemptSeconds: null,
  })
}
