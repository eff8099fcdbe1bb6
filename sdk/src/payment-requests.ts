/** Payment requests: a link on which one customer pays one order. Invariant: one `create` call makes at most one request. */
import type { CreatePaymentRequestBody, ListPaymentRequestsQuery, PaymentRequest } from './api-types.js'
import { createOnce, type CreateOptions } from './idempotency-key.js'
import { Listing } from './listing.js'
import type { CallOptions, Transport } from './transport.js'

const path = '/v1/payment-requests'
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`

export class PaymentRequests {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Errors contain the `idempotencyKey` of the call: with it, a repeat returns the same request. */
  create(request: CreatePaymentRequestBody, options: CreateOptions = {}): Promise<PaymentRequest> {
    return createOnce(this.#transport, path, request, options)
  }

  get(id: string, options: CallOptions = {}): Promise<PaymentRequest> {
    return this.#transport.data({ ...options, method: 'GET', path: pathOf(id) })
  }

  /** Newest first. */
  list(params: ListPaymentRequestsQuery = {}, options: CallOptions = {}): Listing<PaymentRequest> {
    return new Listing(this.#transport, path, params, options)
  }

  /** No payment starts on it afterwards. One that is in progress may still complete; then the request becomes `paid`. */
  cancel(id: string, options: CallOptions = {}): Promise<PaymentRequest> {
    return this.#transport.data({ ...options, method: 'POST', path: `${pathOf(id)}/cancel`, body: {}, repeatable: true })
  }
}
