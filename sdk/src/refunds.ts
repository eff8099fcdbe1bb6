/**
 * Refunds: money of a payment back to the phone that paid. Invariant: one `create` call refunds at most once, with any number of
 * retries.
 */
import type { CreateRefundBody, ListAllRefundsQuery, ListRefundsQuery, Refund } from './api-types.js'
import { createOnce, type CreateOptions } from './idempotency-key.js'
import { Listing } from './listing.js'
import type { CallOptions, Transport } from './transport.js'

const ofPayment = (reference: string): string => `/v1/payments/${encodeURIComponent(reference)}/refunds`
const pathOf = (id: string): string => `/v1/refunds/${encodeURIComponent(id)}`

export class Refunds {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Debits the wallet and sends the money to the phone that paid; without an amount, what is left of the payment. The answer means that the
   * refund exists, not that it has arrived. Errors contain the `idempotencyKey` of the call: retry with that key.
   */
  create(reference: string, refund: CreateRefundBody = {}, options: CreateOptions = {}): Promise<Refund> {
    return createOnce(this.#transport, ofPayment(reference), refund, options)
  }

  get(id: string, options: CallOptions = {}): Promise<Refund> {
    return this.#transport.data({ ...options, method: 'GET', path: pathOf(id) })
  }

  /** The refunds of a payment, newest first. */
  list(reference: string, params: ListRefundsQuery = {}, options: CallOptions = {}): Listing<Refund> {
    return new Listing(this.#transport, ofPayment(reference), params, options)
  }

  /** The refunds of all payments, newest first. */
  listAll(params: ListAllRefundsQuery = {}, options: CallOptions = {}): Listing<Refund> {
    return new Listing(this.#transport, '/v1/refunds', params, options)
  }

  /** Possible only before the refund is sent; `invalid_state` afterwards. Sent once: after a `MalipoConnectionError` read the refund. */
  cancel(id: string, options: CallOptions = {}): Promise<Refund> {
    return this.#transport.data({ ...options, method: 'POST', path: `${pathOf(id)}/cancel`, body: {} })
  }
}
