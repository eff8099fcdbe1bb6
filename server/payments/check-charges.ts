/**
 * Finds out about charges that nobody has heard of: what was claimed and maybe never sent, what ended unknown, what the provider has
 * but does not tell, what is past its hour. Invariant: it asks; it never concludes from silence.
 *
 * What may have been sent without an answer is found out in one of two ways. A provider that remembers keys is sent the same bytes under
 * the same key: it tells what it has, or starts it now, once. A provider that can be asked by our own id is asked first, and what it has
 * counts. That it has none is no failure, and no leave to send again either: the first request may still be on its way to it. It is sent
 * again, under the same id, only when all of this holds: the provider has just said that it has none; the last send is four claim leases
 * ago, each of which outlasts a whole call; and the payer's hour is not over. Everything else waits, and in the end people are asked.
 */
import { openBreak } from '../breaks/break.sql.ts'
import type { Db } from '../platform/db/db.ts'
import { newMoneyId, toWire } from '../platform/ids.ts'
import { isOrderRight } from '../platform/db/order-table.sql.ts'
import type { RecordMac } from '../platform/crypto/record-mac.ts'
import { inTrace, storedTrace } from '../platform/process/trace.ts'
import type { ChargeAnswer, Provider } from '../providers/provider.ts'
import { chargeCallers, chargePayment, checkDelay, type ChargeDeps } from './charge-payment.ts'
import { chargeOrders } from './order-mac.sql.ts'
import { claimAgain, claimDueCharges, stopChecking, type DueCharge } from './payment.sql.ts'
import { endStatuses } from './payment.ts'
import { blankSettlement, settlementOfAnswer, type SettlementSource } from './settle.ts'

export type CheckChargesDeps = ChargeDeps & { recordMac: RecordMac; db: Db }

/** Past its expiry an accepted charge is still asked about, ever less often, until the provider comes to an end. */
export const lateCheckSeconds = 1800
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

function delayOf(deps: CheckChargesDeps, charge: DueCharge): number {
  return charge.isPastExpiry ? lateCheckSeconds : checkDelay(deps.config, charge.attempts)
}

const isOver = (charge: DueCharge): boolean => charge.ageSeconds > lateChecksUntilSeconds

/** No answer is not an answer: nothing moves, and it is asked again, until people have to. */
async function askAgainLater(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  if (isOver(charge)) return escalate(deps, charge)
  await deps.settle({ ...blankSettlement(sourceOf(charge)), nextAttemptSeconds: delayOf(deps, charge) })
}

/** The provider may have the charge: ask how it stands. */
function fetchCharge(charge: DueCharge, provider: Provider): Promise<ChargeAnswer> {
  return provider.fetchCharge({ reference: charge.providerReference, ourReference: toWire('pay', charge.paymentId) })
}

/** The provider has the charge: what it says of it counts. */
async function settleAnswer(deps: CheckChargesDeps, charge: DueCharge, answer: ChargeAnswer): Promise<void> {
  if (answer.kind !== 'found') return askAgainLater(deps, charge)
  const source = sourceOf(charge)
  const { isPastExpiry } = charge
  const settlement = settlementOfAnswer(source, answer.snapshot, { isPastExpiry, nextAttemptSeconds: delayOf(deps, charge) })
  const settled = await deps.settle(isOver(charge) ? { ...settlement, nextAttemptSeconds: null } : settlement)
  const isEnded = settled.status !== null && endStatuses.has(settled.status)
  const isUnprovable = settled.verdict === 'unproven' && charge.attempts >= unprovenChecks
  if (isUnprovable || (isOver(charge) && !isEnded)) await escalate(deps, charge)
}

const quietLeases = 4

/** Sent perhaps, at a provider that can be asked by our id: the rule that opens this file. */
async function lookUp(deps: CheckChargesDeps, charge: DueCharge, provider: Provider): Promise<void> {
  const answer = await fetchCharge(charge, provider)
  if (answer.kind !== 'not_found' || charge.isPastExpiry) return settleAnswer(deps, charge, answer)
  const quietSeconds = quietLeases * deps.config.payments.claimLeaseSeconds
  if (!(await claimAgain(deps.db, charge, quietSeconds))) return askAgainLater(deps, charge)
  await sendAgain(deps, charge)
}

/** Whether what is stored is still what the payer confirmed: not so where somebody has changed the database. */
export async function isAsOrdered(
  deps: { db: Db; recordMac: RecordMac },
  charge: { home: number; paymentId: string },
): Promise<boolean> {
  const order = await chargeOrders.readOne(deps.db, { home: charge.home, id: charge.paymentId })
  return order !== undefined && isOrderRight(deps.recordMac, chargeOrders, order)
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

/** It stays what it was before it was claimed. */
async function waitUnsent(deps: CheckChargesDeps, charge: DueCharge): Promise<void> {
  const unchanged = { ...blankSettlement(sourceOf(charge)), onlyUnbound: true, onlyAtAttempts: charge.attempts }
  await deps.settle({ ...unchanged, chargeState: charge.state, nextAttemptSeconds: checkDelay(deps.config, charge.attempts) })
}

/**
 * As far as a restored database knows this charge never left us, but it may have in the time that was lost. Answers whether it may be treated
 * as one that never left: the provider was asked, or its list read, and it has none.
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
    // It is no other provider's: nobody but its own can say what became of it.
    deps.log.error('charge.provider_missing', new Error('provider_missing'), {
      alert: true,
      payment_id: toWire('pay', charge.paymentId),
      provider: charge.provider,
      environment: charge.environment,
    })
    return askAgainLater(deps, charge)
  }
  if (charge.providerReference !== null) return settleAnswer(deps, charge, await fetchCharge(charge, provider))
  const mayHaveBeenSent = charge.state === 'claimed' || charge.state === 'unknown'
  if (mayHaveBeenSent && provider.capabilities.looksUpOurReference) return lookUp(deps, charge, provider)

  if (!mayHaveBeenSent && charge.restoreDoubt !== null && !(await isLookedUp(deps, charge, provider))) return

  const neverSent = {
    ...blankSettlement(sourceOf(charge)),
    onlyUnbound: true,
    onlyAtAttempts: charge.attempts,
    ...(charge.isUnconfirmed
      ? ({ toStatus: 'expired' } as const)
      : ({ toStatus: 'failed', failureCode: 'network_unavailable' } as const)),
    isFinal: true,
    chargeState: 'rejected',
  } as const
  const { unsentRetrySeconds, replayWindowSeconds } = deps.config.payments
  switch (charge.state) {
    case 'unsent':
      if (charge.isCancelRequested || charge.ageSeconds >= unsentRetrySeconds) return void (await deps.settle(neverSent))
      break
    case 'deferred':
      if (charge.isCancelRequested || charge.isPastExpiry) return void (await deps.settle(neverSent))
      // Due before its time: a clock was set back.
      if (charge.isUnconfirmed) return waitUnsent(deps, charge)
      break
    case 'unknown':
      // Sent, so it is asked about by sending the same again for as long as the provider remembers the key.
      if (charge.ageSeconds >= replayWindowSeconds) return escalate(deps, charge)
      break
    case 'claimed':
      // Perhaps never sent: past the payer's hour the same bytes could be a first prompt that nobody expects any more.
      if (charge.isPastExpiry) return escalate(deps, charge)
      break
    case 'accepted':
      return escalate(deps, charge)
  }
  // The same bytes under the same key make the provider tell what it has, or start it now, once.
  await sendAgain(deps, charge)
}

/** Takes the charges that are due and asks about each; answers how many it took. */
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
