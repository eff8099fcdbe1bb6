/**
 * Sends a claimed charge and records the outcome: claim, call, record. Invariant: every call sends the same bytes under the same key, no
 * transaction is open during the call, and an outcome that is not proven is recorded as unknown.
 */
import type { ChargeState, FailureCode } from '../../domain/payment.ts'
import type { Config } from '../../config/config.ts'
import { checkDelay } from '../../config/payments.ts'
import { databaseErrorCode, uniqueViolation } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerNamed, type ChargeOutcome, type ProviderRequest, type Providers } from '../../money/providers/provider.ts'
import { lateCheckSeconds } from './payment.ts'
import type { Settle } from './settle.ts'
import type { Settled } from './settle.sql.ts'
import { acceptanceOf, newSettlement, settlementOf, type Acceptance, type Learned, type SettlementSource } from './settlement.ts'

export type ChargeDeps = {
  log: Log
  config: Pick<Config, 'payments'>
  providers: Providers
  settle: Settle
  /** Records that the provider has the charge, when nothing more is known. Returns false when more is known already. */
  recordAcceptance(acceptance: Acceptance): Promise<boolean>
}

/** The facts about the charge that are known before this call. */
export type ChargeHistory = {
  /** The result of the earlier calls: no call, calls certainly without effect, or calls that may have had an effect. */
  state: ChargeState | 'new'
  /** How many times the charge was claimed to be sent or queried, including this time. */
  attempts: number
  ageSeconds: number
  isPastExpiry: boolean
}

/** The callers who share the call budget. A charge that is sent again no longer knows the network address of its checkout. */
export function chargeCallers(page: { merchantId: string; pageId: string }, networkKey?: string): string[] {
  const callers = [`merchant:${page.merchantId}`, `page:${page.pageId}`]
  return networkKey === undefined ? callers : [...callers, `network:${page.pageId}:${networkKey}`]
}

/** Whether all attempts so far certainly started nothing. Only then may a charge be given up without an answer from the provider. */
function certainlyNothing(history: ChargeHistory): boolean {
  return history.state === 'new' || history.state === 'unsent' || history.state === 'deferred'
}

const unsentRetrySeconds = 3

/** What the outcome of a call says about the charge, together with the calls before it. */
function learnedFrom(
  config: Pick<Config, 'payments'>,
  outcome: Exclude<ChargeOutcome, { kind: 'accepted' }>,
  history: ChargeHistory,
): Learned {
  const { attempts } = history
  const mayExist = !certainlyNothing(history)
  const sendAgainSeconds = history.isPastExpiry ? lateCheckSeconds : checkDelay(config, attempts)
  const noCharge = (failureCode: FailureCode, failureText: string | null): Learned => ({
    kind: 'no_charge',
    end: { toStatus: 'failed', failureCode, failureText },
    attempts,
  })
  switch (outcome.kind) {
    case 'rejected':
      // This call was refused, but an earlier call may have reached the provider.
      if (mayExist) return { kind: 'outcome_unknown', reference: null, nextAttemptSeconds: sendAgainSeconds }
      return noCharge(outcome.failure, outcome.text?.slice(0, 500) ?? null)
    case 'not_sent':
      if (mayExist) return { kind: 'no_answer', to: 'charge', nextAttemptSeconds: sendAgainSeconds }
      return history.ageSeconds < config.payments.unsentRetrySeconds
        ? { kind: 'not_started', chargeState: 'unsent', attempts, nextAttemptSeconds: unsentRetrySeconds }
        : noCharge('network_unavailable', outcome.reason)
    case 'retry_later': {
      const nextAttemptSeconds = outcome.afterMs / 1000
      // Not as soon as the circuit lets a call pass: its one trial would mostly be a charge that fails again.
      if (mayExist) return { kind: 'no_answer', to: 'charge', nextAttemptSeconds: Math.max(nextAttemptSeconds, sendAgainSeconds) }
      return history.isPastExpiry
        ? noCharge('network_unavailable', outcome.reason ?? 'rate_limited')
        : { kind: 'not_started', chargeState: 'deferred', attempts, nextAttemptSeconds }
    }
    case 'unknown':
      return { kind: 'outcome_unknown', reference: outcome.reference ?? null, nextAttemptSeconds: sendAgainSeconds }
  }
}

/**
 * Calls the provider and records the outcome. Safe to run twice: the provider keeps one charge per key. `callers`: who shares the call
 * budget of a first send, see `Provider.charge`.
 */
export async function chargePayment(
  deps: ChargeDeps,
  source: SettlementSource,
  request: ProviderRequest,
  history: ChargeHistory,
  callers: readonly string[],
): Promise<Settled> {
  // No transaction is open here: a slow provider must not hold row locks.
  const sharing = certainlyNothing(history) ? callers : 'can_wait'
  const outcome = await providerNamed(deps.providers, source.environment, source.provider).charge(request, sharing)
  if (outcome.kind !== 'accepted') {
    const reason = ('reason' in outcome && outcome.reason) || outcome.kind
    deps.log.warn('charge.not_accepted', {
      payment_id: toWire('pay', source.paymentId),
      outcome: outcome.kind,
      reason,
      request_id: source.requestId,
    })
    return deps.settle(newSettlement(source, learnedFrom(deps.config, outcome, history)))
  }
  const acceptance = acceptanceOf(source, outcome.snapshot, checkDelay(deps.config, 0))
  if (acceptance) {
    const isRecorded = await deps.recordAcceptance(acceptance).catch((error: unknown) => {
      // The reference already belongs to another payment: the full settlement detects it and opens a break.
      if (databaseErrorCode(error) === uniqueViolation) return false
      throw error
    })
    if (isRecorded) return { verdict: 'unchanged', status: null, isLate: false }
  }
  return deps.settle(settlementOf(source, outcome.snapshot, checkDelay(deps.config, 0)))
}
