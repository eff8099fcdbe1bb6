/**
 * Resolves breaks about money that only the provider knew: it is credited to the payment that it was paid for. Invariant: money that leaves
 * `unallocated` is credited in the same transaction, and its charge is bound to that payment and to no other.
 */
import type { Origin } from '../../base/audit/audit.ts'
import { releaseFoundMoney } from '../../collect/payments/found-money.ts'
import type { Break } from '../../money/breaks/break.ts'
import { bindCredited, creditReceived } from '../../collect/payments/credit-received.sql.ts'
import { lockPayment } from '../../collect/payments/payment.sql.ts'
import { freeRecord } from '../../collect/payments/record-owner.sql.ts'
import { waitingKey } from '../../collect/payments/settle.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { fromWire, homeOfId, newMoneyId } from '../../platform/ids.ts'
import { assert, invalidFields, invalidState, Refusal } from '../../platform/refusal.ts'
import { findChargeFacts, isBehind, type ChargeFacts } from './break-subject.sql.ts'

/**
 * The payment that a proposal names, if the money of the break can be credited to it. Refuses with 400 a payment that does not exist in the
 * break's environment, with 409 one that is completed, held or still in flight at its provider, with 403 the operator's own.
 */
export async function findCreditable(db: Runner, one: Break, reference: string, userId: string): Promise<ChargeFacts> {
  const id = fromWire('pay', reference)
  const payment = id === undefined ? undefined : await findChargeFacts(db, { home: homeOfId(id), id })
  if (!payment || payment.environment !== one.environment) {
    throw invalidFields([
      { field: 'payment_reference', code: 'invalid', message: 'This payment does not exist in the environment of the break.' },
    ])
  }
  const subject = { home: payment.home, paymentId: payment.id, payoutId: null }
  if (await isBehind(db, userId, subject)) {
    throw new Refusal(403, 'self_approval_forbidden', 'This is about your own money. Another operator must decide.')
  }
  if (payment.status === 'completed')
    throw invalidState(
      'This payment is completed and already credited.',
      'Malipo haya yamekamilika, na pesa imeshaingia kwenye pochi.',
    )
  if (payment.held)
    throw invalidState(
      'Other money is in suspense for this payment. Resolve that break first.',
      'Kuna pesa nyingine ya malipo haya iliyowekwa pembeni. Tatua kwanza tofauti yake.',
    )
  if (payment.provider !== one.provider)
    throw invalidState('This payment was charged by a different provider.', 'Malipo haya yalipitia kwa mtoa huduma mwingine.')
  const isInFlight = payment.status === 'pending' || payment.status === 'processing'
  if (isInFlight && payment.providerReference !== null && payment.providerReference !== one.providerReference) {
    throw invalidState(
      'The charge of this payment has not ended. Wait until it has.',
      'Malipo haya bado hayajamalizika kwa mtoa huduma. Subiri yamalizike.',
    )
  }
  return payment
}

/** Completes the payment with the money of the break, in any home. */
export async function creditFoundMoney(tx: Tx, one: Break, payment: ChargeFacts, { actor, requestId }: Origin): Promise<void> {
  const { provider, providerReference: reference, environment } = one
  assert(provider !== null && reference !== null, 'a record of a provider has a reference')
  const { home, id: paymentId } = payment
  // In the order of settling: the payment before the accounts.
  await lockPayment(tx, { home, paymentId })
  const { amount, fee } = await releaseFoundMoney(tx, one, { actor, requestId })
  if (amount <= 0)
    throw invalidState('No money of this break is in unallocated.', 'Hakuna pesa ya tofauti hii kati ya pesa zisizo na mwenyewe.')
  await freeRecord(tx, { provider, environment, reference }, one)
  const credit = {
    home,
    paymentId,
    amount,
    fee,
    from: 'provider_clearing',
    movementId: newMoneyId(home),
    transferId: newMoneyId(home),
    feeTransferId: newMoneyId(home),
    actor,
    requestId,
  } as const
  if (!(await creditReceived(tx, credit, waitingKey(paymentId))))
    throw invalidState('This payment can no longer be completed.', 'Malipo haya hayawezi kukamilishwa tena.')
  await bindCredited(tx, { home, paymentId, provider, environment, reference })
}
