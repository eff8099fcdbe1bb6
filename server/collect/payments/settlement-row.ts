/** A settlement as one row of the statement in `settle.sql.ts`. The only place that knows what each kind of news leaves empty. */
import type { ChargeState, FailureCode, PaymentStatus } from '../../domain/payment.ts'
import type { Network } from '../../domain/network.ts'
import { isFeeDoubtful } from '../../money/providers/fee.ts'
import { partsOfReceipt } from './receipt-parts.ts'
import { namesAnother, statusOfSnapshot, type Settlement } from './settlement.ts'

export const settlementColumns = {
  home: 'smallint',
  paymentId: 'uuid',
  environment: 'text',
  provider: 'text',
  reference: 'text',
  namesAnother: 'boolean',
  toStatus: 'text',
  isFinal: 'boolean',
  onlyUnbound: 'boolean',
  onlyAtAttempts: 'integer',
  confirmAbove: 'bigint',
  chargeState: 'text',
  amount: 'bigint',
  currency: 'text',
  fee: 'bigint',
  feeDiffers: 'boolean',
  expectedFee: 'bigint',
  network: 'text',
  networkReceipt: 'text',
  receiptParts: 'text',
  failureCode: 'text',
  failureText: 'text',
  providerExpiresAt: 'timestamptz',
  nextAttemptSeconds: 'double precision',
  movementId: 'uuid',
  transferId: 'uuid',
  feeTransferId: 'uuid',
  actor: 'text',
  requestId: 'text',
  inboxEventId: 'text',
} as const

/** What was learned, as columns. Amounts in TZS. */
type LearnedColumns = {
  reference: string | null
  /** The provider's record names another payment of ours. */
  namesAnother: boolean
  /** Null: no transition, only the charge is recorded. */
  toStatus: PaymentStatus | null
  /** The provider's own final answer, or the proof that there is no charge: a payer who has cancelled then sees this end. */
  isFinal: boolean
  /** Apply only while no reference is known: the outcome of a call is dropped if a provider's message has arrived since. */
  onlyUnbound: boolean
  /**
   * Optimistic lock: apply only if `attempts` has this value. A later claim may already have sent the charge, whatever this call has
   * proved about itself. Null: apply for any claim.
   */
  onlyAtAttempts: number | null
  chargeState: ChargeState | null
  amount: number | null
  currency: string | null
  fee: number | null
  /** The fee is implausible: it waits for operators, the credit does not. */
  feeDiffers: boolean
  /** Null: no fee was expected. */
  expectedFee: number | null
  network: Network | null
  /** The number in the network's own message to the payer. */
  networkReceipt: string | null
  /** The parts by which it is searched, with spaces between them. */
  receiptParts: string | null
  failureCode: FailureCode | null
  failureText: string | null
  providerExpiresAt: Date | null
  nextAttemptSeconds: number | null
}

const nothingLearned: LearnedColumns = {
  reference: null,
  namesAnother: false,
  toStatus: null,
  isFinal: false,
  onlyUnbound: false,
  onlyAtAttempts: null,
  chargeState: null,
  amount: null,
  currency: null,
  fee: null,
  feeDiffers: false,
  expectedFee: null,
  network: null,
  networkReceipt: null,
  receiptParts: null,
  failureCode: null,
  failureText: null,
  providerExpiresAt: null,
  nextAttemptSeconds: null,
}

function columnsOfLearned({ paymentId, learned }: Settlement): Partial<LearnedColumns> {
  switch (learned.kind) {
    case 'provider_record': {
      const { snapshot, expires, nextAttemptSeconds } = learned
      const toStatus = statusOfSnapshot[snapshot.status]
      const isOpen = toStatus === null || toStatus === 'processing'
      const { reference, amount, currency, fee, expectedFee = null, network, networkReceipt = null, failure } = snapshot
      return {
        reference,
        namesAnother: namesAnother({ paymentId }, snapshot),
        toStatus: expires ? 'expired' : toStatus,
        isFinal: !isOpen,
        chargeState: 'accepted',
        amount,
        currency,
        fee,
        feeDiffers: fee !== null && amount !== null && isFeeDoubtful(amount, fee, expectedFee),
        expectedFee,
        network,
        networkReceipt,
        receiptParts: networkReceipt && partsOfReceipt(networkReceipt).join(' '),
        failureCode: toStatus === 'failed' ? (failure?.code ?? 'provider_error') : null,
        failureText: failure?.text?.slice(0, 500) ?? null,
        providerExpiresAt: snapshot.expiresAt,
        nextAttemptSeconds: isOpen ? nextAttemptSeconds : null,
      }
    }
    case 'outcome_unknown': {
      const { reference, nextAttemptSeconds } = learned
      return { onlyUnbound: true, toStatus: 'processing', chargeState: 'unknown', reference, nextAttemptSeconds }
    }
    case 'no_answer':
      return { onlyUnbound: learned.to === 'charge', nextAttemptSeconds: learned.nextAttemptSeconds }
    case 'not_started': {
      const { chargeState, attempts: onlyAtAttempts, nextAttemptSeconds } = learned
      return { onlyUnbound: true, onlyAtAttempts, chargeState, nextAttemptSeconds }
    }
    case 'no_charge':
      return { onlyUnbound: true, onlyAtAttempts: learned.attempts, isFinal: true, chargeState: 'rejected', ...learned.end }
    case 'cancelled_unsent':
      return { onlyUnbound: true, isFinal: true, toStatus: 'voided', chargeState: 'rejected' }
    case 'declared_uncharged':
      return { toStatus: 'failed', failureCode: 'provider_error', chargeState: 'rejected' }
  }
}

/** Flattens a settlement; what its news does not say is null. */
export function settlementRow(settlement: Settlement) {
  const { learned: _learned, inboxEventId = null, confirmAbove = null, ...subject } = settlement
  return { ...subject, inboxEventId, confirmAbove, ...nothingLearned, ...columnsOfLearned(settlement) }
}
