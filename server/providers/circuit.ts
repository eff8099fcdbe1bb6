/**
 * Watches one direction of one provider and stops calling it while it ails. Invariant: an open circuit lets nothing through; once its
 * time is over one call tries, and only that one. Each process watches for itself, by a clock that nobody sets: an hour that is put
 * back must not keep payers out for an hour.
 */
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Direction, Trouble } from './provider.ts'

export type CircuitSettings = {
  /** It opens after so many failures in a window, if they are at least half of all calls; at once when our credentials are refused. */
  failures: number
  windowMs: number
  openMs: number
}

/** A read-only view for operators. */
export type CircuitHealth = {
  provider: string
  environment: 'test' | 'live'
  direction: Direction
  state: 'closed' | 'open' | 'half_open'
  since: Date
  lastTrouble: { kind: Trouble; reason: string; at: Date } | null
  /** Calls of the last five minutes, or the last thousand of them. */
  calls: number
  /** 0 to 1; null without calls. */
  successRate: number | null
  latencyMs: { median: number; p95: number } | null
  lastWebhookAt: Date | null
}

/** What a call came to, as far as the circuit cares. */
export type Judged = { kind: string; reason?: string; trouble?: Trouble }

export type Circuit = {
  /** How long a call would be held back now, in ms. */
  waitMs(): number
  /** Lets the call through, or answers what `shut` makes of the time to wait. */
  run<Outcome extends Judged>(call: () => Promise<Outcome>, shut: (afterMs: number) => Outcome): Promise<Outcome>
  /**
   * How long nothing new should be begun, in ms; 0 when it is well. When the time of an open circuit is over, one who asks is told 0, so
   * that one call can try; the others are told to wait for what comes of it.
   */
  pausedForMs(): number
  sawWebhook(): void
  health(): CircuitHealth
}

type Call = { at: number; ms: number; trouble: Trouble | null }

const healthMs = 300_000
const callsKept = 1_000
/** Who was let through to try and never did, is waited for no longer. */
const tryMs = 2_000
const waitForTryMs = 1_000
/** A key that is refused is not right again by itself: it is tried less often. */
const credentialsFactor = 4

function troubleOf(outcome: Judged): Trouble | null {
  return outcome.trouble ?? (outcome.kind === 'not_sent' ? 'outage' : null)
}

export type CircuitOptions = {
  provider: string
  environment: 'test' | 'live'
  direction: Direction
  settings: CircuitSettings
  /** One that is never set. */
  clock: Clock
  log: Log
}

export function createCircuit({ provider, environment, direction, settings, clock, log }: CircuitOptions): Circuit {
  const who = { provider, environment, direction }
  let state: CircuitHealth['state'] = 'closed'
  let calls: Call[] = []
  let countedFrom = 0
  let since = clock.now()
  let openUntil = 0
  let triedAt = 0
  let lastTrouble: CircuitHealth['lastTrouble'] = null
  let lastWebhookAt: number | null = null
  let isAlarmed = false

  const callsOfLast = (ms: number): Call[] => calls.filter(({ at }) => at > clock.now() - ms)

  function become(next: CircuitHealth['state']): void {
    state = next
    since = clock.now()
  }

  /** Whether so much has failed that it is left alone. */
  function isTooMuch(): boolean {
    if (lastTrouble?.kind === 'credentials' && lastTrouble.at.getTime() >= countedFrom) return true
    const recent = callsOfLast(settings.windowMs).filter(({ at }) => at > countedFrom)
    const failed = recent.filter(({ trouble }) => trouble !== null).length
    return failed >= settings.failures && failed * 2 >= recent.length
  }

  function open(): void {
    openUntil = clock.now() + settings.openMs * (lastTrouble?.kind === 'credentials' ? credentialsFactor : 1)
    become('open')
    const fields = { ...who, trouble: lastTrouble?.kind, reason: lastTrouble?.reason }
    if (isAlarmed) return log.warn('a circuit stays open', fields)
    isAlarmed = true
    const alarm =
      lastTrouble?.kind === 'credentials'
        ? 'alert: a provider refuses our credentials; nothing is sent before they are right'
        : 'alert: a provider ails; nothing new is sent to it'
    log.error(alarm, new Error('circuit_open'), fields)
  }

  function close(): void {
    isAlarmed = false
    become('closed')
    log.warn('a circuit closed: the provider is well again', who)
  }

  /** What a call came to, which began while the circuit was in a state. */
  function judge(outcome: Judged, begunIn: CircuitHealth['state']): void {
    const isTrouble = troubleOf(outcome) !== null
    if (begunIn === 'half_open') {
      // What was before it recovered does not count against it again.
      if (!isTrouble) countedFrom = clock.now()
      return isTrouble ? open() : close()
    }
    if (state === 'closed' && isTrouble && isTooMuch()) open()
  }

  async function recorded<Outcome extends Judged>(call: () => Promise<Outcome>): Promise<Outcome> {
    const startedAt = performance.now()
    const outcome = await call()
    const at = clock.now()
    const trouble = troubleOf(outcome)
    calls.push({ at, ms: performance.now() - startedAt, trouble })
    // Halved at once, so that it is not copied with every call.
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
      if (state === 'open') become('half_open')
      const begunIn = state
      try {
        const outcome = await recorded(call)
        judge(outcome, begunIn)
        return outcome
      } catch (error) {
        // A mistake of ours says nothing about the provider; the next one tries.
        if (begunIn === 'half_open') become('open')
        throw error
      }
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
      }
    },
  }
}
