/**
 * Sends orders that are due and queries those that were sent: claim, call, record. Invariant: every call sends the same bytes under the
 * same key, no transaction is open during the call, and money with an unproven outcome stays reserved.
 */
import type { UnsentOrderState } from '../../domain/payout.ts'
import type { Environment } from '../../domain/environment.ts'
import { findLostRecord, openBreak } from '../../money/breaks/break.sql.ts'
import type { Config } from '../../config/config.ts'
import { checkDelay } from '../../config/payments.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { inTrace, storedTrace } from '../../platform/process/trace.ts'
import {
  providerNamed,
  type PayoutOutcome,
  type PayoutSnapshot,
  type Provider,
  type Providers,
} from '../../money/providers/provider.ts'
import type { Switches } from '../../money/controls/read-switches.ts'
import { cancelUnsent, type Hindrance } from './cancel-payout.ts'
import { isPayoutOrderRight, isPayoutReleased } from './order-mac.ts'
import { confirmSeconds, isInFlight, verificationRules } from './payout.ts'
import { claimDuePayouts, scheduleCheck, type DuePayout, type PayoutLane } from './payout.sql.ts'
import { settlePayout, type PayoutUpdate, type PayoutSource, type SettlePayoutDeps } from './settle-payout.ts'

export type SendPayoutDeps = SettlePayoutDeps & {
  config: Pick<Config, 'payments' | 'testWritesBeforeVerification'>
  providers: Providers
  switches: Pick<Switches, 'isPayoutOpen'>
  recordMac: RecordMac
  /** Told that the guard of a provider makes no more calls for a batch for this long. */
  noteHeld?(at: { provider: string; environment: Environment }, forMs: number): void
}

/** Seconds until an order without an effect is tried again, by the number of tries; the last value repeats. */
const retrySeconds = [5, 15, 60, 300]
/** While a network is down, or payouts are switched off, a waiting order is checked at this interval. */
const haltedRetrySeconds = 15
/** An order without an answer for this long is escalated to operators; its money stays reserved. */
const escalateAfterSeconds = 48 * 3600

function certainlyNothing({ state }: Pick<DuePayout, 'state'>): boolean {
  return state === 'queued' || state === 'unsent' || state === 'deferred'
}

/** A success without an amount is escalated to operators after this many queries. */
const unprovenChecks = 5

const retryDelay = (attempts: number): number => retrySeconds[Math.min(attempts - 1, retrySeconds.length - 1)]!

/** The snapshot for an error that names an order of the provider: it only proves that the provider has one. */
function heldSnapshot(reference: string): PayoutSnapshot {
  const nothing = { ourReference: null, amount: null, currency: null, fee: null, network: null, failure: null }
  return { reference, status: 'processing', ...nothing }
}

/** Converts the outcome of a call into an update, given the facts known before the call. */
function updateOf(deps: SendPayoutDeps, payout: DuePayout, outcome: PayoutOutcome): PayoutUpdate {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'snapshot', snapshot: outcome.snapshot, nextAttemptSeconds: checkDelay(deps.config, 0) }
    case 'rejected':
      // This call was refused, but an earlier call may have reached the provider.
      return certainlyNothing(payout)
        ? { kind: 'never_sent', attempts: payout.attempts, failure: outcome.failure, text: outcome.text }
        : { kind: 'unknown', nextAttemptSeconds: checkDelay(deps.config, payout.attempts) }
    case 'not_sent':
      return certainlyNothing(payout)
        ? { kind: 'not_yet', attempts: payout.attempts, state: 'unsent', nextAttemptSeconds: retryDelay(payout.attempts) }
        : { kind: 'unknown', nextAttemptSeconds: retryDelay(payout.attempts) }
    case 'retry_later':
      return certainlyNothing(payout)
        ? { kind: 'not_yet', attempts: payout.attempts, state: 'deferred', nextAttemptSeconds: outcome.afterMs / 1000 }
        : { kind: 'unknown', nextAttemptSeconds: outcome.afterMs / 1000 }
    case 'unknown':
      return outcome.reference === undefined
        ? { kind: 'unknown', nextAttemptSeconds: checkDelay(deps.config, payout.attempts) }
        : {
            kind: 'snapshot',
            snapshot: heldSnapshot(outcome.reference),
            nextAttemptSeconds: checkDelay(deps.config, payout.attempts),
          }
  }
}

function sourceOf(payout: DuePayout, actor: string): PayoutSource {
  return { provider: payout.provider, actor, requestId: payout.requestId }
}

