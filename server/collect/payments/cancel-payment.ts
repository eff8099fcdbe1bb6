/**
 * Cancels a payment for its payer. Invariant: a charge that was certainly never sent is voided at once and is never sent. For a charge
 * that may have been sent, only the request to cancel is stored, because the payer can still answer the prompt; the payment is voided
 * when the provider reports an end other than success.
 */
import type { Db } from '../../platform/db/db.ts'
import { homeOfId } from '../../platform/ids.ts'
import { assert, invalidState, orNotFound } from '../../platform/refusal.ts'
import { lockForCancel, noteCancelRequest } from './payer.sql.ts'
import { endStatuses } from './payment.ts'
import { waitingKey } from './settle.ts'
import { applySettlements } from './settle.sql.ts'
import { newSettlement } from './settlement.ts'

/** Refuses with 409 `invalid_state` when the payment has ended. */
export async function cancelPayment({ db }: { db: Db }, paymentId: string, requestId: string): Promise<void> {
  const payment = { home: homeOfId(paymentId), id: paymentId }
  await db.tx(async (tx) => {
    const held = orNotFound(await lockForCancel(tx, payment))
    if (endStatuses.has(held.status)) {
      throw invalidState(
        `This payment is ${held.status} and can no longer be cancelled.`,
        'Malipo haya yameisha: hayawezi kughairiwa tena.',
      )
    }
    await noteCancelRequest(tx, payment)
    // After a restore, the charge may have been sent during the lost time, so it is looked up at the provider first.
    const isCertainlyUnsent = (held.chargeState === 'unsent' || held.chargeState === 'deferred') && !held.isInRestoreDoubt
    if (!isCertainlyUnsent || held.providerReference !== null) return
    const source = {
      home: payment.home,
      paymentId,
      environment: held.environment,
      provider: held.provider,
      actor: 'payer',
      requestId,
    }
    const item = newSettlement(source, { kind: 'cancelled_unsent' })
    // In this transaction, so that no worker claims the charge for sending between the check and the end of the payment.
    const [settled] = await applySettlements(tx, [item], waitingKey(paymentId))
    assert(settled?.verdict === 'applied', 'a payment that is held open can be voided')
  })
}
