/**
 * Finds out about charges that nobody has heard of: what was claimed and maybe never sent, what ended unknown, what the provider has
 * but does not tell, what is past its hour. Invariant: it asks; it never concludes from silence.
 */
import type { Db } from '../platform/db.ts'
import { newMoneyId } from '../platform/ids.ts'
import { chargePayment, checkDelay, type ChargeDeps } from './charge-payment.ts'
import { claimDueCharges, stopChecking, type DueCharge } from './payment.sql.ts'
import { blankSettlement, settlementOf, type SettlementSource } from './settle.ts'
import { openCase } from './settle.sql.ts'

export type CheckChargesDeps = ChargeDeps & { db: Db }

/** Past its expiry an accepted charge is still asked about, ever less often, until the provider comes to an end. */
const lateCheckSeconds = 1800
const lateChecksUntilSeconds = 48 * 3600

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

/** What nobody can answer any more is left to people: the state stays. */
async function giveToPeople(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  deps.log.error('the outcome of a charge cannot be learned', new Error('charge_unknown'), {
    payment_id: charge.paymentId,
    state: charge.state,
  })
  await openCase(deps.db, charge, 'charge_unknown', newMoneyId(charge.home), {
    provider: charge.provider,
    state: charge.state,
    reference: charge.providerReference,
  })
  await stopChecking(deps.db, charge)
}

/** The provider has the charge: ask how it stands. */
async function fetchAccepted(deps: CheckChargesDeps, charge: DueCharge, reference: string): Promise<void> {
  const answer = await deps.providers[charge.environment].fetchCharge(reference)
  const delay = charge.isPastExpiry ? lateCheckSeconds : checkDelay(deps.config, charge.checks)
  const source = sourceOf(charge)
  if (charge.ageSeconds > lateChecksUntilSeconds && answer.kind !== 'found') return giveToPeople(deps, charge)
  if (answer.kind !== 'found') {
    // No answer is not an answer: nothing moves, and it is asked again.
    await deps.settle({ ...blankSettlement(source), nextCheckSeconds: delay })
    return
  }
  const settlement = settlementOf(source, answer.snapshot, delay)
  const isOpenThere = answer.snapshot.status === 'pending' || answer.snapshot.status === 'processing'
  if (charge.isPastExpiry && isOpenThere) {
    // Expired takes both: our hour is over, and the provider itself says that it has not succeeded. It may still succeed, late.
    const isOver = charge.ageSeconds > lateChecksUntilSeconds
    await deps.settle({ ...settlement, toStatus: 'expired', nextCheckSeconds: isOver ? null : lateCheckSeconds })
    return
  }
  await deps.settle(settlement)
}

async function checkCharge(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  if (charge.held || charge.status === 'completed' || charge.state === 'rejected') return stopChecking(deps.db, charge)
  if (charge.providerReference !== null) return fetchAccepted(deps, charge, charge.providerReference)

  // No reference: the same bytes under the same key make the provider tell what it has, or start it now, once.
  const isReplayable = charge.ageSeconds < deps.config.payments.replayWindowSeconds && !charge.isPastExpiry
  const isCertainlyNothing = charge.state === 'unsent' || charge.state === 'deferred'
  if (charge.state === 'unsent' && charge.ageSeconds >= deps.config.payments.unsentRetrySeconds) {
    await deps.settle({
      ...blankSettlement(sourceOf(charge)),
      onlyUnbound: true,
      toStatus: 'failed',
      chargeState: 'rejected',
      failureCode: 'network_unavailable',
    })
    return
  }
  if (!isReplayable && !isCertainlyNothing) return giveToPeople(deps, charge)
  if (!isReplayable) {
    await deps.settle({
      ...blankSettlement(sourceOf(charge)),
      onlyUnbound: true,
      toStatus: 'failed',
      chargeState: 'rejected',
      failureCode: 'network_unavailable',
    })
    return
  }
  const request = { idempotencyKey: charge.idempotencyKey, body: charge.requestBody }
  await chargePayment(deps, sourceOf(charge), request, charge)
}

/** Takes the charges that are due and asks about each; answers how many it took. */
export async function checkCharges(deps: CheckChargesDeps, limit: number): Promise<number> {
  const due = await claimDueCharges(deps.db, limit, deps.config.payments.claimLeaseSeconds)
  await Promise.all(
    due.map((charge) =>
      checkCharge(deps, charge).catch((error: unknown) =>
        deps.log.error('a charge could not be checked', error, { payment_id: charge.paymentId }),
      ),
    ),
  )
  return due.length
}
