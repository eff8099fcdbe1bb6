/**
 * Payout batches: up to 10,000 payouts in one file, which a person approves in the dashboard. Invariant: no money moves before that, and each
 * row is paid at most once.
 */
import type {
  ChangePayoutBatchItemBody,
  CreatePayoutBatchBody,
  CreatePayoutBatchQuery,
  ListPayoutBatchesQuery,
  ListPayoutBatchItemsQuery,
  PayoutBatch,
  PayoutBatchItem,
} from './api-types.js'
import { createOnce, sendOnce, type CreateOptions } from './idempotency-key.js'
import { Listing } from './listing.js'
import type { CallOptions, Transport } from './transport.js'

const path = '/v1/payout-batches'
const pathOf = (id: string, rest = ''): string => `${path}/${encodeURIComponent(id)}${rest}`

export class PayoutBatches {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Makes a draft. A row with an error does not refuse the batch: see `rows_invalid` and `items`. */
  create(batch: CreatePayoutBatchBody, options: CreateOptions = {}): Promise<PayoutBatch> {
    return createOnce(this.#transport, path, batch, options)
  }

  /** The same from a CSV file in UTF-8, with a header line: amount, phone_number, recipient_name, narration, reference. */
  createFromCsv(csv: string | Uint8Array, options: CreateOptions & CreatePayoutBatchQuery = {}): Promise<PayoutBatch> {
    const { title, ...rest } = options
    return sendOnce(this.#transport, path, { csv, ...(title !== undefined && title !== null && { query: { title } }) }, rest)
  }

  get(id: string, options: CallOptions = {}): Promise<PayoutBatch> {
    return this.#transport.data({ ...options, method: 'GET', path: pathOf(id) })
  }

  /** Newest first. */
  list(params: ListPayoutBatchesQuery = {}, options: CallOptions = {}): Listing<PayoutBatch> {
    return new Listing(this.#transport, path, params, options)
  }

  /** The rows in the order of the file. */
  items(id: string, params: ListPayoutBatchItemsQuery = {}, options: CallOptions = {}): Listing<PayoutBatchItem> {
    return new Listing(this.#transport, pathOf(id, '/items'), params, options)
  }

  /** Corrects or removes a row of a draft. */
  changeItem(id: string, row: number, changes: ChangePayoutBatchItemBody, options: CallOptions = {}): Promise<PayoutBatchItem> {
    return this.#transport.data({ ...options, method: 'PATCH', path: pathOf(id, `/items/${row}`), body: changes })
  }

  /** Sends a draft to the people who may approve it. Its fees must be known. */
  submit(id: string, options: CallOptions = {}): Promise<PayoutBatch> {
    return this.#transport.data({ ...options, method: 'POST', path: pathOf(id, '/submit'), body: {} })
  }

  /** Cancels the rows that were not sent; their money returns. A batch that waits for approval becomes a draft again. */
  stop(id: string, options: CallOptions = {}): Promise<PayoutBatch> {
    return this.#transport.data({ ...options, method: 'POST', path: pathOf(id, '/stop'), body: {} })
  }

  /** Removes a draft. */
  delete(id: string, options: CallOptions = {}): Promise<{ id: string }> {
    return this.#transport.data({ ...options, method: 'DELETE', path: pathOf(id) })
  }
}
