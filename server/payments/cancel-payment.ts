/**
 * The payer cancels. Invariant: what was never sent is voided at once and never sent; what may have been sent is only noted, because the
 * prompt can still be answered, and is voided by the provider's own end, if that is no success.
 */
import type { Db } from '../platform/db/db.ts'
import { homeOfId } from '../platform/ids.ts'
import { assert, notFound, Refusal } from '../platform/refusal.ts'
import { lockForCancel, noteCancelRequest } from './payer.sql.ts'
import { endStatuses } from './payment.ts'
import { blankSettlement, waitingKey } from './settle.ts'
import { applySettlements } from './settle.sql.ts'

/** Refuses with 409 `invalid_state` what has ended. */
export async function cancelPayment({ db }: { db: Db }, paymentId: string, requestId: string): Promise<void> {
  const payment = { home: homeOfId(paymentId), id: paymentId }
  await db.tx(async (tx) => {
    const held = await lockForCancel(tx, payment)
    if (!held) throw notFound()
    if (endStatuses.has(held.status)) {
      throw new Refusal(409, 'invalid_state', `This payment is ${held.status} and can no longer be cancelled.`, {
        messageSw: 'Malipo haya yameisha: hayawezi kughairiwa tena.',
      })
    }
    await noteCancelRequest(tx, payment)
    // After a restore it may have left in the time that was lost: it is looked up first.
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
    const item = {
      ...blankSettlement(source),
      onlyUnbound: true,
      isFinal: true,
      toStatus: 'voided',
      chargeState: 'rejected',
    } as const
    // In this transaction, so that no worker takes the charge for one to send between the look at it and its end.
    const [settled] = await applySettlements(tx, [item], waitingKey(paymentId))
    assert(settled?.verdict === 'applied', 'a payment that is held open can be voided')
  })
}
