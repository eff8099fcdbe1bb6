/**
 * Authentication of callers: bearer keys, scopes, the rate limit. Invariant: a request acts for exactly the account of its key, and
 * each counts once against that account's minute.
 */
import { snippeAccounts, type AccountName, type SimulatorConfig } from './config.ts'
import type { Scope, Switches } from './switches.ts'
import { ProviderRefusal } from './wire.ts'

type RateHeaders = Record<string, string>

const minuteMs = 60_000
/** Shown while no limit is enforced, so that a client that follows the headers is not slowed down. */
const unenforcedLimit = 1_000_000

export class Admission {
  readonly #deps: { config: SimulatorConfig; switches: Switches; now: () => number }
  readonly #windows = new Map<AccountName, { startedAt: number; used: number }>()

  constructor(deps: { config: SimulatorConfig; switches: Switches; now: () => number }) {
    this.#deps = deps
  }

  account(authorization: string | undefined): AccountName {
    const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (key === undefined) throw new ProviderRefusal('missingKey', 'invalid or missing API key')
    const account = snippeAccounts.find((name) => this.#deps.config.accounts[name].apiKey === key)
    if (!account) throw new ProviderRefusal('invalidKey', 'invalid or missing API key')
    return account
  }

  requireScope(scope: Scope): void {
    if (!this.#deps.switches.scopes.includes(scope)) {
      throw new ProviderRefusal('scope', `API key does not have required scope: ${scope}`)
    }
  }

  /** Counts one request. `reset` is in seconds, as published. */
  count(account: AccountName): { allowed: boolean; headers: RateHeaders } {
    const now = this.#deps.now()
    let window = this.#windows.get(account)
    if (!window || now - window.startedAt >= minuteMs) {
      window = { startedAt: now, used: 0 }
      this.#windows.set(account, window)
    }
    window.used++
    const limit = this.#deps.switches.rateLimitPerMinute ?? unenforcedLimit
    return {
      allowed: window.used <= limit,
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - window.used)),
        ...this.#reset(Math.ceil((window.startedAt + minuteMs - now) / 1000)),
      },
    }
  }

  #reset(seconds: number): RateHeaders {
    const forms = { seconds: String(seconds), zero: '0', huge: '99999999999', garbage: 'soon', missing: null }
    const written = forms[this.#deps.switches.rateLimitReset]
    return written === null ? {} : { 'x-ratelimit-reset': written }
  }
}
