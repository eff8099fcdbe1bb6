/** Payments: start one, follow it to its end. Invariant: one `checkout` call makes at most one payment, however often it is tried. */
import type { Checkout, GetPaymentStatusQuery, PaymentStatus, StartCheckoutBody } from './api-types.js'
import { MalipoError, PaymentNotFinalError } from './errors.js'
import { newIdempotencyKey } from './idempotency-key.js'
import { isPassing, pause, type CallOptions, type Transport } from './transport.js'

/**
 * Without an `idempotency_key` a random one is made. To be safe across restarts of your program, make one (`randomUUID()`) and keep it with
 * your order. Never use an order number: checkouts are public, and a stranger could use that key first.
 */
export type CheckoutParams = Omit<StartCheckoutBody, 'idempotency_key'> & { idempotency_key?: string }

type Status = PaymentStatus['status']

const isFinal: Record<Status, boolean> = {
  pending: false,
  processing: false,
  completed: true,
  failed: true,
  voided: true,
  expired: true,
}

/** The longest that the service holds an answer back. */
const longestWaitSeconds = 25
const leastBetweenAsksMs = 1_000

export class Payments {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Asks the payer's phone for a PIN. The answer means that the payment exists, not that it is paid. With a `next_step` nothing has been sent
   * yet: lead the payer to its `url` to confirm.
   */
  async checkout(params: CheckoutParams, options: CallOptions = {}): Promise<Checkout> {
    const body: StartCheckoutBody = { ...params, idempotency_key: params.idempotency_key ?? newIdempotencyKey() }
    const path = '/v1/payments/checkout'
    const answer = await this.#transport.call<{ data: Checkout }>({
      ...options,
      method: 'POST',
      path,
      body,
      isPublic: true,
      repeatable: true,
    })
    return answer.data
  }

  /** With `wait` (1–25 seconds) the answer is held back until the status changes, at most so long. */
  async status(reference: string, { wait, ...options }: GetPaymentStatusQuery & CallOptions = {}): Promise<PaymentStatus> {
    const answer = await this.#transport.call<{ data: PaymentStatus }>({
      ...options,
      timeoutMs: options.timeoutMs ?? this.#transport.timeoutMs + (wait ?? 0) * 1000,
      method: 'GET',
      path: `/v1/payments/${encodeURIComponent(reference)}/status`,
      query: { wait },
      isPublic: true,
      repeatable: true,
    })
    return answer.data
  }

  /**
   * The payment once it is `completed`, `failed`, `voided` or `expired`. After `timeoutMs` (5 minutes unless said otherwise) it throws
   * `PaymentNotFinalError`, which does not mean that the payment has failed. Outages shorter than that are sat out.
   */
  async waitUntilFinal(reference: string, { timeoutMs = 300_000, signal }: CallOptions = {}): Promise<PaymentStatus> {
    const deadline = Date.now() + timeoutMs
    let last: PaymentStatus | undefined
    let trouble: unknown
    for (;;) {
      const leftMs = deadline - Date.now()
      if (leftMs <= 0) throw new PaymentNotFinalError(reference, last, trouble)
      const askedAt = Date.now()
      let pauseMs = leastBetweenAsksMs
      try {
        const wait = Math.min(longestWaitSeconds, Math.floor(leftMs / 1000)) || undefined
        const payment = await this.status(reference, {
          wait,
          signal,
          timeoutMs: Math.min(leftMs, this.#transport.timeoutMs + 25_000),
        })
        if (isFinal[payment.status]) return payment
        // After a change the next one may be close; without one the answer must not be asked for faster than it is held back.
        if (payment.status !== last?.status) pauseMs = 0
        last = payment
        trouble = undefined
      } catch (error) {
        if (!isPassing(error)) throw error
        trouble = error
        if (error instanceof MalipoError) pauseMs = Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1000)
      }
      const restMs = Math.min(askedAt + pauseMs, deadline) - Date.now()
      if (restMs > 0) await pause(restMs, signal)
    }
  }
}
