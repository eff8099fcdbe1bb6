/**
 * Finds out about charges that nobody has heard of: what was claimed and maybe never sent, what ended unknown, what the provider has
 * but does not tell, what is past its hour. Invariant: it asks; it never concludes from silence.
 */
import { openBreak } from '../breaks/break.sql.ts'
import type { Db } from '../platform/db.ts'
import { newMoneyId, toWire } from '../platform/ids.ts'
import { providerNamed } from '../providers/provider.ts'
import { chargePayment, checkDelay, type ChargeDeps } from './charge-payment.ts'
import { claimDueCharges, stopChecking, type DueCharge } from './payment.sql.ts'
import { endStatuses } from './payment.ts'
import { blankSettlement, settlementOf, type SettlementSource } from './settle.ts'

export type CheckChargesDeps = ChargeDeps & { db: Db }

/** Past its expiry an accepted charge is still asked about, ever less often, until the provider comes to an end. */
const lateCheckSeconds = 1800
const lateChecksUntilSeconds = 48 * 3600
/** A success that never says how much is left to people after so many questions. */
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

/** What nobody can answer any more is left to people: the state stays. */
async function giveToPeople(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  deps.log.error('the outcome of a charge cannot be learned', new Error('charge_unknown'), {
    payment_id: charge.paymentId,
    state: charge.state,
  })
  const { home, paymentId, environment, provider, state, providerReference: reference } = charge
  const finding = { home, paymentId, environment, kind: 'charge_unknown', provider, reference } as const
  await openBreak(deps.db, { ...finding, details: { provider, state, reference } }, newMoneyId(home))
  await stopChecking(deps.db, charge)
}

/** The provider has the charge: ask how it stands. */
async function fetchAccepted(deps: CheckChargesDeps, charge: DueCharge, reference: string): Promise<void> {
  const provider = providerNamed(deps.providers, charge.environment, charge.provider)
  const answer = await provider.fetchCharge({ reference, ourReference: toWire('pay', charge.paymentId) })
  const delay = charge.isPastExpiry ? lateCheckSeconds : checkDelay(deps.config, charge.checks)
  const source = sourceOf(charge)
  const isOver = charge.ageSeconds > lateChecksUntilSeconds
  if (answer.kind !== 'found') {
    // No answer is not an answer: nothing moves, and it is asked again, until people have to.
    if (isOver) return giveToPeople(deps, charge)
    await deps.settle({ ...blankSettlement(source), nextCheckSeconds: delay })
    return
  }
  const settlement = settlementOf(source, answer.snapshot, delay)
  const isOpenThere = answer.snapshot.status === 'pending' || answer.snapshot.status === 'processing'
  // Expired takes both: our hour is over, and the provider itself says that it has not succeeded. It may still succeed, late.
  const settled =
    charge.isPastExpiry && isOpenThere
      ? await deps.settle({ ...settlement, toStatus: 'expired', nextCheckSeconds: isOver ? null : lateCheckSeconds })
      : await deps.settle(settlement)
  const isEnded = settled.status !== null && endStatuses.has(settled.status)
  const isUnprovable = settled.verdict === 'unproven' && charge.checks >= unprovenChecks
  if (isUnprovable || (isOver && !isEnded)) await giveToPeople(deps, charge)
}

async function checkCharge(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  if (charge.held || charge.status === 'completed' || charge.state === 'rejected') return stopChecking(deps.db, charge)
  if (charge.providerReference !== null) return fetchAccepted(deps, charge, charge.providerReference)

  const neverSent = {
    ...blankSettlement(sourceOf(charge)),
    onlyUnbound: true,
    toStatus: 'failed',
    chargeState: 'rejected',
    failureCode: 'network_unavailable',
  } as const
  const { unsentRetrySeconds, replayWindowSeconds } = deps.config.payments
  switch (charge.state) {
    case 'unsent':
      if (charge.ageSeconds >= unsentRetrySeconds) return void (await deps.settle(neverSent))
      break
    case 'deferred':
      if (charge.isPastExpiry) return void (await deps.settle(neverSent))
      break
    case 'unknown':
      // Sent, so it is asked about by sending the same again for as long as the provider remembers the key.
      if (charge.ageSeconds >= replayWindowSeconds) return giveToPeople(deps, charge)
      break
    case 'claimed':
      // Perhaps never sent: past the payer's hour the same bytes could be a first prompt that nobody expects any more.
      if (charge.isPastExpiry) return giveToPeople(deps, charge)
      break
    case 'accepted':
      return giveToPeople(deps, charge)
  }
  // The same bytes under the same key make the provider tell what it has, or start it now, once.
  await chargePayment(deps, sourceOf(charge), { idempotencyKey: charge.idempotencyKey, body: charge.requestBody }, charge)
}

/** Takes the charges that are due and asks about each; answers how many it took. */
export async function checkCharges(deps: CheckChargesDeps, limit: number): Promise<number> {
  const due = await claimDueCharges(deps.db, limit, {
    lease: deps.config.payments.claimLeaseSeconds,
    unsentRetry: deps.config.payments.unsentRetrySeconds,
  })
  await Promise.all(
    due.map((charge) =>
      checkCharge(deps, charge).catch((error: unknown) =>
        deps.log.error('a charge could not be checked', error, { payment_id: charge.paymentId }),
      ),
    ),
  )
  return due.length
}
