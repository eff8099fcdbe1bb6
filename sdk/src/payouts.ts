/**
 * Payouts: money from the wallet to a phone. Invariant: one `create` call pays at most once, with any number of retries; the
 * outcome of a payout is never guessed.
 */
import type { CreatePayoutBody, GetPayoutFeeQuery, ListPayoutsQuery, Payout, PayoutFee, PayoutWithTimeline } from './api-types.js'
import { MalipoError, PayoutNotEndedError } from './errors.js'
import { createOnce, type CreateOptions } from './idempotency-key.js'
import { Listing } from './listing.js'
import { isPassing, pause, type CallOptions, type Transport } from './transport.js'

/** The key is an option of the call, as for everything that is created. */
export type PayoutParams = Omit<CreatePayoutBody, 'idempotency_key'>

const hasEnded: Record<Payout['status'], boolean> = {
  pending: false,
  processing: false,
  completed: true,
  failed: true,
  reversed: true,
  cancelled: true,
}

const path = '/v1/payouts'
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`

const firstPauseMs = 1_000
const longestPauseMs = 15_000

export class Payouts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Debits the wallet and sends the money. The answer means that the payout exists, not that it has arrived: call `wait`. Errors
   * contain the `idempotencyKey` of the call: retry with that key, and never with another one, while the outcome is unknown.
   */
  create(params: PayoutParams, options: CreateOptions = {}): Promise<Payout> {
    return createOnce(this.#transport, path, params, options)
  }

  /** Newest first. */
  list(params: ListPayoutsQuery = {}, options: CallOptions = {}): Listing<Payout> {
    return new Listing(this.#transport, path, params, options)
  }

  get(id: string, options: CallOptions = {}): Promise<PayoutWithTimeline> {
    return this.#transport.data({ ...options, method: 'GET', path: pathOf(id) })
  }

  /**
   * The current fee for a payout of this many shillings. `recipient`: its phone number, or the payment to refund; the fee of some
   * providers depends on it, and without it they refuse.
   */
  fee(amount: number, recipient: Omit<GetPayoutFeeQuery, 'amount'> = {}, options: CallOptions = {}): Promise<PayoutFee> {
    const query: GetPayoutFeeQuery = { amount, ...recipient }
    return this.#transport.data({ ...options, method: 'GET', path: `${path}/fee`, query })
  }

  /** Possible only before the payout is sent; `invalid_state` afterwards. Sent once: after a `MalipoConnectionError` read the payout. */
  cancel(id: string, options: CallOptions = {}): Promise<Payout> {
    return this.#transport.data({ ...options, method: 'POST', path: `${pathOf(id)}/cancel` })
  }

  /**
   * The payout once it is `completed`, `failed`, `cancelled` or `reversed`. After `timeoutMs` (5 minutes by default) it throws
   * `PayoutNotEndedError`, which does not mean that it has failed. The network can still reverse a completed payout, days later.
   */
  async wait(id: string, { timeoutMs = 300_000, signal }: CallOptions = {}): Promise<PayoutWithTimeline> {
    const deadline = Date.now() + timeoutMs
    let last: PayoutWithTimeline | undefined
    let trouble: unknown
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
      const leftMs = deadline - Date.now()
      if (leftMs <= 0) throw new PayoutNotEndedError(id, last, trouble)
      let restMs = pauseMs
      try {
        last = await this.get(id, { signal, timeoutMs: Math.min(leftMs, this.#transport.timeoutMs) })
        trouble = undefined
        if (hasEnded[last.status]) return last
      } catch (error) {
        if (!isPassing(error)) throw error
        trouble = error
        if (error instanceof MalipoError) restMs = Math.max(restMs, (error.retryAfterSeconds ?? 0) * 1000)
      }
      await pause(Math.max(0, Math.min(restMs, deadline - Date.now())), signal)
    }
  }
}
