/**
 * Compares a record of a provider's list with our record. Invariant: every conclusion is proven by the record. A proof goes through settle
 * like any other answer.
 */
import type { PaymentStatus } from '../../domain/payment.ts'
import type { BreakKind } from '../../domain/break.ts'
import type { Environment } from '../../domain/environment.ts'
import { endStatuses } from '../../collect/payments/payment.ts'
import type { ChargeSnapshot } from '../../money/providers/provider.ts'

/** The payment that a record names, or whose reference it has. */
export type OurCharge = {
  home: number
  id: string
  environment: Environment
  status: PaymentStatus
  /** TZS that are booked for it now, after all decisions of operators; before its credit, TZS that it would be credited with. */
  amount: number
  currency: string
  held: boolean
  /** The reference that we have for it; null while it is unknown. */
  providerReference: string | null
  hasFee: boolean
  isPastExpiry: boolean
  /** The payment was completed after the record was read, so an open record proves nothing about it. */
  isNewer: boolean
}

export type Judgement =
  | { kind: 'matched' }
  /** It matches no record of ours, and no money moved: the provider's account may serve others too. Earlier it may have shown money. */
  | { kind: 'idle' }
  /** It succeeded without an amount, or with a value that no provider sends. */
  | { kind: 'unreadable' }
  | { kind: 'settle' }
  | { kind: 'break'; breakKind: BreakKind; ours: { status: string; amount: number } | null }

const failedThere: ReadonlySet<ChargeSnapshot['status']> = new Set(['failed', 'voided', 'expired'])

export function judgeCharge(record: ChargeSnapshot, ours: OurCharge | undefined, environment: Environment): Judgement {
  if (!ours) {
    // A charge that ended without money is of no interest. A charge that succeeded, or still may, is money that we do not expect.
    return failedThere.has(record.status) ? { kind: 'idle' } : { kind: 'break', breakKind: 'unknown_at_provider', ours: null }
  }
  // A record that names one payment but has another environment or reference goes to settle, which refuses it with a break.
  const fits = ours.environment === environment && (ours.providerReference ?? record.reference) === record.reference
  // A charge that ended without money, beside the one that was credited, proves nothing about the payment.
  if (!fits) return ours.status === 'completed' && failedThere.has(record.status) ? { kind: 'matched' } : { kind: 'settle' }
  if (record.status === 'unrecognised') return { kind: 'unreadable' }
  // Its money lies in suspense, and its break is open.
  if (ours.held) return { kind: 'matched' }
  if (ours.status === 'completed') {
    const { status, amount } = ours
    const differs: Judgement = { kind: 'break', breakKind: 'settled_differs', ours: { status, amount } }
    // Nothing is booked any more: operators have taken the credit back.
    if (record.status !== 'completed') return ours.isNewer || amount === 0 ? { kind: 'matched' } : differs
    if (record.amount === null || record.currency === null) return { kind: 'unreadable' }
    if (record.amount !== amount || record.currency !== ours.currency) return differs
    return record.fee !== null && record.fee > 0 && !ours.hasFee ? { kind: 'settle' } : { kind: 'matched' }
  }
  if (record.status === 'completed') return { kind: 'settle' }
  if (ours.providerReference === null) return { kind: 'settle' }
  if (endStatuses.has(ours.status)) return { kind: 'matched' }
  return failedThere.has(record.status) || ours.isPastExpiry ? { kind: 'settle' } : { kind: 'matched' }
}
