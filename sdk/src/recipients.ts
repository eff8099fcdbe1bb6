/** Recipients: the names and numbers that a wallet pays again and again. Invariant: a wallet has each number at most once. */
import type { CreateRecipientBody, ListRecipientsQuery, Recipient, UpdateRecipientBody } from './api-types.js'
import { createOnce, type CreateOptions } from './idempotency-key.js'
import { Listing } from './listing.js'
import type { CallOptions, Transport } from './transport.js'

const path = '/v1/recipients'
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`

export class Recipients {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Nothing is sent to the number. A number that is saved already: `recipient_exists`, with the id in `details`. */
  create(recipient: CreateRecipientBody, options: CreateOptions = {}): Promise<Recipient> {
    return createOnce(this.#transport, path, recipient, options)
  }

  get(id: string, options: CallOptions = {}): Promise<Recipient> {
    return this.#transport.data({ ...options, method: 'GET', path: pathOf(id) })
  }

  /** Newest first. `q` is part of the name, or digits of the number. */
  list(params: ListRecipientsQuery = {}, options: CallOptions = {}): Listing<Recipient> {
    return new Listing(this.#transport, path, params, options)
  }

  /** Changes the name; a number never changes. */
  update(id: string, changes: UpdateRecipientBody, options: CallOptions = {}): Promise<Recipient> {
    return this.#transport.data({ ...options, method: 'PATCH', path: pathOf(id), body: changes })
  }

  /** Its payouts stay. Sent once: after a `MalipoConnectionError`, `not_found` means that it is deleted. */
  delete(id: string, options: CallOptions = {}): Promise<{ id: string; deleted: true }> {
    return this.#transport.data({ ...options, method: 'DELETE', path: pathOf(id) })
  }
}