/** Opens the break that escalates the payout to operators. */
async function openUnknown(deps: SendPayoutDeps, payout: DuePayout, evidence: Record<string, string> = {}): Promise<void> {
  const subject = { home: payout.home, environment: payout.environment, kind: 'payout_unknown' as const, payoutId: payout.id }
  const details = { state: payout.state, amount: payout.amount, sent_seconds: payout.sentSeconds, ...evidence }
  await openBreak(
    deps.db,
    { ...subject, provider: payout.provider, reference: payout.providerReference, details },
    newMoneyId(payout.home),
  )
}

/** Escalates to operators a payout that queries cannot resolve: the state does not change, and the money stays reserved. */
async function escalate(deps: SendPayoutDeps, payout: DuePayout, evidence: Record<string, string> = {}): Promise<void> {
  deps.log.error('payout.outcome_unknown', new Error('payout_unknown'), {
    payout_id: toWire('po', payout.id),
    state: payout.state,
  })
  await openUnknown(deps, payout, evidence)
  await settlePayout(deps, payout, sourceOf(payout, 'worker:payouts'), { kind: 'unknown', nextAttemptSeconds: null })
  await scheduleCheck(deps.db, payout, null)
}

/** The stored order is not the requested one, so the database was changed from outside: nothing is sent, and operators decide. */
async function stopForged(deps: SendPayoutDeps, payout: DuePayout): Promise<void> {
  deps.log.error('order.forged', new Error('forged_order'), {
    alert: true,
    payout_id: toWire('po', payout.id),
    request_id: payout.requestId,
  })
  const evidence = { reason: 'forged_order' }
  if (!certainlyNothing(payout)) return escalate(deps, payout, evidence)
  await openUnknown(deps, payout, evidence)
  const state = payout.state as UnsentOrderState
  const update = { kind: 'not_yet', attempts: payout.attempts, state, nextAttemptSeconds: null } as const
  await settlePayout(deps, payout, sourceOf(payout, 'worker:payouts'), update)
}

/** The calls for a batch leave a part of the provider's budget to all others. */
const priorityOf = ({ batchId }: DuePayout): 'batch' | undefined => (batchId === null ? undefined : 'batch')

async function send(deps: SendPayoutDeps, provider: Provider, payout: DuePayout): Promise<void> {
  if (!isPayoutOrderRight(deps.recordMac, payout) || !isPayoutReleased(deps.recordMac, payout)) return stopForged(deps, payout)
  const order = { idempotencyKey: payout.idempotencyKey, body: payout.requestBody }
  const outcome = await provider.sendPayout(order, priorityOf(payout))
  if (outcome.kind === 'retry_later' && outcome.isHeld) deps.noteHeld?.(payout, outcome.afterMs)
  if (outcome.kind !== 'accepted') {
    const reason = ('reason' in outcome && outcome.reason) || outcome.kind
    const fields = { payout_id: toWire('po', payout.id), outcome: outcome.kind, reason, request_id: payout.requestId }
    if ('isOurFloat' in outcome && outcome.isOurFloat) {
      // Every payout fails until an operator adds money.
      deps.log.error('payout.float_empty', new Error('float_empty'), { ...fields, alert: true })
    } else deps.log.warn('payout.not_accepted', fields)
  }
  await settlePayout(deps, payout, sourceOf(payout, 'provider:answer'), updateOf(deps, payout, outcome))
}

/** Queries its status, by the provider's reference or, if the provider knows ours, by that. */
async function ask(
  deps: SendPayoutDeps,
  provider: Provider,
  payout: DuePayout,
): Promise<'under_way' | 'ended' | 'same_end' | 'not_found' | 'no_answer'> {
  const key = { reference: payout.providerReference, ourReference: toWire('po', payout.id) }
  const answer = await provider.fetchPayout(key, priorityOf(payout))
  if (answer.kind === 'indeterminate' && answer.afterMs !== undefined) deps.noteHeld?.(payout, answer.afterMs)
  if (answer.kind !== 'found') return answer.kind === 'not_found' ? 'not_found' : 'no_answer'
  const nextAttemptSeconds = checkDelay(deps.config, payout.attempts)
  const update = { kind: 'snapshot', snapshot: answer.snapshot, nextAttemptSeconds } as const
  const { verdict, status } = await settlePayout(deps, payout, sourceOf(payout, 'provider:poll'), update)
  if (verdict === 'unproven' && payout.attempts >= unprovenChecks) {
    await escalate(deps, payout)
    return 'ended'
  }
  if (!isInFlight(payout.status) && status === payout.status && verdict !== 'set_aside') return 'same_end'
  // A payout that was set aside has its break.
  return verdict === 'set_aside' || status === null || !isInFlight(status) ? 'ended' : 'under_way'
}

