/**
 * Asks the provider about the charge of one payment, for a payer who says that money was taken. Invariant: a success is settled through
 * the one settle path before it is reported, and `no_money` is reported only with a proof: the provider's own word that the charge failed
 * or was voided, or that no charge was ever made. "Not found", silence and an expired charge prove nothing.
 */
import type { Config } from '../../config/config.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { ChargeAnswer, ChargeQueryPriority, ChargeSnapshot, Providers } from '../../money/providers/provider.ts'
import { findKnownCharge, type KnownCharge } from './ask-charge.sql.ts'
import { checkDelay } from '../../config/payments.ts'
import type { PaymentKey } from './code.sql.ts'
import { endStatuses, lateCheckSeconds } from './payment.ts'
import type { Settle } from './settle.ts'
import { namesAnother, settlementOf, settlementOfAnswer } from './settlement.ts'

export type AskChargeDeps = { db: Db; providers: Providers; settle: Settle; config: Pick<Config, 'payments'> }

/** What is proven about the payment after the question. */
export type ChargeTruth =
  | { kind: 'received' }
  | { kind: 'no_money' }
  /** Proven money that differs from the payment's amount. Operators decide. */
  | { kind: 'held' }
  /** The provider has the charge, and it has not ended. */
  | { kind: 'open' }
  | { kind: 'not_found' }
  /** The provider answered, and its answer is no proof. */
  | { kind: 'not_proven' }
  /** `afterMs`: the provider was not called, because no budget is left for it for this long. */
  | { kind: 'no_answer'; afterMs?: number }

export type AskedCharge = {
  truth: ChargeTruth
  /** Undefined: our own books were enough, and no one was asked. */
  answer: ChargeAnswer | undefined
  provider: string
  /** The number in the network's message to the payer, if it is known. */
  networkReceipt: string | null
}

/** The provider's word that this very charge ended without money. */
function provesNoMoney(charge: KnownCharge, snapshot: ChargeSnapshot): boolean {
  const isOfThis = charge.providerReference === null || charge.providerReference === snapshot.reference
  return isOfThis && !namesAnother(charge, snapshot) && (snapshot.status === 'failed' || snapshot.status === 'voided')
}

/** The charge was certainly never made, and never will be. */
function wasNeverMade({ state, providerReference, status }: KnownCharge): boolean {
  return state === 'rejected' && providerReference === null && endStatuses.has(status)
}

/** What our own books prove; undefined: nothing, and the provider must be asked. */
export function truthInBooks(charge: KnownCharge): ChargeTruth | undefined {
  // The merchant does not have the money, and what the payer paid is not certain: a person decides.
  if (charge.isTakenBack) return { kind: 'not_proven' }
  if (charge.status === 'completed') return { kind: 'received' }
  if (charge.held) return { kind: 'held' }
  return wasNeverMade(charge) ? { kind: 'no_money' } : undefined
}

async function ask({ providers }: AskChargeDeps, charge: KnownCharge, priority: ChargeQueryPriority): Promise<ChargeAnswer> {
  const provider = providers[charge.environment].byName.get(charge.provider)
  if (!provider) return { kind: 'indeterminate', reason: 'provider_missing' }
  const { providerReference: reference } = charge
  if (reference === null && !provider.capabilities.looksUpOurReference) return { kind: 'indeterminate', reason: 'no_reference' }
  return provider.fetchCharge({ reference, ourReference: toWire('pay', charge.paymentId) }, priority)
}

/** Applies what the provider said: a success always, anything else only to a payment that has not ended. */
async function apply(deps: AskChargeDeps, charge: KnownCharge, snapshot: ChargeSnapshot): Promise<void> {
  const { home, paymentId, environment, provider, requestId, isPastExpiry } = charge
  const source = { home, paymentId, environment, provider, actor: 'provider:poll', requestId }
  const nextAttemptSeconds = isPastExpiry
    ? lateCheckSeconds
    : Math.min(checkDelay(deps.config, charge.attempts), charge.secondsLeft)
  if (snapshot.status === 'completed') await deps.settle(settlementOf(source, snapshot, nextAttemptSeconds))
  else if (!endStatuses.has(charge.status)) {
    await deps.settle(settlementOfAnswer(source, snapshot, { isPastExpiry, nextAttemptSeconds }))
  }
}

function truthOfAnswer(charge: KnownCharge, answer: ChargeAnswer): ChargeTruth {
  switch (answer.kind) {
    case 'not_found':
      return { kind: 'not_found' }
    case 'indeterminate':
      return { kind: 'no_answer', ...(answer.afterMs !== undefined && { afterMs: answer.afterMs }) }
    case 'found': {
      const { status } = answer.snapshot
      if (provesNoMoney(charge, answer.snapshot) && endStatuses.has(charge.status)) return { kind: 'no_money' }
      return { kind: status === 'pending' || status === 'processing' ? 'open' : 'not_proven' }
    }
  }
}

/** `priority`: in the provider's budget. Undefined: there is no such payment. */
export async function askCharge(
  deps: AskChargeDeps,
  payment: PaymentKey,
  priority: ChargeQueryPriority,
): Promise<AskedCharge | undefined> {
  const known = await findKnownCharge(deps.db, payment)
  if (!known) return undefined
  const inBooks = truthInBooks(known)
  const { provider } = known
  if (inBooks) return { truth: inBooks, answer: undefined, provider, networkReceipt: known.networkReceipt }
  const answer = await ask(deps, known, priority)
  if (answer.kind === 'found') await apply(deps, known, answer.snapshot)
  // The books after it was applied: only they say that money was received.
  const after = (await findKnownCharge(deps.db, payment))!
  const truth = truthInBooks(after) ?? truthOfAnswer(after, answer)
  return { truth, answer, provider, networkReceipt: after.networkReceipt }
}
