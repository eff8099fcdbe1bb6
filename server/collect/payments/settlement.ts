/**
 * What was learned about the charge of one payment, and the settlement that applies it. Pure: `settlement-row.ts` turns a settlement into
 * the columns of the statement in `settle.sql.ts`.
 */
import type { ChargeState, FailureCode, PaymentStatus } from '../../domain/payment.ts'
import type { Environment } from '../../domain/environment.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import type { ChargeSnapshot } from '../../money/providers/provider.ts'

export type SettlementSource = {
  home: number
  paymentId: string
  environment: Environment
  provider: string
  /** What moves the payment: `provider:webhook`, `provider:poll`, … */
  actor: string
  requestId: string
  inboxEventId?: string
  /**
   * Set for a webhook, which anyone with the signing secret could write: it credits nothing by itself when the amount is above this (TZS),
   * differs from the order, or the payment has ended differently. Omitted for the provider's answer to our own call.
   */
  confirmAbove?: number
}

/** The provider's record of the charge, from its answer to our call, its message or its list. */
export type ProviderRecord = {
  kind: 'provider_record'
  snapshot: ChargeSnapshot
  /** Our time limit is over, and the provider says that the charge has not succeeded. It may still succeed late. */
  expires: boolean
  /** When to query again while the provider has not reported an end; null: not again. */
  nextAttemptSeconds: number | null
}

/** How a payment ends whose charge does not exist. */
export type UnchargedEnd = { toStatus: 'expired' } | { toStatus: 'failed'; failureCode: FailureCode; failureText: string | null }

/** `nextAttemptSeconds`: when to send or query again. `attempts`: how often the charge was claimed when this was learned. */
export type Learned =
  | ProviderRecord
  /** Our call may have made a charge. `reference`: its error named one. */
  | { kind: 'outcome_unknown'; reference: string | null; nextAttemptSeconds: number }
  /** Our call or our query taught nothing. */
  | { kind: 'no_answer'; to: 'charge' | 'query'; nextAttemptSeconds: number }
  /** No call has started anything so far: the charge takes this state and is sent later. */
  | { kind: 'not_started'; chargeState: ChargeState; attempts: number; nextAttemptSeconds: number }
  /** Proof that there is no charge, and that it will not be sent again. */
  | { kind: 'no_charge'; end: UnchargedEnd; attempts: number }
  /** The payer cancelled before anything was sent. The caller holds the lock under which that is certain. */
  | { kind: 'cancelled_unsent' }
  /** An operator has established that the provider has no charge. */
  | { kind: 'declared_uncharged' }

/** The changes to apply to one payment. Its ids are made before, so that the statement does the same work when it is retried. */
export type Settlement = SettlementSource & {
  learned: Learned
  movementId: string
  transferId: string
  feeTransferId: string
}

export function newSettlement(source: SettlementSource, learned: Learned): Settlement {
  return {
    ...source,
    learned,
    movementId: newMoneyId(source.home),
    transferId: newMoneyId(source.home),
    feeTransferId: newMoneyId(source.home),
  }
}

/** The status that a provider's record asks for; null: no transition, only the charge is recorded. */
export const statusOfSnapshot: Record<ChargeSnapshot['status'], PaymentStatus | null> = {
  // A provider that has accepted the charge and prompts the payer leaves the payment pending.
  pending: null,
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  voided: 'voided',
  expired: 'expired',
  unrecognised: null,
}

/** The provider's record names another payment of ours. */
export function namesAnother({ paymentId }: { paymentId: string }, { ourReference }: ChargeSnapshot): boolean {
  return ourReference !== null && ourReference !== toWire('pay', paymentId)
}

/** The settlement for a snapshot. `nextAttemptSeconds`: when to query again while the provider has not reported an end. */
export function settlementOf(source: SettlementSource, snapshot: ChargeSnapshot, nextAttemptSeconds: number): Settlement {
  return newSettlement(source, { kind: 'provider_record', snapshot, expires: false, nextAttemptSeconds })
}

/**
 * The settlement for the answer to a query. A payment expires only when both hold: our time limit is over, and the provider itself says
 * that it has not succeeded. It may still succeed late.
 */
export function settlementOfAnswer(
  source: SettlementSource,
  snapshot: ChargeSnapshot,
  { isPastExpiry, nextAttemptSeconds }: { isPastExpiry: boolean; nextAttemptSeconds: number | null },
): Settlement {
  const isOpenThere = snapshot.status === 'pending' || snapshot.status === 'processing'
  return newSettlement(source, { kind: 'provider_record', snapshot, expires: isPastExpiry && isOpenThere, nextAttemptSeconds })
}

/** The content of an answer to a first call that says only that the provider has the charge. */
export type Acceptance = Pick<SettlementSource, 'home' | 'paymentId' | 'environment' | 'provider'> & {
  reference: string
  nextAttemptSeconds: number
  providerExpiresAt: Date | null
}

/** The acceptance for an answer to a first call that says only that the provider has the charge; undefined when the answer says more. */
export function acceptanceOf(
  source: SettlementSource,
  snapshot: ChargeSnapshot,
  nextAttemptSeconds: number,
): Acceptance | undefined {
  if (snapshot.reference === null || statusOfSnapshot[snapshot.status] !== null || namesAnother(source, snapshot))
    return undefined
  const { home, paymentId, environment, provider } = source
  return {
    home,
    paymentId,
    environment,
    provider,
    reference: snapshot.reference,
    nextAttemptSeconds,
    providerExpiresAt: snapshot.expiresAt,
  }
}