/** Seconds until the provider is asked again about a report that it has not confirmed; null: it was asked often enough. */
function confirmAgain({ confirmingSeconds: passed }: DuePayout): number | null {
  // A query that is due is not asked again for the milliseconds by which its time was rounded.
  const next = passed === null ? undefined : confirmSeconds.find((seconds) => seconds > passed + 1)
  return next === undefined ? null : next - passed!
}

/** Queries a payout that has ended, on request or for a report: the network may have returned the money. "Not found" proves nothing. */
async function queryEnded(deps: SendPayoutDeps, provider: Provider, payout: DuePayout): Promise<void> {
  const outcome = payout.providerReference === null ? 'ended' : await ask(deps, provider, payout)
  const next = outcome === 'no_answer' ? checkDelay(deps.config, payout.attempts) : confirmAgain(payout)
  await scheduleCheck(deps.db, payout, outcome === 'ended' ? null : next, true)
}

/** Why a payout must not be sent; undefined if it may be. The rule for requesting a payout may apply only now. */
function hindranceOf(deps: SendPayoutDeps, payout: DuePayout): Hindrance | undefined {
  const { isMerchantVerified, isMerchantSuspended, isBatchStopped, environment, purpose } = payout
  if (isBatchStopped) return 'batch_stopped'
  if (isMerchantSuspended && environment === 'live') return 'account_suspended'
  const { testWritesBeforeVerification } = verificationRules(purpose, deps.config)
  const isAllowed = isMerchantVerified || (environment === 'test' && testWritesBeforeVerification)
  return isAllowed ? undefined : 'account_not_verified'
}

/** Whether the payout may be sent: neither a switch nor a hold on the merchant stops it. */
async function mayLeave({ switches }: SendPayoutDeps, payout: DuePayout): Promise<boolean> {
  return !payout.isOnHold && (await switches.isPayoutOpen(payout.environment, payout.network))
}

/** Not sent now; an order that was certainly never sent keeps its state. */
async function waitUnsent(deps: SendPayoutDeps, payout: DuePayout, nextAttemptSeconds = haltedRetrySeconds): Promise<void> {
  const state = payout.state as UnsentOrderState
  const update = { kind: 'not_yet', attempts: payout.attempts, state, nextAttemptSeconds } as const
  await settlePayout(deps, payout, sourceOf(payout, 'worker:payouts'), update)
}

/** The provider has an order of this payout that a restored database has lost: its record settles the payout, and nothing is sent. */
async function bindLost(
  deps: SendPayoutDeps,
  provider: Provider,
  payout: DuePayout,
  lost: { providerReference: string; isDecided: boolean },
): Promise<void> {
  // Operators have already booked it: they must decide whether this payout is the same money.
  if (lost.isDecided) return escalate(deps, payout, { reason: 'lost_record_decided', reference_there: lost.providerReference })
  const outcome = await ask(deps, provider, { ...payout, providerReference: lost.providerReference })
  if (outcome === 'not_found')
    return escalate(deps, payout, { reason: 'lost_record_gone', reference_there: lost.providerReference })
  if (outcome !== 'no_answer') return undefined
  return certainlyNothing(payout)
    ? waitUnsent(deps, payout)
    : scheduleCheck(deps.db, payout, checkDelay(deps.config, payout.attempts))
}

/**
 * Settles a payout whose order may have been sent in the time that a restore has lost; false: nothing speaks against sending it. A process
 * may have died after it claimed the payout and before it looked, so a claimed payout is looked up as a new one is.
 */
async function settleLost(deps: SendPayoutDeps, provider: Provider, payout: DuePayout): Promise<boolean> {
  const { restoreDoubt, environment } = payout
  const { looksUpOurReference, replaySeconds } = provider.capabilities
  if (restoreDoubt === 'uncompared' && !looksUpOurReference && payout.ageSeconds >= replaySeconds) {
    // The provider no longer knows the key.
    await escalate(deps, payout, { reason: 'restored_uncompared' })
    return true
  }
  const lost = await findLostRecord(deps.db, { provider: provider.name, environment, ourReference: toWire('po', payout.id) })
  if (lost) await bindLost(deps, provider, payout, lost)
  return lost !== undefined
}

