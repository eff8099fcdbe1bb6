/** Counts attempts of webhooks: their outcome, how long receivers took, and the time from the event to its first attempt. */
import type { Meters } from '../../platform/process/meters.ts'
import type { ClaimedDelivery, Verdict } from './delivery.sql.ts'

const bounds = [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 300]

export function createDeliveryMeter(meters: Meters): (delivery: ClaimedDelivery, verdict: Verdict) => void {
  const attempts = meters.counter('malipo_webhook_attempts_total', 'Attempts to deliver a webhook, by outcome.', [
    'trigger',
    'outcome',
    'error',
  ])
  const chains = meters.counter(
    'malipo_webhook_steps_total',
    'The next step after an attempt: delivered, exhausted, or a retry.',
    ['step'],
  )
  const durations = meters.histogram('malipo_webhook_attempt_seconds', 'Duration of attempts.', ['outcome'], bounds)
  const firsts = meters.histogram(
    'malipo_webhook_first_attempt_seconds',
    'Time from an event to the start of its first automatic attempt.',
    [],
    bounds,
  )

  return (delivery, { status, attempt }) => {
    chains({ step: status })
    if (!attempt) return
    attempts({ trigger: delivery.trigger, outcome: attempt.outcome, error: attempt.errorCode ?? 'none' })
    durations({ outcome: attempt.outcome }, attempt.durationMs / 1000)
    const isFirst = delivery.trigger === 'automatic' && delivery.attempts === 0
    // The driver reads the time `infinity` as a number. What cannot be measured must not keep the outcome from being recorded.
    if (isFirst) firsts({}, Math.max(0, Number(delivery.claimedAt) - Number(delivery.eventCreatedAt)) / 1000)
  }
}
