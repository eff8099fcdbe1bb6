/**
 * Sends webhooks: claims due deliveries in batches, posts each one, and records the outcomes in batches. Delivery is at least once: when
 * the sender dies between the answer and the record, the same event is sent again with the same id. No transaction is open while the sender
 * waits for a receiver. A slow receiver delays only itself: live and test have separate slots, and each endpoint and each owner gets only a
 * share of them.
 */
import { liveFirst, type Environment } from '../../domain/environment.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { createBatch } from '../../platform/db/batch.ts'
import type { Clock } from '../../platform/clock.ts'
import { isUnavailable, type Db } from '../../platform/db/db.ts'
import type { Egress, EgressOutcome } from '../../platform/outbound/egress.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import type { Meters } from '../../platform/process/meters.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { inTrace, storedTrace, traceparentOf, type Trace } from '../../platform/process/trace.ts'
import { nextStep, outcomeOf, postpone } from './delivery.ts'
import { claimDeliveries, recordVerdicts, releaseDeliveries, type ClaimedDelivery, type Verdict } from './delivery.sql.ts'
import { eventBody } from './event.ts'
import { createDeliveryMeter } from './meter-deliveries.ts'
import { scrubAnswer } from './scrub-answer.ts'
import { signatureHeaders, unsignedHeaders } from './signature.ts'
import { createSigningKeys, type SigningKeys } from './signing-keys.ts'

export type DeliveryDeps = {
  db: Db
  log: Log
  meters: Meters
  clock: Clock
  config: Pick<Config, 'webhooks'>
  sealer: Sealer
  egress: Egress
  /** From 0 (included) to 1 (not included). */
  random: () => number
}

export type Deliveries = {
  /** Something may be due: check now. */
  wake(): void
  /**
   * Claims nothing more, releases what was not sent, and waits for deliveries in flight, at most `withinMs` (default: as long as one
   * attempt may take). A delivery that is then still in flight keeps its lease. Its outcome is unknown, so it will be sent again.
   */
  stop(withinMs?: number): Promise<void>
}

/** How often it polls, because a wake-up may get lost. */
const pollMs = 2_000
const recordAgainMs = 500
// Small enough that the first deliveries are sent while the next are claimed, so that neither side waits for the other.
const maxClaim = 192
// The time that an attempt may take beyond its deadline: waiting for the database before and after.
const marginMs = 10_000

/** An attempt belongs to the trace of the request that started the payment or payout. */
function traceOf({ requestId, traceId, paymentId, payoutId, eventId }: ClaimedDelivery): Trace {
  const id = paymentId ?? payoutId ?? eventId
  const about = toWire(paymentId !== null ? 'pay' : payoutId !== null ? 'po' : 'evt', id)
  return storedTrace({ requestId: requestId ?? about, traceId, id, about })
}

function messageOf(
  delivery: ClaimedDelivery,
  trace: Trace,
  keys: SigningKeys,
): { headers: Record<string, string>; body: string } {
  const { endpointId, secretSealed, previousSecretSealed } = delivery
  const body = eventBody({ ...delivery, id: delivery.eventId, createdAt: delivery.eventCreatedAt })
  const content = {
    eventId: toWire('evt', delivery.eventId),
    eventType: delivery.type,
    // Uses the database's clock: receivers refuse old timestamps, and the clocks of our processes may differ.
    timestampSeconds: Math.floor(delivery.claimedAt.getTime() / 1000),
    body,
    key: keys.open(endpointId, 'secret', secretSealed),
    previousKey: previousSecretSealed === null ? undefined : keys.open(endpointId, 'previous_secret', previousSecretSealed),
  }
  const traceparent = traceparentOf(trace.traceId)
  return { headers: { ...unsignedHeaders(content), ...signatureHeaders(content), traceparent }, body }
}

