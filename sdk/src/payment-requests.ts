/** Payment requests: a link on which one customer pays one order. Invariant: one `create` call makes at most one request. */
import type { CreatePaymentRequestBody, ListPaymentRequestsQuery, PaymentRequest } from './api-types.js'
import { MalipoConnectionError, MalipoError } from './errors.js'
import { newIdempotencyKey } from './idempotency-key.js'
import { Listing } from './listing.js'
import type { CallOptions, Transport } from './transport.js'

/** Without an `idempotencyKey` one is made. To be safe across restarts too, make your own and store it before you call. */
export type CreateRequestOptions = CallOptions & { idempotencyKey?: string }

const path = '/v1/payment-requests'
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`

export class PaymentRequests {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Errors contain the `idempotencyKey` of the call: with it, a repeat returns the same request. */
  async create(request: CreatePaymentRequestBody, options: CreateRequestOptions = {}): Promise<PaymentRequest> {
    const { idempotencyKey = newIdempotencyKey(), ...rest } = options
    try {
      return await this.#data({ ...rest, method: 'POST', path, body: request, idempotencyKey, repeatable: true })
    } catch (error) {
      if (error instanceof MalipoError || error instanceof MalipoConnectionError) error.idempotencyKey = idempotencyKey
      throw error
    }
  }

  get(id: string, options: CallOptions = {}): Promise<PaymentRequest> {
    return this.#data({ ...options, method: 'GET', path: pathOf(id), repeatable: true })
  }

  /** Newest first. */
  list(params: ListPaymentRequestsQuery = {}, options: CallOptions = {}): Listing<PaymentRequest> {
    return new Listing(this.#transport, path, params, options)
  }

  /** No payment starts on it afterwards. One that is in progress may still complete; then the request becomes `paid`. */
  cancel(id: string, options: CallOptions = {}): Promise<PaymentRequest> {
    return this.#data({ ...options, method: 'POST', path: `${pathOf(id)}/cancel`, body: {}, repeatable: true })
  }

  async #data(call: Parameters<Transport['call']>[0]): Promise<PaymentRequest> {
    return (await this.#transport.call<{ data: PaymentRequest }>(call)).data
  }
}
