/**
 * Requests a refund of a payment: a payout to the phone that paid, or the record that the merchant gave the money back itself. Invariant:
 * the refunds of a payment that have not failed never exceed what was credited for it, however many requests arrive at once.
 */
import { shillings } from '../../domain/currency.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { findRefundSource, lockRefundSource, takeForRefund, type RefundSource } from '../../collect/payments/refund-source.sql.ts'
import { readPhone } from '../../domain/phone.ts'
import type { PayoutMethod, PayoutWarning } from '../../domain/payout.ts'
import { violates, type Tx } from '../../platform/db/db.ts'
import { invalidFields, invalidState, must, Refusal } from '../../platform/refusal.ts'
import { leastOf } from '../../money/providers/provider.ts'
import { refundIdOf } from './payout.ts'
import {
  amountErrors,
  orderOnce,
  type PayoutCaller,
  type RequestedPayout,
  type RequestPayoutDeps,
  type WantedOrder,
} from './request-payout.ts'
import { hashOf } from '../../platform/crypto/hash-of.ts'

export type RefundRequest = {
  paymentId: string
  method: PayoutMethod
  /** TZS; null: what is left of the payment. */
  amount: number | null
  reason: string | null
  merchantReference: string | null
  idempotencyKey: string
}

function exceeds(refundable: number): Refusal {
  const message = `${shillings(refundable)} of this payment can still be refunded.`
  return new Refusal(409, 'refund_exceeds_payment', message, { param: 'amount', details: { refundable } })
}

/** What to check about a refund after which this much of its payment is left (TZS). */
export const restWarnings = (rest: number, least: number): PayoutWarning[] =>
  rest > 0 && rest < least ? ['rest_below_minimum'] : []

/** The owner’s payment, if it can be refunded now; refuses with 409. `amount`: TZS; null: what is left. */
async function readSource(
  db: Tx | RequestPayoutDeps['db'],
  owner: Owner,
  paymentId: string,
  amount: number | null,
): Promise<RefundSource & { amount: number }> {
  const source = must(await findRefundSource(db, owner, paymentId), 'the owner’s payment stays')
  if (source.status !== 'completed')
    throw invalidState('Only a completed payment can be refunded.', 'Malipo yaliyokamilika tu ndiyo yanaweza kurudishwa.')
  if (source.isCreditReversed)
    throw invalidState(
      'The credit of this payment was taken back, so it cannot be refunded.',
      'Pesa ya malipo haya imeondolewa kwenye pochi, kwa hiyo haiwezi kurudishwa kwa mlipaji.',
    )
  if (source.isUnderReview)
    throw invalidState(
      'This payment is under review. It can be refunded when the review has ended.',
      'Malipo haya yanakaguliwa. Yanaweza kurudishwa ukaguzi ukimalizika.',
    )
  if (readPhone(source.phoneNumber).kind !== 'mobile')
    throw invalidState('The payer of this payment was erased.', 'Taarifa za mlipaji wa malipo haya zimefutwa.')
  if (source.refundable < (amount ?? 1)) throw exceeds(source.refundable)
  return { ...source, amount: amount ?? source.refundable }
}

/**
 * Reserves the money and stores the refund; the caller sends it. Refuses as `orderOnce` does, with 409 a payment that cannot be refunded
 * or not by this amount, with 400 an amount below the provider's minimum.
 */
export async function requestRefund(
  deps: RequestPayoutDeps,
  caller: PayoutCaller,
  request: RefundRequest,
): Promise<RequestedPayout> {
  const { owner } = caller
  const { paymentId, method, reason, merchantReference, idempotencyKey } = request
  const { home } = owner.merchant
  const prepare = async (): Promise<WantedOrder> => {
    const { amount, refundable, phoneNumber, network, customerName } = await readSource(deps.db, owner, paymentId, request.amount)
    const least = method === 'outside' ? 1 : leastOf(deps.providers[owner.environment].payouts)
    const errors = amountErrors(amount, least)
    if (errors.length > 0) throw invalidFields(errors, errors[0]!.code, errors[0]!.message)
    return {
      id: refundIdOf(owner, paymentId, idempotencyKey),
      purpose: 'refund',
      method,
      refundOf: paymentId,
      reason,
      batchId: null,
      batchRow: null,
      amount,
      phoneNumber,
      network,
      // Providers require a name.
      recipientName: customerName ?? 'Customer',
      narration: 'Refund',
      reference: merchantReference,
      metadata: {},
      // The money goes back to the phone that paid: no one typed its name.
      warnings: restWarnings(refundable - amount, least),
      async take(tx) {
        await lockRefundSource(tx, owner, paymentId)
        // Since the request began, the payer may have been erased.
        await readSource(tx, owner, paymentId, amount)
        await takeForRefund(tx, { home, paymentId, amount })
      },
    }
  }
  const order = {
    // Apart from the keys of payouts, which are hashed alone.
    idempotencyHash: hashOf(['refund', paymentId, idempotencyKey]),
    requestHash: hashOf([request.amount, reason, merchantReference, ...(method === 'outside' ? [method] : [])]),
    prepare,
  }
  try {
    return await orderOnce(deps, caller, order)
  } catch (error) {
    if (!violates(error, 'payments_refunds_within_amount')) throw error
    throw exceeds((await findRefundSource(deps.db, owner, paymentId))?.refundable ?? 0)
  }
}