function verdictOf(delivery: ClaimedDelivery, outcome: EgressOutcome, deps: DeliveryDeps): Verdict {
  const retryDelaysSeconds = delivery.trigger === 'automatic' ? deps.config.webhooks.retryDelaysSeconds : []
  const { status, delaySeconds, counts } = nextStep(outcome, delivery, { retryDelaysSeconds, random: deps.random })
  const answer = outcome.kind === 'answered' ? outcome : undefined
  const { home, id, leasedBy, type, url, claimedAt } = delivery
  return {
    home,
    deliveryId: id,
    leasedBy,
    status,
    delaySeconds,
    attempt: counts
      ? {
          id: newMoneyId(home),
          eventType: type,
          url,
          ...outcomeOf(outcome),
          responseStatus: answer?.status ?? null,
          responseBody: answer?.body ?? null,
          durationMs: Math.round(outcome.durationMs),
          attemptedAt: claimedAt,
        }
      : null,
  }
}

/** Sends one delivery and returns the next step. A fault on our side postpones the attempt and does not use it up. */
async function attempt(delivery: ClaimedDelivery, trace: Trace, keys: SigningKeys, deps: DeliveryDeps): Promise<Verdict> {
  const { home, id: deliveryId, leasedBy } = delivery
  const { deadlineMs, maxAnswerBytes, keptAnswerBytes } = deps.config.webhooks
  if (!delivery.isWanted) return { home, deliveryId, leasedBy, status: 'cancelled', delaySeconds: null, attempt: null }
  try {
    const message = messageOf(delivery, trace, keys)
    const limits = { deadlineMs, maxAnswerBytes, keptBytes: keptAnswerBytes }
    const response = await deps.egress.post(delivery.url, { ...message, ...limits })
    const outcome = response.kind === 'answered' ? { ...response, body: scrubAnswer(response.body, message.headers) } : response
    const verdict = verdictOf(delivery, outcome, deps)
    if (verdict.status === 'delivered') {
      deps.log.info('webhook.delivered', { event_id: toWire('evt', delivery.eventId), endpoint_id: delivery.endpointId })
    } else {
      deps.log.info('webhook.not_delivered', {
        delivery_id: deliveryId,
        event_id: toWire('evt', delivery.eventId),
        endpoint_id: delivery.endpointId,
        attempts: delivery.attempts + (verdict.attempt ? 1 : 0),
        status: verdict.attempt?.responseStatus,
        error_code: outcome.kind === 'failed' ? outcome.code : undefined,
        next: verdict.status,
      })
    }
    return verdict
  } catch (error) {
    deps.log.error('webhook.send_failed', error, { delivery_id: deliveryId, endpoint_id: delivery.endpointId })
    // A delivery that can never be sent must end like any other chain.
    return verdictOf(delivery, { kind: 'failed', code: 'local_failure', durationMs: 0 }, deps)
  }
}

function withoutAnswer(verdict: Verdict): Verdict {
  return { ...verdict, attempt: verdict.attempt && { ...verdict.attempt, responseBody: null } }
}

/**
 * The next step when the attempt itself cannot be recorded: no further attempt if the receiver accepted it, else a later one, up to the limit
 * of postponements.
 */
function withoutAttempt(delivery: ClaimedDelivery, verdict: Verdict, random: () => number): Verdict {
  const later = verdict.status === 'delivered' ? undefined : postpone(delivery, random)
  if (later) return { ...verdict, status: later.status, delaySeconds: later.delaySeconds, attempt: null }
  // A manual delivery counts as delivered only if its attempt is recorded.
  const isDelivered = verdict.status === 'delivered' && delivery.trigger === 'automatic'
  return { ...verdict, status: isDelivered ? 'delivered' : 'cancelled', delaySeconds: null, attempt: null }
}

export function startDeliveries(deps: DeliveryDeps): Deliveries {
  const keys = createSigningKeys(deps.sealer, deps.clock)
  const meter = createDeliveryMeter(deps.meters)
  const record = createBatch({ run: (verdicts: Verdict[]) => recordVerdicts(deps.db, verdicts) })
  const lanes = liveFirst.map((environment) => startLane(deps, environment, { keys, meter, record }))
  return {
    wake: () => lanes.forEach((lane) => lane.wake()),
    stop: async (withinMs) => void (await Promise.all(lanes.map((lane) => lane.stop(withinMs)))),
  }
}

type Shared = {
  keys: SigningKeys
  meter: ReturnType<typeof createDeliveryMeter>
  record(verdict: Verdict): Promise<boolean>
}

