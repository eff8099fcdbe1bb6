/**
 * Resolves charges whose outcome is not known: charges that were claimed and maybe never sent, that ended unknown, that the provider has
 * but does not report, or that are past their expiry. Invariant: it asks the provider and never concludes from silence.
 *
 * A charge that may have been sent without an answer is resolved in one of two ways. A provider that remembers keys receives the same
 * bytes under the same key: it reports the charge that it has, or starts the charge now, once. A provider that can be queried by our own
 * id is queried first, and the charge that it has counts. An answer "not found" is no failure and does not permit another send by itself:
 * the first request may still be in flight. The charge is sent again, under the same id, only when all of this holds: the provider has
 * just said that it has no charge; the last send is four claim leases ago, each of which is longer than a whole call; and the payment has
 * neither expired nor been cancelled. All other charges wait and are finally escalated to operators.
 */
import { openBreak } from '../../money/breaks/break.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { hasRightMac } from '../../platform/db/order-table.sql.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { inTrace, storedTrace } from '../../platform/process/trace.ts'
import type { ChargeAnswer, Provider } from '../../money/providers/provider.ts'
import { chargeCallers, chargePayment, type ChargeDeps } from './charge-payment.ts'
import { checkDelay } from '../../config/payments.ts'
import { chargeOrders } from './order-mac.sql.ts'
import { claimAgain, claimDueCharges, stopChecking, type DueCharge } from './payment.sql.ts'
import { endStatuses, lateCheckSeconds } from './payment.ts'
import { newSettlement, settlementOfAnswer, type SettlementSource, type UnchargedEnd } from './settlement.ts'

export type CheckChargesDeps = ChargeDeps & { recordMac: RecordMac; db: Db }

const lateChecksUntilSeconds = 48 * 3600
/** A success without an amount is escalated to operators after this many queries. */
const unprovenChecks = 5

function sourceOf(charge: DueCharge): SettlementSource {
  return {
    home: charge.home,
    paymentId: charge.paymentId,
    environment: charge.environment,
    provider: charge.provider,
    actor: 'provider:poll',
    requestId: charge.requestId,
  }
}

/** Escalates a charge that can no longer be resolved automatically to operators. Its state does not change. */
async function escalate(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  deps.log.error('charge.outcome_unknown', new Error('charge_unknown'), {
    payment_id: toWire('pay', charge.paymentId),
    state: charge.state,
  })
  const { home, paymentId, environment, provider, state, providerReference: reference } = charge
  const finding = { home, paymentId, environment, kind: 'charge_unknown', provider, reference } as const
  await openBreak(deps.db, { ...finding, details: { provider, state, reference } }, newMoneyId(home))
  await stopChecking(deps.db, charge)
}

/** The query at its expiry comes on time, so that the payment does not stay open for the rest of a delay. */
function delayOf(deps: CheckChargesDeps, charge: DueCharge): number {
  return charge.isPastExpiry ? lateCheckSeconds : Math.min(checkDelay(deps.config, charge.attempts), charge.secondsLeft)
}

const isOver = (charge: DueCharge): boolean => charge.ageSeconds > lateChecksUntilSeconds

/** A missing answer proves nothing: the state does not change, and the charge is queried again until it must be escalated. */
async function queryAgainLater(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  if (isOver(charge)) return escalate(deps, charge)
  const nextAttemptSeconds = delayOf(deps, charge)
  await deps.settle(newSettlement(sourceOf(charge), { kind: 'no_answer', to: 'query', nextAttemptSeconds }))
}

/** The provider may have the charge: query its status. */
function fetchCharge(charge: DueCharge, provider: Provider): Promise<ChargeAnswer> {
  return provider.fetchCharge({ reference: charge.providerReference, ourReference: toWire('pay', charge.paymentId) })
}

/** The provider has the charge: its answer counts. */
async function settleAnswer(deps: CheckChargesDeps, charge: DueCharge, answer: ChargeAnswer): Promise<void> {
  if (answer.kind !== 'found') return queryAgainLater(deps, charge)
  const source = sourceOf(charge)
  const { isPastExpiry } = charge
  const nextAttemptSeconds = isOver(charge) ? null : delayOf(deps, charge)
  const settled = await deps.settle(settlementOfAnswer(source, answer.snapshot, { isPastExpiry, nextAttemptSeconds }))
  const isEnded = settled.status !== null && endStatuses.has(settled.status)
  const isUnprovable = settled.verdict === 'unproven' && charge.attempts >= unprovenChecks
  if (isUnprovable || (isOver(charge) && !isEnded)) await escalate(deps, charge)
}

const quietLeases = 4

/** The charge may have been sent, to a provider that can be queried by our id. See the rule in the file header. */
async function lookUp(deps: CheckChargesDeps, charge: DueCharge, provider: Provider): Promise<void> {
  const answer = await fetchCharge(charge, provider)
  const isUnwanted = charge.isPastExpiry || charge.isCancelRequested
  if (answer.kind !== 'not_found' || isUnwanted) return settleAnswer(deps, charge, answer)
  const quietSeconds = quietLeases * deps.config.payments.claimLeaseSeconds
  if (!(await claimAgain(deps.db, charge, quietSeconds))) return queryAgainLater(deps, charge)
  await sendAgain(deps, charge)
}