/**
 * By the records of this database it was never sent. After a restore nothing is sent for the first time before the provider was queried:
 * by our id if possible, otherwise by its list, which the comparison of the restore reads.
 */
async function sendFirst(deps: SendPayoutDeps, provider: Provider, payout: DuePayout): Promise<void> {
  const { restoreDoubt } = payout
  if (restoreDoubt !== null && provider.capabilities.looksUpOurReference) {
    const outcome = await ask(deps, provider, payout)
    if (outcome === 'no_answer') return waitUnsent(deps, payout)
    if (outcome !== 'not_found') return undefined
  }
  if (restoreDoubt === 'comparing') return waitUnsent(deps, payout)
  if (await settleLost(deps, provider, payout)) return undefined
  return sendNow(deps, provider, payout)
}

/** It was certainly never sent: sends it, unless a rule now forbids it. */
async function sendNow(deps: SendPayoutDeps, provider: Provider, payout: DuePayout): Promise<void> {
  // A merchant who lost the verification or was suspended since must not be paid: nothing was sent, so everything is returned.
  const hindrance = hindranceOf(deps, payout)
  if (hindrance !== undefined) return cancelUnsent(deps, payout, hindrance)
  // An approval makes it due before its wait has ended.
  if (payout.waitSeconds > 0) return waitUnsent(deps, payout, payout.waitSeconds)
  if (!(await mayLeave(deps, payout))) {
    // It may still be cancelled, and is sent when the network is back.
    return waitUnsent(deps, payout)
  }
  return send(deps, provider, payout)
}

/**
 * With the same bytes under the same key the provider reports the order that it has, or sends it now, once, as long as it remembers the
 * key. It may be the first request that arrives, so the rules that forbid a first send apply here too.
 */
async function sendAgain(deps: SendPayoutDeps, provider: Provider, payout: DuePayout): Promise<void> {
  if ((payout.sentSeconds ?? 0) >= provider.capabilities.replaySeconds || hindranceOf(deps, payout) !== undefined) {
    return escalate(deps, payout)
  }
  if (!(await mayLeave(deps, payout))) {
    return scheduleCheck(deps.db, payout, haltedRetrySeconds)
  }
  return send(deps, provider, payout)
}

/** Sends or queries an order that this process has claimed. */
async function checkPayout(deps: SendPayoutDeps, payout: DuePayout): Promise<void> {
  // Operators decide, and queries before their decision move nothing.
  if (payout.held) return scheduleCheck(deps.db, payout, null)
  const provider = providerNamed(deps.providers, payout.environment, payout.provider)
  if (!isInFlight(payout.status)) return queryEnded(deps, provider, payout)
  if (certainlyNothing(payout)) return sendFirst(deps, provider, payout)
  const isOver = (payout.sentSeconds ?? 0) > escalateAfterSeconds
  if (payout.providerReference !== null || provider.capabilities.looksUpOurReference) {
    const outcome = await ask(deps, provider, payout)
    if (outcome === 'ended' || (outcome === 'under_way' && !isOver)) return undefined
    if (isOver) return escalate(deps, payout)
    if (payout.providerReference !== null || provider.capabilities.replaySeconds === 0) {
      // A missing answer proves nothing, and "not found" alone proves nothing.
      await scheduleCheck(deps.db, payout, checkDelay(deps.config, payout.attempts))
      return undefined
    }
  }
  if (payout.providerReference === null && (await settleLost(deps, provider, payout))) return undefined
  return sendAgain(deps, provider, payout)
}

/** Claims single orders that are due, or the named one of any lane, and sends or queries each. Returns how many it claimed. */
export function checkPayouts(deps: SendPayoutDeps, limit: number, only?: { home: number; id: string }): Promise<number> {
  return checkLane(deps, 'single', limit, only)
}

/** As above, in one lane. */
export async function checkLane(
  deps: SendPayoutDeps,
  lane: PayoutLane,
  limit: number,
  only?: { home: number; id: string },
): Promise<number> {
  const due = await claimDuePayouts(deps.db, { limit, leaseSeconds: deps.config.payments.claimLeaseSeconds, lane, only })
  await Promise.all(
    due.map((payout) =>
      inTrace(storedTrace({ ...payout, about: toWire('po', payout.id) }), () =>
        checkPayout(deps, payout).catch((error: unknown) => deps.log.error('payout.check_failed', error)),
      ),
    ),
  )
  return due.length
}