/** Sends the deliveries of one environment, in slots that the other environment cannot take. */
function startLane(deps: DeliveryDeps, environment: Environment, { keys, meter, record }: Shared): Deliveries {
  const { db, log, clock, config } = deps
  const { deadlineMs, perEndpointConcurrency } = config.webhooks
  const { concurrency, perOwnerConcurrency } = config.webhooks.lanes[environment]
  const leaseMs = deadlineMs + marginMs
  const inFlight = new Map<string, { sends: number; merchantId: string }>()
  let inFlightCount = 0
  const sends = new Set<Promise<void>>()
  let isStopping = false
  let isAbandoned = false

  function count({ endpointId, merchantId }: ClaimedDelivery, change: number): void {
    const sum = (inFlight.get(endpointId)?.sends ?? 0) + change
    if (sum === 0) inFlight.delete(endpointId)
    else inFlight.set(endpointId, { sends: sum, merchantId })
    inFlightCount += change
  }

  /** While the database is unavailable, the outcome is kept until the lease ends. After that the delivery is due again anyway. */
  async function recordWhilePossible(delivery: ClaimedDelivery, verdict: Verdict, leaseEndsAt: number): Promise<void> {
    // An outcome that cannot be stored must not make us send without end: each form stores less than the one before.
    const forms = verdict.attempt ? [verdict, withoutAnswer(verdict), withoutAttempt(delivery, verdict, deps.random)] : [verdict]
    for (let form = 0; ;) {
      try {
        const isRecorded = await record(forms[form]!)
        if (!isRecorded) log.warn('webhook.lease_lost', { delivery_id: verdict.deliveryId })
        return
      } catch (error) {
        const isAway = isUnavailable(error) || error instanceof Refusal
        if (isAway && clock.now() < leaseEndsAt && !isAbandoned) {
          await sleep(recordAgainMs)
        } else {
          log.error('webhook.record_failed', error, { delivery_id: verdict.deliveryId })
          form += 1
          if (isAway || form === forms.length) return
        }
      }
    }
  }

  async function deliver(delivery: ClaimedDelivery, trace: Trace, leaseEndsAt: number): Promise<void> {
    let verdict: Verdict
    count(delivery, 1)
    try {
      verdict = await attempt(delivery, trace, keys, deps)
    } finally {
      count(delivery, -1)
      // A slot is free: the next delivery can start while this outcome is recorded.
      loop.wake()
    }
    meter(delivery, verdict)
    // A connection that we cut during shutdown is no evidence about the receiver.
    if (!isAbandoned) await recordWhilePossible(delivery, verdict, leaseEndsAt)
  }

  async function round(): Promise<boolean> {
    // Outcomes that wait to be recorded take no slot, as long as there are not more of them than slots.
    const limit = Math.min(concurrency - inFlightCount, 2 * concurrency - sends.size, maxClaim)
    if (limit <= 0) return false
    const leaseEndsAt = clock.now() + leaseMs
    const claimed = await claimDeliveries(db, {
      leasedBy: randomUUID(),
      leaseSeconds: leaseMs / 1000,
      environment,
      limit,
      perEndpoint: perEndpointConcurrency,
      perOwner: perOwnerConcurrency,
      inFlight,
    })
    if (isStopping) {
      if (claimed.length > 0) await releaseDeliveries(db, claimed)
      return false
    }
    for (const delivery of claimed) {
      const trace = traceOf(delivery)
      const send = inTrace(trace, () => deliver(delivery, trace, leaseEndsAt)).finally(() => {
        sends.delete(send)
        if (sends.size === 0) keys.clear()
        if (sends.size >= concurrency) loop.wake()
      })
      sends.add(send)
    }
    return claimed.length > 0
  }

  const loop = startLoop({ name: `webhooks/deliver-${environment}`, pauseMs: pollMs, round, log, meters: deps.meters })
  return {
    wake: () => loop.wake(),
    async stop(withinMs = deadlineMs + recordAgainMs) {
      isStopping = true
      const timer = new AbortController()
      const limit = sleep(withinMs, undefined, { signal: timer.signal }).catch(() => undefined)
      // The loop stops first: it releases the deliveries that it has just claimed. All others were already in flight.
      await Promise.race([loop.stop().then(() => Promise.allSettled(sends)), limit])
      isAbandoned = true
      timer.abort()
    },
  }
}
