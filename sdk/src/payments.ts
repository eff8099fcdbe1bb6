/**
 * Payments: make one, read them, and wait for a final status. Invariant: one call of `create` or `checkout` makes at most one payment,
 * with any number of retries.
 */
import type {
  Checkout,
  CreatePaymentBody,
  CreatedPayment,
  GetPaymentStatusQuery,
  ListPaymentsQuery,
  MerchantPayment,
  MerchantPaymentWithTimeline,
  PaymentStatus,
  StartCheckoutBody,
} from './api-types.js'
import { MalipoError, PaymentNotFinalError } from './errors.js'
import { createOnce, underKey, type CreateOptions } from './idempotency-key.js'
import { Listing } from './listing.js'
import { isPassing, pause, type CallOptions, type Transport } from './transport.js'

/**
 * Without an `idempotency_key` a random one is made. To be safe across restarts of your program, make one (`randomUUID()`) and
 * store it with your order. Never use an order number: checkouts are public, and a stranger could use that key first.
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

/** The longest time that the service delays an answer. */
const longestWaitSeconds = 25
const leastBetweenAsksMs = 1_000

export class Payments {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Makes a payment without a page, with your own `merchant_reference` and `metadata`, and sends a prompt for the PIN to the payer's
   * phone. The answer means that the payment exists, not that it is paid. Errors contain the `idempotencyKey` of the call: retry with it.
   */
  create(payment: CreatePaymentBody, options: CreateOptions = {}): Promise<CreatedPayment> {
    return createOnce(this.#transport, '/v1/payments', payment, options)
  }

  /** All payments in every status, newest first. */
  list(params: ListPaymentsQuery = {}, options: CallOptions = {}): Listing<MerchantPayment> {
    return new Listing(this.#transport, '/v1/payments', params, options)
  }

  /** One payment with its history. */
  get(reference: string, options: CallOptions = {}): Promise<MerchantPaymentWithTimeline> {
    return this.#transport.data({ ...options, method: 'GET', path: `/v1/payments/${encodeURIComponent(reference)}` })
  }

  /**
   * Sends a prompt for the PIN to the payer's phone. The answer means that the payment exists, not that it is paid. With a
   * `next_step` no prompt has been sent yet: redirect the payer to its `url` to confirm. Errors contain the `idempotencyKey` of the
   * call: retry with it, as the option or as the `idempotency_key` of `params`.
   */
  async checkout(params: CheckoutParams, options: CreateOptions = {}): Promise<Checkout> {
    const path = '/v1/payments/checkout'
    const keyed = 'idempotency_key' in params ? { ...options, idempotencyKey: params.idempotency_key } : options
    return underKey(keyed, (idempotency_key, rest) => {
      const body = { ...params, idempotency_key } satisfies StartCheckoutBody
      return this.#transport.data({ ...rest, method: 'POST', path, body, isPublic: true, repeatable: true })
    })
  }

  /** With `wait` (1–25 seconds) the answer is delayed until the status changes, at most for that time. */
  async status(reference: string, { wait, ...options }: GetPaymentStatusQuery & CallOptions = {}): Promise<PaymentStatus> {
    return this.#transport.data({
      ...options,
      timeoutMs: options.timeoutMs ?? this.#transport.timeoutMs + (wait ?? 0) * 1000,
      method: 'GET',
      path: `/v1/payments/${encodeURIComponent(reference)}/status`,
      query: { wait },
      isPublic: true,
    })
  }

  /**
   * The payment once it is `completed`, `failed`, `voided` or `expired`. After `timeoutMs` (5 minutes by default) it throws
   * `PaymentNotFinalError`, which does not mean that the payment has failed. Shorter outages are retried.
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
        // After a change the next one may follow soon; without a change, do not poll faster than the delayed answers arrive.
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
