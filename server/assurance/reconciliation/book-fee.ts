/**
 * Books fees that were unknown when their money moved: fees that two operators have accepted, in the transaction of their decision, and
 * fees of money that lies in suspense or was returned. Invariant: a charge has one fee.
 */
import { openFeeBreak, type FeeFinding } from '../../money/breaks/break.sql.ts'
import type { Break } from '../../money/breaks/break.ts'
import { findPayoutFeeTaken, postSteps, type Step } from '../../money/ledger/transfer.sql.ts'
import { findCredited } from '../../collect/payments/credit-received.sql.ts'
import { lockCreditedPayment } from '../../collect/payments/payment.sql.ts'
import { lockRecord } from '../../collect/payments/record-owner.sql.ts'
import { lockHeldMoney } from '../../collect/payments/release-held.sql.ts'
import { lockPayout } from '../../pay-out/payouts/payout.sql.ts'
import type { Tx } from '../../platform/db/db.ts'
import { newMoneyId } from '../../platform/ids.ts'
import { assert, invalidState } from '../../platform/refusal.ts'
import { isFeeDoubtful } from '../../money/providers/fee.ts'

type Cause = { actor: string; requestId: string }

/** Refuses with 409 a charge whose money has not arrived, and a charge whose fee is already booked. */
async function refuseBookedFee(tx: Tx, payment: { home: number; paymentId: string }): Promise<{ pageId?: string }> {
  const credited = await lockCreditedPayment(tx, payment)
  const held = credited ? undefined : await lockHeldMoney(tx, payment)
  if (!credited && !held?.putAside)
    throw invalidState(
      'No money was received for this payment, so there is no fee to book.',
      'Hakuna pesa iliyopokelewa kwa malipo haya, kwa hiyo hakuna makato ya kuweka vitabuni.',
    )
  if (credited?.hasFee || held?.fee)
    throw invalidState('A fee of this payment is already booked.', 'Makato ya malipo haya yameshawekwa vitabuni.')
  return credited ?? {}
}

/** The part of a fee that is not booked yet, with its accounts. */
async function stepOf(tx: Tx, { home, paymentId, payoutId }: Break, fee: number): Promise<Step & { pageId?: string }> {
  const taken = { debit: 'provider_fees', credit: 'provider_clearing' } as const
  if (paymentId !== null) {
    const { pageId } = await refuseBookedFee(tx, { home, paymentId })
    return { kind: 'provider_fee', ...taken, amount: fee, pageId }
  }
  assert(payoutId, 'a break about a fee names a payment or a payout')
  const payout = await lockPayout(tx, { home, id: payoutId })
  if (payout?.status !== 'completed')
    throw invalidState(
      'This payout is not completed, so there is no fee to book.',
      'Malipo haya ya nje hayajakamilika, kwa hiyo hakuna makato ya kuweka vitabuni.',
    )
  // The quoted fee was booked when the payout completed.
  const rest = fee - (await findPayoutFeeTaken(tx, payout))
  const isReturn = payout.purpose === 'return_to_payer'
  if (rest >= 0) return { kind: isReturn ? 'return_fee' : 'payout_provider_fee', ...taken, amount: rest }
  const kind = isReturn ? 'return_fee_brought_back' : 'payout_provider_fee_returned'
  return { kind, debit: 'provider_clearing', credit: 'provider_fees', amount: -rest }
}

/** Refuses with 409 a charge that was neither credited nor set aside, a payout that is not completed, and a charge whose fee is booked. */
export async function bookFee(tx: Tx, one: Break, { actor, requestId }: Cause): Promise<void> {
  const { home, environment, paymentId, payoutId, id: breakId } = one
  const { fee } = one.details
  assert(typeof fee === 'number' && fee > 0, 'a break about a fee says how much it is')
  const step = await stepOf(tx, one, fee)
  const subject = { ...(paymentId !== null && { paymentId }), ...(payoutId !== null && { payoutId }) }
  const { pageId, ...move } = step
  await postSteps(tx, { home, environment, pageId, ...subject, merchantId: null, breakId, actor, requestId }, [move])
}

/** The amount that was set aside or credited for a charge and still counts, in TZS; undefined when there is none, or a fee is booked. */
async function findWithoutFee(tx: Tx, payment: { home: number; paymentId: string }): Promise<number | undefined> {
  const held = await lockHeldMoney(tx, payment)
  if (held) return held.fee === 0 ? held.putAside : undefined
  const credited = await findCredited(tx, payment)
  const counts = credited?.status === 'completed' && credited.creditReversedAt === null && credited.fee === 0
  return counts ? credited.credited : undefined
}

/**
 * Books the fee of a charge whose money was set aside, or corrected by operators, before a record named the fee. Books nothing when a fee
 * is booked, or when the record names another amount. A doubtful fee waits for operators: returns true when a break was opened for it.
 * Amounts in TZS. Safe in parallel with an answer that names the fee: the payment is locked before its fee is read, and the unique index of
 * a payment's fee makes settlement see ours.
 */
export async function bookMissingFee(tx: Tx, found: FeeFinding, cause: Cause): Promise<boolean> {
  const { home, environment, paymentId, amount, fee, expectedFee } = found
  await lockRecord(tx, found, { home, paymentId })
  if ((await findWithoutFee(tx, found)) !== amount) return false
  if (isFeeDoubtful(amount, fee, expectedFee)) return openFeeBreak(tx, found, newMoneyId(home))
  const taken = { kind: 'provider_fee', debit: 'provider_fees', credit: 'provider_clearing', amount: fee } as const
  await postSteps(tx, { home, environment, paymentId, merchantId: null, ...cause }, [taken])
  return false
}
