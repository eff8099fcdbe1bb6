/** `@malipo/sdk`: the API of Malipo for programs with an API key. Names are the same as on the wire: snake_case, as in the reference. */
import type {
  Balance,
  CreatePaymentPageBody,
  Event as WebhookEvent,
  ListEventsQuery,
  ListPaymentPagesQuery,
  ListTransactionsQuery,
  PaymentPage,
  Profile,
  QueuedWebhookDelivery,
  Statement,
  Transaction,
  UpdatePaymentPageBody,
} from './api-types.js'
import { createOnce, type CreateOptions } from './idempotency-key.js'
import { Listing } from './listing.js'
import { PaymentRequests } from './payment-requests.js'
import { Payments } from './payments.js'
import { PayoutBatches } from './payout-batches.js'
import { Payouts } from './payouts.js'
import { Recipients } from './recipients.js'
import { Refunds } from './refunds.js'
import { Transport, type CallOptions, type MalipoOptions } from './transport.js'

export type {
  Balance,
  Checkout,
  CreatedPayment,
  CreatePaymentBody,
  CreatePaymentPageBody,
  CreatePaymentRequestBody,
  ChangePayoutBatchItemBody,
  CreatePayoutBatchBody,
  CreateRecipientBody,
  CreateRefundBody,
  CustomField,
  CustomFieldValue,
  // Every browser has a type with the plain name.
  Event as WebhookEvent,
  Failure,
  Hold,
  ListEventsQuery,
  ListPaymentPagesQuery,
  ListPaymentRequestsQuery,
  ListPaymentsQuery,
  ListPayoutBatchesQuery,
  ListPayoutBatchItemsQuery,
  ListPayoutsQuery,
  ListRecipientsQuery,
  ListAllRefundsQuery,
  ListRefundsQuery,
  ListTransactionsQuery,
  MerchantPayment,
  MerchantPaymentWithTimeline,
  PaymentPage,
  PaymentRequest,
  PaymentStatus,
  Payout,
  PayoutBatch,
  PayoutBatchItem,
  PayoutFee,
  PayoutWarning,
  PayoutWithTimeline,
  Profile,
  QueuedWebhookDelivery,
  Recipient,
  Refund,
  Statement,
  Transaction,
  UpdatePaymentPageBody,
  UpdateRecipientBody,
  BusinessData,
  BusinessRejectedEvent,
  BusinessVerifiedEvent,
  CompletedPaymentData,
  EndedPaymentData,
  PaymentCompletedEvent,
  PaymentExpiredEvent,
  PaymentFailedEvent,
  PaymentVoidedEvent,
  PayoutBatchCompletedEvent,
  PayoutBatchData,
  PayoutCancelledEvent,
  PayoutCompletedEvent,
  PayoutData,
  PayoutFailedEvent,
  PayoutReversedEvent,
  RefundCompletedEvent,
  RefundData,
  RefundFailedEvent,
} from './api-types.js'
export { MalipoAbortedError, MalipoConnectionError, MalipoError, PaymentNotFinalError, PayoutNotEndedError } from './errors.js'
export { eventTypes } from './api-types.js'
export type EventType = WebhookEvent['type']
export type { Listing, Page } from './listing.js'
export type { CreateOptions } from './idempotency-key.js'
export type { CheckoutParams, Payments } from './payments.js'
export type { PaymentRequests } from './payment-requests.js'
export type { PayoutBatches } from './payout-batches.js'
export type { PayoutParams, Payouts } from './payouts.js'
export type { Recipients } from './recipients.js'
export type { Refunds } from './refunds.js'
export type { CallOptions, MalipoOptions } from './transport.js'
export {
  verifyWebhook,
  WebhookVerificationError,
  type RawBody,
  type VerifyWebhookOptions,
  type WebhookHeaders,
  type WebhookRefusal,
} from './webhooks.js'

const pagesPath = '/v1/payment-pages'

const pathOf = (idOrSlug: string): string => `${pagesPath}/${encodeURIComponent(idOrSlug)}`

export class Malipo {
  readonly payments: Payments
  readonly payoutBatches: PayoutBatches
  readonly payouts: Payouts
  readonly paymentRequests: PaymentRequests
  readonly recipients: Recipients
  readonly refunds: Refunds
  readonly #transport: Transport

  constructor(options: MalipoOptions) {
    this.#transport = new Transport(options)
    this.payments = new Payments(this.#transport)
    this.payoutBatches = new PayoutBatches(this.#transport)
    this.payouts = new Payouts(this.#transport)
    this.paymentRequests = new PaymentRequests(this.#transport)
    this.recipients = new Recipients(this.#transport)
    this.refunds = new Refunds(this.#transport)
  }

  readonly profile = {
    /** The account that the key acts for, and the key's permissions. */
    get: (options: CallOptions = {}): Promise<Profile> =>
      this.#transport.data({ ...options, method: 'GET', path: '/v1/profile' }),
  }

  readonly balance = {
    get: (options: CallOptions = {}): Promise<Balance> =>
      this.#transport.data({ ...options, method: 'GET', path: '/v1/balance' }),
  }

  readonly transactions = {
    /** The movements of the wallet, newest first: credits unless `direction` or `type` is sent. */
    list: (params: ListTransactionsQuery = {}, options: CallOptions = {}): Listing<Transaction> =>
      new Listing(this.#transport, '/v1/transactions', params, options),
  }

  readonly statements = {
    /** Opening and closing balance of a month in East Africa Time (`2026-10`), and the totals between them. */
    get: (month: string, options: CallOptions = {}): Promise<Statement> =>
      this.#transport.data({ ...options, method: 'GET', path: `/v1/statement?month=${encodeURIComponent(month)}` }),
  }

  readonly paymentPages = {
    /** Errors contain the `idempotencyKey` of the call: with it, a repeat returns the same page. */
    create: (page: CreatePaymentPageBody, options: CreateOptions = {}): Promise<PaymentPage> =>
      createOnce(this.#transport, pagesPath, page, options),
    get: (idOrSlug: string, options: CallOptions = {}): Promise<PaymentPage> =>
      this.#transport.data({ ...options, method: 'GET', path: pathOf(idOrSlug) }),
    /** Changes only the given fields. */
    update: (idOrSlug: string, changes: UpdatePaymentPageBody, options: CallOptions = {}): Promise<PaymentPage> =>
      this.#transport.data({ ...options, method: 'PATCH', path: pathOf(idOrSlug), body: changes }),
    list: (params: ListPaymentPagesQuery = {}, options: CallOptions = {}): Listing<PaymentPage> =>
      new Listing(this.#transport, pagesPath, params, options),
  }

  readonly events = {
    /** The events of the last 30 days, in the format of webhooks: use it to catch up on events that your server has missed. */
    list: (params: ListEventsQuery = {}, options: CallOptions = {}): Listing<WebhookEvent> =>
      new Listing(this.#transport, '/v1/events', params, options),
    /** Resends an event immediately to the webhook of the key's app. */
    resend: (id: string, options: CallOptions = {}): Promise<{ event_id: string; deliveries: QueuedWebhookDelivery[] }> =>
      this.#transport.data({ ...options, method: 'POST', path: `/v1/events/${encodeURIComponent(id)}/resend` }),
  }
}
