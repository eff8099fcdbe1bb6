/** The next step after the outcome of an attempt: done, retry later, or give up. Pure; times come from the database's clock. */
import type { Outcome } from '../../domain/outcome.ts'
import type { EgressOutcome, FailureCode } from '../../platform/outbound/egress.ts'

export type NextStep =
  | { status: 'delivered' | 'exhausted'; delaySeconds: null; counts: true }
  | { status: 'pending'; delaySeconds: number; counts: boolean }

export type Progress = { attempts: number; postponements: number }

/** Contract, section 8: after a delivery ended, its attempts are kept, and events can be listed and sent again, for this many days. */
export const keptDays = 30

type Rules = { retryDelaysSeconds: readonly number[]; random: () => number }

const maxRetryAfterSeconds = 3600
// Doubles from 10 s to 5 min, 300 times: about a day. A name that could not be resolved for that long is no longer our own fault.
const firstPostponementSeconds = 10
const longestPostponementSeconds = 300
const maxPostponements = 300

const ownFaults: Record<FailureCode, boolean> = {
  dns_failure: true,
  dns_timeout: true,
  local_failure: true,
  dns_not_found: false,
  blocked_target: false,
  connection_refused: false,
  connection_reset: false,
  answer_incomplete: false,
  tls_untrusted: false,
  tls_expired: false,
  tls_wrong_host: false,
  tls_error: false,
  timeout: false,
  protocol_error: false,
}

/** ±10 %, so that chains that failed together do not retry together. */
function jittered(seconds: number, random: () => number): number {
  return seconds * (0.9 + 0.2 * random())
}

export function isSuccess(outcome: EgressOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300
}

export function outcomeOf(outcome: EgressOutcome): { outcome: Outcome; errorCode: string | null } {
  if (outcome.kind === 'failed') return { outcome: 'failed', errorCode: outcome.code }
  if (isSuccess(outcome)) return { outcome: 'succeeded', errorCode: null }
  return { outcome: 'failed', errorCode: outcome.status >= 300 && outcome.status < 400 ? 'redirect' : 'unexpected_status' }
}

/** A fault of our own postpones an attempt and does not use it up. Returns undefined when the limit of postponements is reached. */
export function postpone(progress: Progress, random: () => number): (NextStep & { status: 'pending' }) | undefined {
  if (progress.postponements >= maxPostponements) return undefined
  const seconds = Math.min(firstPostponementSeconds * 2 ** progress.postponements, longestPostponementSeconds)
  return { status: 'pending', delaySeconds: jittered(seconds, random), counts: false }
}

/** `retryDelaysSeconds[n]` is the delay between attempt n + 1 and n + 2. After the last delay a chain is exhausted. */
export function nextStep(outcome: EgressOutcome, progress: Progress, { retryDelaysSeconds, random }: Rules): NextStep {
  if (isSuccess(outcome)) return { status: 'delivered', delaySeconds: null, counts: true }
  const postponed = outcome.kind === 'failed' && ownFaults[outcome.code] ? postpone(progress, random) : undefined
  if (postponed) return postponed
  const delay = retryDelaysSeconds[progress.attempts]
  if (delay === undefined) return { status: 'exhausted', delaySeconds: null, counts: true }
  const isBusy = outcome.kind === 'answered' && (outcome.status === 429 || outcome.status === 503)
  const asked = isBusy ? Math.min(outcome.retryAfterSeconds ?? 0, maxRetryAfterSeconds) : 0
  return { status: 'pending', delaySeconds: Math.max(jittered(delay, random), asked), counts: true }
}
