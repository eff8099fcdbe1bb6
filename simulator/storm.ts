/**
 * Random faults, drawn from a seed. Invariant: the faults of a charge or payout depend only on the seed, its own key and the count
 * of its calls, never on the clock or on concurrent calls.
 */
import { createHash } from 'node:crypto'
import type { Books, Fault } from './books.sql.ts'
import type { AccountName } from './config.ts'
import { calm, changed, type FaultKind, type StormChange, type StormSettings } from './storm-settings.ts'
import { ConnectionCut, ProviderRefusal, Spoiled } from './wire.ts'

/** The target of a fault. `key` is the caller's own: the idempotency key, or its substitute. */
export type Struck = { account: AccountName; key: string; reference: string | null }

export type WebhookFate = {
  isLost: boolean
  extraCopies: number
  isSentTwice: boolean
  delayMs: number
  amountOff: number
  flaw: 'bad-signature' | 'old-timestamp' | null
}

const uneventful: WebhookFate = { isLost: false, extraCopies: 0, isSentTwice: false, delayMs: 0, amountOff: 0, flaw: null }
const proxyPage = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'

type Deps = { books: Books; seed: string; now: () => number }

export class Storm {
  readonly #deps: Deps
  readonly #reads = new Map<string, number>()
  #settings = calm

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get settings(): StormSettings {
    return this.#settings
  }

  change(change: StormChange): void {
    this.#settings = changed(this.#settings, change)
  }

  /** Back to calm, with an empty record. */
  end(): void {
    this.#settings = calm
    this.#reads.clear()
    this.#deps.books.forgetFaults()
  }

  record(kind: FaultKind, cause: Fault['cause'], { account, key, reference }: Struck, detail: string | null = null): void {
    this.#deps.books.addFault({ at: this.#deps.now(), kind, cause, account, subject: key, reference, detail })
  }

  /**
   * Whether this fault applies; if so, it is recorded. `occasion` distinguishes the times at which it could apply to the same
   * target.
   */
  strikes(kind: FaultKind, struck: Struck, occasion: string | number, detail: string | null = null): boolean {
    const rate = this.#settings.rates[kind]
    if (rate === 0 || this.#draw(kind, struck.account, struck.key, occasion) >= rate) return false
    this.record(kind, 'storm', struck, detail)
    return true
  }

  answerDelayMs(struck: Struck, occasion: string | number): number {
    return this.#between(this.#settings.answerDelayMs, 'answerDelay', struck, occasion)
  }

  /** Throws instead of an answer when a read is to fail. Each read of the same thing is a separate occasion. */
  spoilRead(kind: 'getFails' | 'listFails', struck: Struck): void {
    // Counted from the storm's beginning, so that it affects the same reads in every run.
    if (this.#settings.rates[kind] === 0) return
    const nth = this.#nthRead(`${kind} ${struck.account} ${struck.key}`)
    if (!this.strikes(kind, struck, nth)) return
    const form = this.#draw('readForm', struck.account, struck.key, nth)
    if (form < 1 / 3) throw new ConnectionCut()
    if (form < 2 / 3) throw new ProviderRefusal('internal', 'internal server error')
    throw new Spoiled({ status: 502, body: proxyPage, contentType: 'text/html' })
  }

  readDelayMs(url: string): number {
    if (this.#settings.answerDelayMs[1] === 0) return 0
    return this.answerDelayMs({ account: 'test', key: url, reference: null }, this.#nthRead(url))
  }

  #nthRead(what: string): number {
    const nth = (this.#reads.get(what) ?? 0) + 1
    this.#reads.set(what, nth)
    return nth
  }

  /** The faults of the event for one move. `amount` is the true one; a false amount differs from it and stays positive. */
  webhookFate(struck: Struck, status: string, amount: number): WebhookFate {
    if (this.strikes('webhookLost', struck, status, status)) return { ...uneventful, isLost: true }
    const isRepeated = this.strikes('webhookRepeated', struck, status, status)
    const isDelayed = this.strikes('webhookDelayed', struck, status, status)
    const isLie = this.strikes('webhookAmountLies', struck, status, status)
    return {
      isLost: false,
      extraCopies: isRepeated ? 1 + Math.floor(this.#draw('copies', struck.account, struck.key, status) * 3) : 0,
      isSentTwice: this.strikes('webhookRepeatedNewId', struck, status, status),
      delayMs: isDelayed ? this.webhookDelayMs(struck, status) : 0,
      amountOff: isLie ? 1 + Math.floor(this.#draw('amount', struck.account, struck.key, status) * amount) : 0,
      flaw: this.#flaw(struck, status),
    }
  }

  webhookDelayMs(struck: Struck, occasion: string): number {
    return this.#between(this.#settings.webhookDelayMs, 'webhookDelay', struck, occasion)
  }

  #flaw(struck: Struck, status: string): WebhookFate['flaw'] {
    if (this.strikes('webhookBadSignature', struck, status, status)) return 'bad-signature'
    return this.strikes('webhookOldTimestamp', struck, status, status) ? 'old-timestamp' : null
  }

  #between([least, most]: readonly [number, number], what: string, struck: Struck, occasion: string | number): number {
    if (most === 0) return 0
    return least + Math.floor(this.#draw(what, struck.account, struck.key, occasion) * (most - least + 1))
  }

  /** A number in [0, 1), the same for the same seed and words. */
  #draw(...words: (string | number)[]): number {
    const seed = this.#settings.seed ?? this.#deps.seed
    const hex = createHash('sha256')
      .update(JSON.stringify([seed, ...words]))
      .digest('hex')
    return Number.parseInt(hex.slice(0, 13), 16) / 16 ** 13
  }
}
