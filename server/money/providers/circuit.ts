/**
 * Watches one direction of one provider and stops calling it while it is unhealthy. Invariant: an open circuit lets no call through; once
 * its time is over, exactly one call tries. Each process watches separately, by a clock that is never set: a clock that is set back by an
 * hour must not keep payers out for an hour.
 */
import type { CircuitState, Direction } from '../../domain/provider.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Trouble } from './provider.ts'

export type CircuitSettings = {
  /** It opens after this many failures in a window, if they are at least half of all calls; at once when our credentials are refused. */
  failures: number
  windowMs: number
  openMs: number
}

/** A read-only view for operators. */
export type CircuitHealth = {
  provider: string
  environment: Environment
  direction: Direction
  state: CircuitState
  since: Date
  lastTrouble: { kind: Trouble; reason: string; at: Date } | null
  /** Calls of the last five minutes, or the last thousand of them. */
  calls: number
  /** 0 to 1; null without calls. */
  successRate: number | null
  latencyMs: { median: number; p95: number } | null
  lastWebhookAt: Date | null
  /** The last refused webhook whose signature is right in another form than the configured one: our setting is wrong. */
  otherSignature: { form: string; at: Date } | null
}

/** The outcome of a call, as far as the circuit needs it. */
export type Judged = { kind: string; reason?: string; trouble?: Trouble }

export type Circuit = {
  /** How long a call would be held back now, in ms. */
  waitMs(): number
  /** Lets the call through, or returns the result of `shut` for the time to wait. */
  run<Outcome extends Judged>(call: () => Promise<Outcome>, shut: (afterMs: number) => Outcome): Promise<Outcome>
  /**
   * How long no new business should start, in ms; 0 when the provider is healthy. When the time of an open circuit is over, one caller
   * gets 0, so that one call can try; the other callers get a wait until its result is known.
   */
  pausedForMs(): number
  sawWebhook(): void
  sawOtherSignature(form: string): void
  health(): CircuitHealth
}

type Call = { at: number; ms: number; trouble: Trouble | null }

const healthMs = 300_000
const callsKept = 1_000
/** How long other callers wait for a caller that was let through to try but has not called. */
const tryMs = 2_000
const waitForTryMs = 1_000
/** Refused credentials do not recover automatically: they are tried less frequently. */
const credentialsFactor = 4

function troubleOf(outcome: Judged): Trouble | null {
  return outcome.trouble ?? (outcome.kind === 'not_sent' ? 'outage' : null)
}

export type CircuitOptions = {
  provider: string
  environment: Environment
  direction: Direction
  settings: CircuitSettings
  /** A clock that is never set. */
  clock: Clock
  log: Log
}

export function createCircuit({ provider, environment, direction, settings, clock, log }: CircuitOptions): Circuit {
  const who = { provider, environment, direction }
  let calls: Call[] = []
  let countedFrom = 0
  let since = clock.now()
  let state: CircuitState = 'closed'
  let trying: symbol | undefined
  let openUntil = 0
  let triedAt = 0
  let lastTrouble: CircuitHealth['lastTrouble'] = null
  let lastWebhookAt: number | null = null
  let otherSignature: CircuitHealth['otherSignature'] = null
  let isAlarmed = false

  const callsOfLast = (ms: number): Call[] => calls.filter(({ at }) => at > clock.now() - ms)

  /** Failures from before its recovery no longer count. */
  function mustOpen(): boolean {
    if (lastTrouble?.kind === 'credentials' && lastTrouble.at.getTime() >= countedFrom) return true
    const recent = callsOfLast(settings.windowMs).filter(({ at }) => at > countedFrom)
    const failed = recent.filter(({ trouble }) => trouble !== null).length
    return failed >= settings.failures && failed * 2 >= recent.length
  }

  function turn(to: CircuitState, by?: symbol): void {
    state = to
    trying = by
    since = clock.now()
  }

  function open(): void {
    // Calls that began earlier may fail one after the other; the first of them has set the time.
    if (state === 'open') return
    const isRefused = lastTrouble?.kind === 'credentials'
    openUntil = clock.now() + settings.openMs * (isRefused ? credentialsFactor : 1)
    turn('open')
    const fields = { ...who, trouble: lastTrouble?.kind, reason: lastTrouble?.reason }
    if (isAlarmed) return log.warn('provider.circuit_stays_open', fields)
    isAlarmed = true
    const event = isRefused ? 'provider.credentials_refused' : 'provider.circuit_opened'
    log.error(event, new Error('circuit_open'), { ...fields, alert: true })
  }

  function close(): void {
    countedFrom = clock.now()
    turn('closed')
    isAlarmed = false
    log.warn('provider.circuit_closed', who)
  }

  /** The one call that tries decides alone, unless a call that began before it has opened the circuit again. */
  async function tryOnce<Outcome extends Judged>(call: () => Promise<Outcome>): Promise<Outcome> {
    const self = Symbol('trial')
    turn('half_open', self)
    let isWell = true
    try {
      const outcome = await recorded(call)
      isWell = troubleOf(outcome) === null
      return outcome
    } finally {
      // An exception is a fault of ours and says nothing about the provider.
      if (trying === self) (isWell ? close : open)()
    }
  }

  async function recorded<Outcome extends Judged>(call: () => Promise<Outcome>): Promise<Outcome> {
    const startedAt = performance.now()
    const outcome = await call()
    const at = clock.now()
    const trouble = troubleOf(outcome)
    calls.push({ at, ms: performance.now() - startedAt, trouble })
    // Halved at once, so that the list is not copied on every call.
    if (calls.length > callsKept * 2) calls = calls.slice(-callsKept)
    if (trouble) lastTrouble = { kind: trouble, reason: outcome.reason ?? outcome.kind, at: new Date(at) }
    return outcome
  }

  function waitMs(): number {
    if (state === 'closed') return 0
    return state === 'half_open' ? waitForTryMs : Math.max(0, openUntil - clock.now())
  }

  return {
    waitMs,

    async run(call, shut) {
      const heldMs = waitMs()
      if (heldMs > 0) return shut(heldMs)
      // The time of an open circuit is over.
      if (state === 'open') return tryOnce(call)
      const outcome = await recorded(call)
      if (troubleOf(outcome) !== null && mustOpen()) open()
      return outcome
    },

    pausedForMs() {
      const heldMs = waitMs()
      if (heldMs > 0 || state === 'closed') return heldMs
      if (clock.now() - triedAt < tryMs) return waitForTryMs
      triedAt = clock.now()
      return 0
    },

    sawWebhook() {
      lastWebhookAt = clock.now()
      otherSignature = null
    },

    sawOtherSignature(form) {
      otherSignature = { form, at: new Date(clock.now()) }
    },

    health() {
      const recent = callsOfLast(healthMs).slice(-callsKept)
      const times = recent.map(({ ms }) => ms).toSorted((one, other) => one - other)
      const at = (share: number): number => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]!)
      return {
        ...who,
        state,
        since: new Date(since),
        lastTrouble,
        calls: recent.length,
        successRate: recent.length === 0 ? null : recent.filter(({ trouble }) => trouble === null).length / recent.length,
        latencyMs: recent.length === 0 ? null : { median: at(0.5), p95: at(0.95) },
        lastWebhookAt: lastWebhookAt === null ? null : new Date(lastWebhookAt),
        otherSignature,
      }
    },
  }
}
