/**
 * Sends a claimed charge and records the outcome: claim, call, record. Invariant: every call sends the same bytes under the same key, no
 * transaction is open during the call, and an outcome that is not proven is recorded as unknown.
 */
import type { ChargeState } from '../domain/payment.ts'
import type { Config } from '../config.ts'
import { databaseErrorCode, uniqueViolation } from '../platform/db/db.ts'
import { toWire } from '../platform/ids.ts'
import type { Log } from '../platform/process/log.ts'
import { providerNamed, type ChargeOutcome, type ProviderRequest, type Providers } from '../providers/provider.ts'
import { acceptanceOf, blankSettlement, settlementOf, type Settle, type SettlementSource } from './settle.ts'
import type { Acceptance, Settled, Settlement } from './settle.sql.ts'

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

/** Seconds until the next query to the provider; the last delay repeats. */
export function checkDelay(config: Pick<Config, 'payments'>, attempts: number): number {
  const delays = config.payments.checkDelaysSeconds
  return delays[Math.min(attempts, delays.length - 1)]!
}

/** Whether all attempts so far certainly started nothing. Only then may a charge be given up without an answer from the provider. */
function certainlyNothing(history: ChargeHistory): boolean {
  return history.state === 'new' || history.state === 'unsent' || history.state === 'deferred'
}

const unsentRetrySeconds = 3

/** Converts a charge outcome into a settlement of the payment. */
export function settlementOfOutcome(
  config: Pick<Config, 'payments'>,
  source: SettlementSource,
  outcome: ChargeOutcome,
  history: ChargeHistory,
): Settlement {
  const record = (changes: Partial<Settlement>): Settlement => ({ ...blankSettlement(source), onlyUnbound: true, ...changes })
  const recordNothing = (changes: Partial<Settlement>): Settlement => record({ onlyAtAttempts: history.attempts, ...changes })
  switch (outcome.kind) {
    case 'accepted':
      return settlementOf(source, outcome.snapshot, checkDelay(config, 0))
    case 'rejected':
      // This call was refused, but an earlier call may have reached the provider.
      if (!certainlyNothing(history))
        return record({ chargeState: 'unknown', toStatus: 'processing', nextAttemptSeconds: checkDelay(config, 1) })
      return recordNothing({
        toStatus: 'failed',
        isFinal: true,
        chargeState: 'rejected',
        failureCode: outcome.failure,
        failureText: outcome.text?.slice(0, 500) ?? null,
      })
    case 'not_sent':
      if (!certainlyNothing(history)) return record({ nextAttemptSeconds: checkDelay(config, 0) })
      return history.ageSeconds < config.payments.unsentRetrySeconds
        ? recordNothing({ chargeState: 'unsent', nextAttemptSeconds: unsentRetrySeconds })
        : recordNothing({
            toStatus: 'failed',
            isFinal: true,
            chargeState: 'rejected',
            failureCode: 'network_unavailable',
            failureText: outcome.reason,
          })
    case 'retry_later':
      if (!certainlyNothing(history)) return record({ nextAttemptSeconds: outcome.afterMs / 1000 })
      return history.isPastExpiry
        ? recordNothing({
            toStatus: 'failed',
            isFinal: true,
            chargeState: 'rejected',
            failureCode: 'network_unavailable',
            failureText: 'rate_limited',
          })
        : recordNothing({ chargeState: 'deferred', nextAttemptSeconds: outcome.afterMs / 1000 })
    case 'unknown':
      return record({
        toStatus: 'processing',
        chargeState: 'unknown',
        reference: outcome.reference ?? null,
        nextAttemptSeconds: checkDelay(config, 0),
      })
  }
}

/**
 * Calls the provider and records the outcome. Safe to run twice: the provider keeps one charge per key. `callers`: who shares the call
 * budget, see `Provider.charge`.
 */
export async function chargePayment(
  deps: ChargeDeps,
  source: SettlementSource,
  request: ProviderRequest,
  history: ChargeHistory,
  callers: readonly string[],
): Promise<Settled> {
  // No transaction is open here: a slow provider must not hold row locks.
  const outcome = await providerNamed(deps.providers, source.environment, source.provider).charge(request, callers)
  if (outcome.kind !== 'accepted') {
    const reason = 'reason' in outcome ? outcome.reason : outcome.kind
    deps.log.warn('charge.not_accepted', {
      payment_id: toWire('pay', source.paymentId),
      outcome: outcome.kind,
      reason,
      request_id: source.requestId,
    })
  }
  const acceptance = outcome.kind === 'accepted' ? acceptanceOf(source, outcome.snapshot, checkDelay(deps.config, 0)) : undefined
  if (acceptance) {
    const isRecorded = await deps.recordAcceptance(acceptance).catch((error: unknown) => {
      // The reference already belongs to another payment: the full settlement detects it and opens a break.
      if (databaseErrorCode(error) === uniqueViolation) return false
      throw error
    })
    if (isRecorded) return { verdict: 'unchanged', status: null, isLate: false }
  }
  return deps.settle(settlementOfOutcome(deps.config, source, outcome, history))
}