/** Whether the stored charge is still the one that the payer confirmed. False if it was changed in the database. */
export async function isAsOrdered(
  deps: { db: Db; recordMac: RecordMac },
  charge: { home: number; paymentId: string },
): Promise<boolean> {
  const order = await chargeOrders.readOne(deps.db, { home: charge.home, id: charge.paymentId })
  return order !== undefined && hasRightMac(deps.recordMac, chargeOrders, order)
}

async function sendAgain(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  if (!(await isAsOrdered(deps, charge))) {
    deps.log.error('order.forged', new Error('forged_order'), {
      alert: true,
      payment_id: toWire('pay', charge.paymentId),
      request_id: charge.requestId,
    })
    return escalate(deps, charge)
  }
  await chargePayment(
    deps,
    sourceOf(charge),
    { idempotencyKey: charge.idempotencyKey, body: charge.requestBody },
    charge,
    chargeCallers(charge),
  )
}

/** The charge returns to the state it had before the claim. */
async function waitUnsent(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  const { state: chargeState, attempts } = charge
  const nextAttemptSeconds = checkDelay(deps.config, attempts)
  await deps.settle(newSettlement(sourceOf(charge), { kind: 'not_started', chargeState, attempts, nextAttemptSeconds }))
}

/** The charge was never sent and will not be: its payment ends. */
async function endUnsent(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  const { isUnconfirmed, attempts } = charge
  const end: UnchargedEnd = isUnconfirmed
    ? { toStatus: 'expired' }
    : { toStatus: 'failed', failureCode: 'network_unavailable', failureText: null }
  await deps.settle(newSettlement(sourceOf(charge), { kind: 'no_charge', end, attempts }))
}

/**
 * A restored database records this charge as never sent, but it may have been sent during the lost time. Returns whether it may be
 * treated as unsent: the provider was queried, or its list was read, and it has no such charge.
 */
async function isLookedUp(deps: CheckChargesDeps, charge: DueCharge, provider: Provider): Promise<boolean> {
  const { restoreDoubt } = charge
  const { looksUpOurReference } = provider.capabilities
  if (looksUpOurReference) {
    const answer = await fetchCharge(charge, provider)
    if (answer.kind === 'found') {
      await settleAnswer(deps, charge, answer)
      return false
    }
    if (answer.kind !== 'not_found') {
      await waitUnsent(deps, charge)
      return false
    }
  }
  if (restoreDoubt === 'comparing') {
    await waitUnsent(deps, charge)
    return false
  }
  if (restoreDoubt === 'uncompared' && !looksUpOurReference) {
    await escalate(deps, charge)
    return false
  }
  return true
}

async function checkCharge(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  if (charge.held || charge.status === 'completed' || charge.state === 'rejected') return stopChecking(deps.db, charge)
  const provider = deps.providers[charge.environment].byName.get(charge.provider)
  if (!provider) {
    // The charge belongs to its own provider: no other provider can report its outcome.
    deps.log.error('charge.provider_missing', new Error('provider_missing'), {
      alert: true,
      payment_id: toWire('pay', charge.paymentId),
      provider: charge.provider,
      environment: charge.environment,
    })
    return queryAgainLater(deps, charge)
  }
  if (charge.providerReference !== null) return settleAnswer(deps, charge, await fetchCharge(charge, provider))
  const mayHaveBeenSent = charge.state === 'claimed' || charge.state === 'unknown'
  if (mayHaveBeenSent && provider.capabilities.looksUpOurReference) return lookUp(deps, charge, provider)

  if (!mayHaveBeenSent && charge.restoreDoubt !== null && !(await isLookedUp(deps, charge, provider))) return

  // With the same bytes under the same key the provider reports the charge that it has, or starts the charge now, once, as long as it
  // remembers the key.
  if (mayHaveBeenSent && charge.ageSeconds >= provider.capabilities.replaySeconds) return escalate(deps, charge)
  switch (charge.state) {
    case 'unsent':
      if (charge.isCancelRequested || charge.ageSeconds >= deps.config.payments.unsentRetrySeconds) return endUnsent(deps, charge)
      break
    case 'deferred':
      if (charge.isCancelRequested || charge.isPastExpiry) return endUnsent(deps, charge)
      // Due too early: a clock was set back.
      if (charge.isUnconfirmed) return waitUnsent(deps, charge)
      break
    case 'unknown':
      break
    case 'claimed':
      // The charge may never have been sent: after the expiry the same bytes could be a first prompt that the payer no longer expects.
      if (charge.isPastExpiry) return escalate(deps, charge)
      break
    case 'accepted':
      return escalate(deps, charge)
  }
  await sendAgain(deps, charge)
}

/** Claims the charges that are due and resolves each of them. Returns how many it claimed. */
export async function checkCharges(deps: CheckChargesDeps, limit: number): Promise<number> {
  const due = await claimDueCharges(deps.db, limit, {
    lease: deps.config.payments.claimLeaseSeconds,
    unsentRetry: deps.config.payments.unsentRetrySeconds,
    expiry: deps.config.payments.expirySeconds,
  })
  await Promise.all(
    due.map((charge) =>
      inTrace(storedTrace({ ...charge, id: charge.paymentId, about: toWire('pay', charge.paymentId) }), () =>
        checkCharge(deps, charge).catch((error: unknown) => deps.log.error('charge.check_failed', error)),
      ),
    ),
  )
  return due.length
}
