/** The types of the API. Written by scripts/generate-sdk-types.ts from /openapi.json: change the API, then run it again. */

export type Balance = {
  currency: 'TZS'
  /** TZS that can be paid out now. */
  available: number
  /** TZS reserved for payouts in flight. */
  reserved: number
  total: number
  /** TZS that you owe, because an earlier payout was returned to the wallet but then paid anyway. The next credits repay it first. Until then payouts are on hold. */
  receivable: number
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  as_of: string
}

export type BusinessData = {
  id: string
  status: 'verified' | 'rejected'
  decided_at: string
  updated_at: string
}

/** A reviewer has rejected the business. Sent in test and in live. */
export type BusinessRejectedEvent = {
  id: string
  type: 'business.rejected'
  created_at: string
  data: BusinessData
}

/** A reviewer has verified the business. Sent in test and in live. */
export type BusinessVerifiedEvent = {
  id: string
  type: 'business.verified'
  created_at: string
  data: BusinessData
}

export type ChangePayoutBatchItemBody = {
  /** TZS that the recipient receives. */
  amount?: number
  phone_number?: string
  recipient_name?: string
  /** Text for the recipient, if the network shows it. */
  narration?: string | null
  /** Your own reference. */
  reference?: string | null
  /** Removes the row. Send no other field with it. */
  removed?: true
}

export type Checkout = {
  /** The payment reference. */
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  currency: 'TZS'
  /** Guessed from the number until the provider reports it. */
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  phone_masked: string
  expires_at: string
  poll_after_ms: number
  status_url: string
  /** Proves that you started this checkout. Keep it secret. */
  checkout_token: string
  /** Present while the payer must confirm before a payment request is sent: redirect the payer to `url`, a page of ours with one button. If the payer does not confirm within ten minutes, the payment becomes `expired`. */
  next_step?: {
    type: 'confirm'
    url: string
  }
}

export type CompletedPaymentData = {
  /** The payment reference. */
  reference: string
  /** The page that the payment was made on. Null for a payment that your server requested. */
  payment_page_id: string | null
  /** TZS. */
  amount: number
  /** TZS that was received and credited. Present only if it differs from `amount`. */
  amount_received?: number
  currency: string
  completed_at: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  /** The number in the network’s message to the payer. Null while we do not know it. */
  network_receipt: string | null
  /** Your own order number, if you sent one with the payment. */
  merchant_reference?: string
  /** Your own data, if you sent any with the payment. */
  metadata?: Record<string, string>
  /** What the payer gave in the fields of the page, with the labels that the payer saw. */
  custom_fields?: CustomFieldValue[]
}

export type CreatePaymentBody = {
  /** A whole number of TZS, at least 500. */
  amount: number
  /** Optional. If sent, it must be `TZS`. */
  currency?: string
  /** The payer’s mobile money number, in any common format. */
  phone_number: string
  /** What the payer pays for. The payer sees it on the receipt and while the payment is open. */
  description: string
  customer_name?: string | null
  /** Where the receipt is sent. Without it, none is sent. */
  customer_email?: string | null
  /** The mobile network of the payer, if you know it. */
  network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
  /** Your own order number. It need not be unique, and the payer does not see it. */
  merchant_reference?: string | null
  /** Your own data, up to 20 entries. The payer does not see it. */
  metadata?: Record<string, string>
  /** Language of the messages to the payer. Default: Swahili. */
  language?: 'sw' | 'en'
}

export type CreatePaymentPageBody = {
  /** What the payer pays for. */
  title: string
  description?: string | null
  /** TZS. With `allow_custom_amount`, a suggested amount. */
  amount?: number | null
  allow_custom_amount?: boolean
  /** TZS, at least 500. */
  min_amount?: number
  /** TZS. Null means 10000000. */
  max_amount?: number | null
  /** So many, and then no more. */
  max_payments?: number | null
  active?: boolean
  /** Shown while not `active`. */
  inactive_message?: string | null
  expires_at?: string | null
  /** Where the payer goes after completion, with `reference` and `status=completed` added. An https URL; on a live page, of a host of yours (`/v1/merchant/redirect-hosts`, or the website of the business). Anyone can open it, so it does not prove a payment: read the status, or wait for `payment.completed`. */
  redirect_url?: string | null
  /** Shown after the payment. */
  success_message?: string | null
  language?: 'sw' | 'en' | 'auto'
  /** Your own data. */
  metadata?: Record<string, string>
  /** Up to five fields that the payer fills in besides the payment, in this order. An update replaces all of them. */
  custom_fields?: ({
    /** Names the field in requests and answers. Unique on the page. */
    key: string
    /** What the payer reads. */
    label: string
    type: 'text' | 'number' | 'choice'
    required?: boolean
    /** For `choice`: 1 to 20 different texts, one of which the payer selects. Empty for other types. */
    choices?: string[]
  })[]
  type: 'wallet_topup' | 'payment' | 'invoice' | 'donation' | 'event' | 'contribution'
  slug?: string
  /** Optional. If sent, it must be `TZS`. */
  currency?: string
}

export type CreatePaymentRequestBody = {
  /** TZS. The customer cannot change it. */
  amount: number
  /** What the customer pays for. */
  title: string
  description?: string | null
  /** Your own order number; it need not be unique. */
  merchant_reference?: string | null
  /** Your own data: at most 20 values. */
  metadata?: Record<string, string>
  /** Fills the form. The customer can change it, and everyone with the link can read it until it is paid. */
  customer?: {
    name?: string | null
    email?: string | null
    phone_number?: string | null
  } | null
  expires_at?: string | null
  /** Where the payer goes after completion, with `reference` and `status=completed` added. An https URL; on a live page, of a host of yours (`/v1/merchant/redirect-hosts`, or the website of the business). Anyone can open it, so it does not prove a payment: read the status, or wait for `payment.completed`. */
  redirect_url?: string | null
  /** Shown after the payment. */
  success_message?: string | null
  language?: 'sw' | 'en' | 'auto'
}

export type CreatePayoutBatchBody = {
  /** For your own overview. */
  title?: string | null
  /** 1 to 10000 items with the fields of a row. */
  items: ({
    amount: number
    phone_number: string
    recipient_name: string
    narration?: string | null
    reference?: string | null
  })[]
}

export type CreatePayoutBatchQuery = {
  /** The title of a batch that is sent as CSV. */
  title?: string | null
}

export type CreatePayoutBody = {
  /** TZS that the recipient receives. The fee is debited in addition. */
  amount: number
  phone_number: string
  recipient_name: string
  /** Text for the recipient, if the network shows it. */
  narration?: string | null
  /** Your own reference. */
  reference?: string | null
  metadata?: Record<string, string>
  /** Alternative to the header `Idempotency-Key`. */
  idempotency_key?: string
}

export type CreateRecipientBody = {
  name: string
  phone_number: string
}

export type CreateRefundBody = {
  /** TZS that the payer receives. Without it: what is left of the payment. */
  amount?: number
  /** Your own note. The payer does not see it. */
  reason?: string | null
  /** Your own reference. */
  merchant_reference?: string | null
}

export type CreatedPayment = {
  /** The payment reference. */
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  currency: 'TZS'
  /** Guessed from the number until the provider reports it. */
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  phone_masked: string
  expires_at: string
  poll_after_ms: number
  status_url: string
  /** Proves that you started this checkout. Keep it secret. */
  checkout_token: string
  /** Present while the payer must confirm before a payment request is sent: redirect the payer to `url`, a page of ours with one button. If the payer does not confirm within ten minutes, the payment becomes `expired`. */
  next_step?: {
    type: 'confirm'
    url: string
  }
  /** Null: it has no page. */
  payment_page_id: string | null
  description: string
  merchant_reference: string | null
  metadata: Record<string, string>
}

export type CustomField = {
  key: string
  label: string
  type: 'text' | 'number' | 'choice'
  required: boolean
  choices: string[]
}

export type CustomFieldValue = {
  key: string
  label: string
  value: string
}

export type EndedPaymentData = {
  /** The payment reference. */
  reference: string
  /** The page that the payment was made on. Null for a payment that your server requested. */
  payment_page_id: string | null
  /** TZS. */
  amount: number
  currency: string
  status: 'failed' | 'voided' | 'expired'
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** Set if the status is `failed`. */
  failure: {
    code: 'insufficient_funds' | 'wrong_pin' | 'declined_by_payer' | 'prompt_timeout' | 'payer_not_found' | 'payer_limit' | 'payer_busy' | 'network_unavailable' | 'provider_error'
  } | null
  created_at: string
  updated_at: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  /** The number in the network’s message to the payer. Null while we do not know it. */
  network_receipt: string | null
  /** Your own order number, if you sent one with the payment. */
  merchant_reference?: string
  /** Your own data, if you sent any with the payment. */
  metadata?: Record<string, string>
  /** What the payer gave in the fields of the page, with the labels that the payer saw. */
  custom_fields?: CustomFieldValue[]
}

/** Every error has this shape. With `Accept: application/problem+json` the same facts are returned as RFC 9457. */
export type ErrorAnswer = {
  error: {
    type: 'invalid_request' | 'authentication' | 'permission' | 'not_found' | 'conflict' | 'idempotency' | 'rate_limit' | 'payment' | 'api_error'
    /** Stable. Clients branch on it. */
    code: string
    /** For people to read. The text may change. */
    message: string
    /** A sentence in Swahili about the same error, for the person at the screen. */
    message_sw: string
    param?: string
    errors?: {
      field: string
      code: string
      message: string
      message_sw: string
    }[]
    details?: Record<string, unknown>
    request_id: string
    doc_url: string
  }
}

/** The content of a webhook for this event. */
export type Event = PaymentCompletedEvent | PaymentFailedEvent | PaymentVoidedEvent | PaymentExpiredEvent | PayoutCompletedEvent | PayoutFailedEvent | PayoutReversedEvent | PayoutCancelledEvent | RefundCompletedEvent | RefundFailedEvent | PayoutBatchCompletedEvent | BusinessVerifiedEvent | BusinessRejectedEvent

export type GetPaymentStatusQuery = {
  wait?: number
}

export type GetPayoutFeeQuery = {
  amount: number
  phone_number?: string
  /** For a refund: the reference of the payment. */
  payment?: string
  /** The name that the payout would have. */
  recipient_name?: string
}

export type ListEventsQuery = {
  type?: 'payment.completed' | 'payment.failed' | 'payment.voided' | 'payment.expired' | 'payout.completed' | 'payout.failed' | 'payout.reversed' | 'payout.cancelled' | 'refund.completed' | 'refund.failed' | 'payout_batch.completed' | 'business.verified' | 'business.rejected'
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
}

export type ListPaymentPagesQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
}

export type ListPaymentRequestsQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  status?: 'open' | 'paid' | 'expired' | 'cancelled'
  merchant_reference?: string
}

export type ListPaymentsQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  status?: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
  payment_page_id?: string
  payment_request_id?: string
  /** Your own order number, whole. */
  merchant_reference?: string
  /** The whole number of the payer, in any common format. */
  phone_number?: string
  /** Only payments with these entries: `metadata[order_id]=1001`. */
  metadata?: Record<string, string>
  min_amount?: number
  max_amount?: number
  /** A reference, a short code or a network receipt (five characters of one are enough), the payer’s number or three digits of it, or part of the name, the e-mail address or your own reference. */
  q?: string
}

export type ListPayoutBatchItemsQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  status?: 'invalid' | 'ready' | 'removed' | 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** Only the rows that have warnings, or only the others. */
  with_warnings?: 'true' | 'false'
}

export type ListPayoutBatchesQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  status?: 'draft' | 'waiting' | 'running' | 'done' | 'stopped'
}

export type ListPayoutsQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** Your own reference, whole. */
  reference?: string
  /** The id of a payout or of its batch, the recipient’s number or three digits of it, or part of the recipient’s name or of your own reference. */
  q?: string
}

export type ListRecipientsQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  /** Part of the name, or digits of the number as dialled or stored. */
  q?: string
  /** The recipient with this number. */
  phone_number?: string
}

export type ListRefundsQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
}

export type ListTransactionsQuery = {
  /** Entries in the answer; 20 without it. */
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  direction?: 'credit' | 'debit' | 'all'
  type?: 'payment' | 'payout' | 'payout_reversal' | 'refund' | 'refund_reversal' | 'adjustment' | 'fee'
  /** A payment reference. */
  reference?: string
  payment_page_id?: string
  /** Only transactions of this payout. With `direction=all`: what was debited and what was returned. */
  payout_id?: string
  min_amount?: number
  max_amount?: number
  /** Only transactions of the payments that the same `q` finds in the list of payments, with their refunds: at most 100 payments. */
  q?: string
}

export type MerchantPayment = {
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  /** The number that the payer’s network printed in its message to the payer. Null if we do not know it. */
  network_receipt: string | null
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  /** TZS that was received and credited, if it differs from `amount`. Otherwise null. */
  amount_received: number | null
  currency: 'TZS'
  payment_page_id: string | null
  /** The page that it was made on. Null for a payment that your server requested. */
  payment_page: {
    id: string
    title: string
    slug: string
  } | null
  /** The payment request that it was made for. */
  payment_request_id: string | null
  /** Name and e-mail address are null if a payment by key was made without them. The address is also null if the payer left it out on our hosted page. */
  customer: {
    name: string | null
    email: string | null
    phone_masked: string
  }
  /** What the payer gave in the fields of the page, with the labels that the payer saw. */
  custom_fields: CustomFieldValue[]
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** What the payer pays for, set with the payment. Null: the title of the page says it. */
  description: string | null
  /** Your own order number. The payer does not see it. */
  merchant_reference: string | null
  /** Your own data. The payer does not see it. */
  metadata: Record<string, string>
  failure: {
    code: string
    message: string
    retryable: boolean
  } | null
  /** The payment succeeded after it had already ended as failed, voided or expired. */
  late: boolean
  /** When the credit was taken back, because the network showed that the payment was not paid. The status does not change. */
  credit_reversed_at: string | null
  /** TZS of the refunds that have not failed, including those in flight. */
  refunded_amount: number
  /** How much of the payment was refunded. The status does not change. */
  refund_status: 'none' | 'partial' | 'full'
  /** Set while the network’s record of this payment does not match our books and operators are reviewing it. `amount_differs`: a different amount was received; it is not credited until operators decide. */
  under_review: {
    since: string
    reason: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
  } | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  created_at: string
  expires_at: string
  completed_at: string | null
}

export type MerchantPaymentWithTimeline = {
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  /** The number that the payer’s network printed in its message to the payer. Null if we do not know it. */
  network_receipt: string | null
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  /** TZS that was received and credited, if it differs from `amount`. Otherwise null. */
  amount_received: number | null
  currency: 'TZS'
  payment_page_id: string | null
  /** The page that it was made on. Null for a payment that your server requested. */
  payment_page: {
    id: string
    title: string
    slug: string
  } | null
  /** The payment request that it was made for. */
  payment_request_id: string | null
  /** Name and e-mail address are null if a payment by key was made without them. The address is also null if the payer left it out on our hosted page. */
  customer: {
    name: string | null
    email: string | null
    phone_masked: string
  }
  /** What the payer gave in the fields of the page, with the labels that the payer saw. */
  custom_fields: CustomFieldValue[]
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** What the payer pays for, set with the payment. Null: the title of the page says it. */
  description: string | null
  /** Your own order number. The payer does not see it. */
  merchant_reference: string | null
  /** Your own data. The payer does not see it. */
  metadata: Record<string, string>
  failure: {
    code: string
    message: string
    retryable: boolean
  } | null
  /** The payment succeeded after it had already ended as failed, voided or expired. */
  late: boolean
  /** When the credit was taken back, because the network showed that the payment was not paid. The status does not change. */
  credit_reversed_at: string | null
  /** TZS of the refunds that have not failed, including those in flight. */
  refunded_amount: number
  /** How much of the payment was refunded. The status does not change. */
  refund_status: 'none' | 'partial' | 'full'
  /** Set while the network’s record of this payment does not match our books and operators are reviewing it. `amount_differs`: a different amount was received; it is not credited until operators decide. */
  under_review: {
    since: string
    reason: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
  } | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  created_at: string
  expires_at: string
  completed_at: string | null
  /** TZS that we kept as our fee. Null until the wallet is credited. */
  fee: number | null
  /** TZS credited to the wallet. Null until it is credited. */
  net: number | null
  /** Oldest first. */
  timeline: ({
    type: 'status'
    at: string
    status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  } | {
    type: 'provider_message'
    at: string
    /** The status that the provider reported. Null if its message contains none. */
    status: string | null
    failure_code: string | null
  } | {
    type: 'transaction'
    at: string
    transaction_id: string
    direction: 'credit' | 'debit'
    amount: number
    /** Null for a person without the permission `wallet.read` or `statements.read`, and for a key without the scope `balance:read` or `transactions:read`. */
    balance_after: number | null
  } | {
    type: 'event'
    at: string
    event_id: string
    event_type: string
  } | {
    type: 'webhook_attempt'
    at: string
    event_type: string
    delivery_id: string
    app_id: string
    /** Null for a person without the permission `apps.write` or `events.read`, and for a key without the scope `transactions:read`. */
    url: string | null
    attempt: number
    trigger: 'automatic' | 'manual' | 'test'
    outcome: 'succeeded' | 'failed'
    response_status: number | null
    error_code: string | null
  })[]
}

/** The payer has paid, and the wallet is credited. */
export type PaymentCompletedEvent = {
  id: string
  type: 'payment.completed'
  created_at: string
  data: CompletedPaymentData
}

/** The time to pay is over, and the provider has no success. A late success is possible, as after a failure. */
export type PaymentExpiredEvent = {
  id: string
  type: 'payment.expired'
  created_at: string
  data: EndedPaymentData
}

/** The payment has failed; `failure.code` says why. If the money arrives nevertheless, `payment.completed` follows. */
export type PaymentFailedEvent = {
  id: string
  type: 'payment.failed'
  created_at: string
  data: EndedPaymentData
}

export type PaymentPage = {
  id: string
  type: 'wallet_topup' | 'payment' | 'invoice' | 'donation' | 'event' | 'contribution'
  slug: string
  /** The page on which payers pay. */
  url: string
  title: string
  description: string | null
  /** TZS. With `allow_custom_amount`, a suggested amount. */
  amount: number | null
  allow_custom_amount: boolean
  /** TZS, at least 500. */
  min_amount: number
  /** TZS. Null means 10000000. */
  max_amount: number | null
  /** So many, and then no more. */
  max_payments: number | null
  active: boolean
  inactive_message: string | null
  expires_at: string | null
  redirect_url: string | null
  success_message: string | null
  language: 'sw' | 'en' | 'auto'
  metadata: Record<string, string>
  custom_fields: CustomField[]
  currency: 'TZS'
  paid_count: number
  /** TZS. Null for a person without the permission `wallet.read` or `statements.read`, and for a key without the scope `balance:read` or `transactions:read`. */
  paid_total: number | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  owner: {
    type: 'personal' | 'business'
    id: string
  }
  /** Set while operators have suspended the account: it takes no new payments and makes no payouts. Null if it is not suspended. */
  suspension: {
    reason: string
    since: string
  } | null
  /** Only when a single live page is read: since when some or all payers must confirm before a payment request is sent. Null if no confirmation is required. */
  confirming_since?: string | null
  /** Why confirmation is required. `pace`: checkouts of the page, or of all your pages, start far more often than usual. `network`: many new phones from one IP network did not pay, and only payers from that network confirm. `ordered`: our operators ordered it. */
  confirming_reason?: 'pace' | 'network' | 'ordered' | null
  created_at: string
  updated_at: string
}

export type PaymentRequest = {
  id: string
  /** The page on which the customer pays. Send it to the customer. */
  url: string
  /** `open`: the customer can pay. `paid`: a payment has completed; this is final. `expired` and `cancelled`: no new payment can start, but one that was in progress may still complete, and then the status becomes `paid`. */
  status: 'open' | 'paid' | 'expired' | 'cancelled'
  /** The reference of the payment that paid it. Null until it is paid. */
  payment: string | null
  /** How many payments completed. More than 1 only if a payment that had failed or expired succeeded late, after the customer paid again: refund one of them. */
  paid_count: number
  paid_at: string | null
  /** TZS. */
  amount: number
  currency: 'TZS'
  title: string
  description: string | null
  /** Your own order number. The customer does not see it. */
  merchant_reference: string | null
  /** Your own data. The customer does not see it. */
  metadata: Record<string, string>
  /** Fills the form of the customer, who can change it. */
  customer: {
    name: string | null
    email: string | null
    /** E.164. Null for a person without the permission `payers.read` or `pages.write`, and for a key without the scope `pages:write`. */
    phone_number: string | null
    phone_masked: string | null
  }
  expires_at: string | null
  redirect_url: string | null
  success_message: string | null
  language: 'sw' | 'en' | 'auto'
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  cancelled_at: string | null
  created_at: string
}

export type PaymentStatus = {
  /** The payment reference. */
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  amount: number
  currency: 'TZS'
  page: {
    title: string
    slug: string
  }
  merchant_name: string
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  phone_masked: string
  /** Whether the payment request can be sent to the phone again now. */
  can_resend: boolean
  /** When the payment request can be sent again. Null: never. */
  resend_at: string | null
  /** The payer has cancelled. The payment ends as `voided`, unless it was paid anyway. */
  cancel_requested: boolean
  expires_at: string
  completed_at: string | null
  /** The payment succeeded after it had already ended as failed, voided or expired. */
  late: boolean
  receipt_url: string | null
  failure: {
    code: string
    message: string
    message_sw: string
    retryable: boolean
  } | null
  /** Present while the payer must confirm before a payment request is sent: redirect the payer to `url`, a page of ours with one button. If the payer does not confirm within ten minutes, the payment becomes `expired`. */
  next_step?: {
    type: 'confirm'
    url: string
  }
}

/** The payment was cancelled. A late success is possible, as after a failure. */
export type PaymentVoidedEvent = {
  id: string
  type: 'payment.voided'
  created_at: string
  data: EndedPaymentData
}

export type Payout = {
  id: string
  /** The wallet is debited when the payout is created. A payout that is `failed`, `cancelled` or `reversed` has returned everything to the wallet. */
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** TZS that the recipient receives. */
  amount: number
  /** TZS debited in addition to the amount. */
  fee: number
  total_debited: number
  currency: 'TZS'
  phone_number: string
  recipient_name: string
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  narration: string | null
  /** Your own reference. */
  reference: string | null
  metadata: Record<string, string>
  /** What to check, found when the payout was requested. `recipient_name_differs`: the last completed payout of this wallet to the number had another name; case, accents, punctuation and the order of words make no difference. The payout is sent all the same. */
  warnings: PayoutWarning[]
  /** `required`: the payout waits for the approval of `approval_by`. */
  approval: 'none' | 'required' | 'approved' | 'refused'
  /** `members`: of your business, by its approval rule. `operators`: of this service; they decide after the members. Null: it needs no approval. */
  approval_by: 'members' | 'operators' | null
  /** A first payout to a recipient is sent only after this time, and can be cancelled until then. Null if it does not wait. */
  waits_until: string | null
  failure: {
    code: string
    message: string
  } | null
  /** Set while the provider’s record of this payout does not match our books and operators are reviewing it. */
  under_review: {
    since: string
    reason: 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'fee_differs'
  } | null
  /** The payout batch that it belongs to. */
  batch_id: string | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  created_at: string
  completed_at: string | null
  reversed_at: string | null
}

export type PayoutBatch = {
  id: string
  title: string | null
  /** A `draft` moves no money. `waiting`: sent to the members who may approve it. Approved, it is `running` until every payout has ended: then it is `done`. A `stopped` batch sends no further rows. */
  status: 'draft' | 'waiting' | 'running' | 'done' | 'stopped'
  /** Send it with your decision: the decision counts only for the rows that you have read. */
  version: number
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  /** Rows that were not removed. */
  rows: number
  /** Rows with an error. A batch with such rows cannot be approved. */
  rows_invalid: number
  rows_with_warnings: number
  /** TZS that the recipients receive. */
  total: number
  /** TZS debited in addition. Null while the provider is asked for its fees. */
  fees: number | null
  total_debited: number | null
  warnings: {
    code: 'same_file'
    batch_id: string
    created_at: string
  }[]
  progress: {
    /** Payouts that were not sent yet. */
    waiting: number
    /** Payouts that were sent and have not ended. */
    sent: number
    completed: number
    /** Payouts whose money is back in the wallet, also those that the network returned. */
    failed: number
    cancelled: number
    /** TZS that have arrived. */
    paid_amount: number
  }
  approval: 'none' | 'required' | 'approved' | 'refused'
  failure: {
    code: string
    message: string
  } | null
  /** The user or key that created it. */
  requested_by: string
  created_at: string
  approved_at: string | null
  /** When the last payout ended. */
  finished_at: string | null
  stopped_at: string | null
}

/** Every payout of the batch has ended, also after it was stopped. Sent once, beside the events of its payouts. */
export type PayoutBatchCompletedEvent = {
  id: string
  type: 'payout_batch.completed'
  created_at: string
  data: PayoutBatchData
}

export type PayoutBatchData = {
  id: string
  status: 'done' | 'stopped'
  rows: number
  /** TZS that the recipients of all rows were to receive. */
  total: number
  /** TZS debited in addition. */
  fees: number
  currency: string
  /** Rows whose recipient has the money. */
  completed: number
  /** Rows whose money is back in the wallet. */
  failed: number
  /** Rows that were never sent. */
  cancelled: number
  /** TZS that have arrived. */
  paid_amount: number
  created_at: string
  approved_at: string
  finished_at: string
  updated_at: string
}

export type PayoutBatchItem = {
  /** The place of the row, from 1. */
  row: number
  /** The line of the file that it starts on. Null if it was sent as JSON. */
  line: number | null
  /** `invalid`, `ready` or `removed` in a draft; then the status of its payout. */
  status: 'invalid' | 'ready' | 'removed' | 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  amount: number | null
  phone_number: string | null
  recipient_name: string | null
  narration: string | null
  reference: string | null
  fee: number | null
  errors: ({
    column: string | null
    code: string
    message: string
    value: string | null
  })[]
  warnings: ({
    code: 'recipient_name_differs' | 'duplicate_row'
    message: string
    /** Of `duplicate_row`: the first row with the same number and amount. */
    row: number | null
    /** Of `recipient_name_differs`: the name in the last completed payout. */
    last_paid_name: string | null
  })[]
  payout_id: string | null
  failure: {
    code: string
    message: string
  } | null
  completed_at: string | null
}

/** The payout was cancelled or refused before it was sent, and the wallet has everything back. */
export type PayoutCancelledEvent = {
  id: string
  type: 'payout.cancelled'
  created_at: string
  data: PayoutData
}

/** The recipient has the money. */
export type PayoutCompletedEvent = {
  id: string
  type: 'payout.completed'
  created_at: string
  data: PayoutData
}

export type PayoutData = {
  id: string
  status: 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** TZS that the recipient receives. */
  amount: number
  /** TZS debited in addition to the amount. */
  fee: number
  total_debited: number
  currency: string
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** Set if the status is `failed`. */
  failure: {
    code: 'recipient_not_found' | 'recipient_limit' | 'network_unavailable' | 'provider_error' | 'approval_refused' | 'approval_expired'
  } | null
  created_at: string
  completed_at: string | null
  reversed_at: string | null
  updated_at: string
}

/** Nothing was paid, and the wallet has everything back; `failure.code` says why. */
export type PayoutFailedEvent = {
  id: string
  type: 'payout.failed'
  created_at: string
  data: PayoutData
}

export type PayoutFee = {
  amount: number
  fee: number
  total_debited: number
  currency: 'TZS'
  /** What to check before you pay. Empty without `recipient_name`. */
  warnings: PayoutWarning[]
  /** Set with `recipient_name_differs`: the name in the last completed payout of this wallet to the number. */
  last_paid_name: string | null
}

/** The network has returned the money, and the wallet has everything back. */
export type PayoutReversedEvent = {
  id: string
  type: 'payout.reversed'
  created_at: string
  data: PayoutData
}

export type PayoutWarning = {
  code: 'recipient_name_differs'
  message: string
}

export type PayoutWithTimeline = {
  id: string
  /** The wallet is debited when the payout is created. A payout that is `failed`, `cancelled` or `reversed` has returned everything to the wallet. */
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** TZS that the recipient receives. */
  amount: number
  /** TZS debited in addition to the amount. */
  fee: number
  total_debited: number
  currency: 'TZS'
  phone_number: string
  recipient_name: string
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  narration: string | null
  /** Your own reference. */
  reference: string | null
  metadata: Record<string, string>
  /** What to check, found when the payout was requested. `recipient_name_differs`: the last completed payout of this wallet to the number had another name; case, accents, punctuation and the order of words make no difference. The payout is sent all the same. */
  warnings: PayoutWarning[]
  /** `required`: the payout waits for the approval of `approval_by`. */
  approval: 'none' | 'required' | 'approved' | 'refused'
  /** `members`: of your business, by its approval rule. `operators`: of this service; they decide after the members. Null: it needs no approval. */
  approval_by: 'members' | 'operators' | null
  /** A first payout to a recipient is sent only after this time, and can be cancelled until then. Null if it does not wait. */
  waits_until: string | null
  failure: {
    code: string
    message: string
  } | null
  /** Set while the provider’s record of this payout does not match our books and operators are reviewing it. */
  under_review: {
    since: string
    reason: 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'fee_differs'
  } | null
  /** The payout batch that it belongs to. */
  batch_id: string | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  created_at: string
  completed_at: string | null
  reversed_at: string | null
  /** Oldest first. `sent`: the payout was first sent to the provider. */
  timeline: ({
    type: 'status'
    at: string
    status: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  } | {
    type: 'sent'
    at: string
  } | {
    type: 'transaction'
    at: string
    transaction_id: string
    kind: 'payout' | 'fee' | 'payout_reversal' | 'payout_again' | 'payout_raised' | 'payout_lowered'
    direction: 'credit' | 'debit'
    amount: number
    /** Null for a person without the permission `wallet.read` or `statements.read`, and for a key without the scope `balance:read` or `transactions:read`. */
    balance_after: number | null
  })[]
}

export type Profile = {
  /** The business, or the person. */
  id: string
  type: 'personal' | 'business'
  /** The name that payers see. */
  display_name: string
  /** This field and the next two are null for a person. */
  legal_name: string | null
  trading_name: string | null
  business_type: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other' | null
  /** Verification status. A business is never `unsubmitted`. */
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  /** Verification status of the person, or of the representative of the business. */
  kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  /** Country of the account. */
  country: 'TZ'
  currency: 'TZS'
  email: string
  /** E.164. Null only for an operator of the service. */
  phone_number: string | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  /** The app of the API key. Null without a key. */
  app: {
    id: string
    name: string
  } | null
  /** The API key of this request. Null without a key. */
  key: {
    id: string
    key_name: string
    scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'payments:read' | 'payments:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
    expires_at: string | null
  } | null
  /** Your role in the business; `owner` in your own account. Null for an API key. */
  role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer' | null
  /** What your role, or the scopes of the API key, allow in this environment. See the guide about members. */
  permissions: ('profile.read' | 'payments.read' | 'customers.read' | 'payers.read' | 'payments.write' | 'pages.read' | 'pages.write' | 'requests.read' | 'requests.write' | 'wallet.read' | 'statements.read' | 'payouts.read' | 'payouts.write' | 'payouts.approve' | 'events.read' | 'apps.write' | 'payout-keys.write' | 'business.read' | 'business.write' | 'members.read' | 'members.write' | 'owners.write' | 'rules.read' | 'rules.write' | 'activity.read')[]
  /** What the account may do in this environment. An API key also needs the scope. */
  capabilities: {
    live_keys: boolean
    page_writes: boolean
    payouts: boolean
  }
  /** Set while operators have suspended the account: it takes no new payments and makes no payouts. Null if it is not suspended. */
  suspension: {
    reason: string
    since: string
  } | null
}

export type QueuedWebhookDelivery = {
  /** The id of the new attempt in the list of delivery attempts. */
  id: string
  /** The app whose webhook it goes to. */
  app_id: string
  event_id: string
  event_type: string
  /** The current URL of the webhook. */
  url: string
  trigger: 'manual'
  queued_at: string
}

export type Recipient = {
  id: string
  name: string
  phone_number: string
  /** The network of the last completed payout to this number; before it, the one that the prefix suggests. */
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** When the last completed payout of this wallet reached the number. Refunds do not count. */
  last_paid_at: string | null
  /** How many completed payouts of this wallet reached the number; 1,000 means at least as many. */
  paid_count: number
  /** The name of the last completed payout to this number. */
  last_paid_name: string | null
  created_at: string
}

export type Refund = {
  id: string
  /** The reference of the payment. */
  payment: string
  /** TZS that the payer receives. */
  amount: number
  /** TZS debited in addition to the amount. */
  fee: number
  total_debited: number
  currency: 'TZS'
  /** The wallet is debited when the refund is created. A failed refund has returned everything to the wallet. */
  status: 'pending' | 'processing' | 'completed' | 'failed'
  /** Your own note. The payer does not see it. */
  reason: string | null
  merchant_reference: string | null
  failure: {
    code: string
    message: string
  } | null
  /** `required`: the refund waits for the approval of `approval_by`. */
  approval: 'none' | 'required' | 'approved' | 'refused'
  /** `members`: of your business. `operators`: of this service. Null: it needs no approval. */
  approval_by: 'members' | 'operators' | null
  /** The refund is sent only after this time, and can be cancelled until then. Null if it does not wait. */
  waits_until: string | null
  /** Set while the provider’s record of this refund does not match our books and operators are reviewing it. */
  under_review: {
    since: string
    reason: 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'fee_differs'
  } | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  created_at: string
  completed_at: string | null
}

/** The payer has the refund. */
export type RefundCompletedEvent = {
  id: string
  type: 'refund.completed'
  created_at: string
  data: RefundData
}

export type RefundData = {
  id: string
  /** The payment reference. */
  payment: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  payment_short_code: string
  status: 'completed' | 'failed'
  /** TZS that the recipient receives. */
  amount: number
  /** TZS debited in addition to the amount. */
  fee: number
  total_debited: number
  currency: string
  /** Set if the status is `failed`. */
  failure: {
    code: 'recipient_not_found' | 'recipient_limit' | 'network_unavailable' | 'provider_error' | 'approval_refused' | 'approval_expired' | 'cancelled' | 'returned'
  } | null
  created_at: string
  completed_at: string | null
  updated_at: string
}

/** Nothing was refunded, and the wallet has everything back; `failure.code` says why. */
export type RefundFailedEvent = {
  id: string
  type: 'refund.failed'
  created_at: string
  data: RefundData
}

export type StartCheckoutBody = {
  slug: string
  /** The payer’s mobile money number, in any common format. */
  phone_number: string
  customer_name: string
  /** Where the receipt is sent. Always required here; only our own hosted page may leave it out. */
  customer_email: string
  /** Your own key for one payment. Sending the same key again returns that payment. Use a random value such as a UUID: the checkout is public, and someone else could use a key that can be guessed before you. */
  idempotency_key: string
  /** A whole number of TZS. Required if the payer chooses the amount on this page. */
  amount?: number
  /** Optional. If sent, it must be `TZS`. */
  currency?: string
  network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
  /** The payer’s values for the `custom_fields` of the page, by `key`. A missing required value is refused with `custom_field_required`. */
  custom_fields?: Record<string, string | number>
  /** Language of the payer’s receipt. Default: the language of the page, else the one preferred in `Accept-Language`, else Swahili. A repeat with the same `idempotency_key` may send a different language; the first one is kept. */
  language?: 'sw' | 'en'
}

export type Transaction = {
  id: string
  type: 'payment' | 'payout' | 'payout_reversal' | 'refund' | 'refund_reversal' | 'adjustment' | 'fee'
  direction: 'credit' | 'debit'
  /** TZS. */
  amount: number
  currency: 'TZS'
  /** TZS in the wallet after this transaction. */
  balance_after: number
  /** The reference of the payment, or your own reference of the payout. */
  reference: string | null
  /** Null also for a payment that your server requested. */
  payment_page_id: string | null
  /** Null for a refund. */
  payout_id: string | null
  refund_id: string | null
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  customer: {
    name: string | null
    phone_masked: string
  } | null
  description: string | null
  created_at: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string | null
  /** The number in the network’s message to the payer. */
  network_receipt: string | null
  /** Your own order number of the payment, also on lines of its refunds, or your own reference of the payout. */
  merchant_reference: string | null
  /** Your own data of the payment or the payout. */
  metadata: Record<string, string>
}

export type UpdatePaymentPageBody = {
  /** What the payer pays for. */
  title?: string
  description?: string | null
  /** TZS. With `allow_custom_amount`, a suggested amount. */
  amount?: number | null
  allow_custom_amount?: boolean
  /** TZS, at least 500. */
  min_amount?: number
  /** TZS. Null means 10000000. */
  max_amount?: number | null
  /** So many, and then no more. */
  max_payments?: number | null
  active?: boolean
  /** Shown while not `active`. */
  inactive_message?: string | null
  expires_at?: string | null
  /** Where the payer goes after completion, with `reference` and `status=completed` added. An https URL; on a live page, of a host of yours (`/v1/merchant/redirect-hosts`, or the website of the business). Anyone can open it, so it does not prove a payment: read the status, or wait for `payment.completed`. */
  redirect_url?: string | null
  /** Shown after the payment. */
  success_message?: string | null
  language?: 'sw' | 'en' | 'auto'
  /** Your own data. */
  metadata?: Record<string, string>
  /** Up to five fields that the payer fills in besides the payment, in this order. An update replaces all of them. */
  custom_fields?: ({
    /** Names the field in requests and answers. Unique on the page. */
    key: string
    /** What the payer reads. */
    label: string
    type: 'text' | 'number' | 'choice'
    required?: boolean
    /** For `choice`: 1 to 20 different texts, one of which the payer selects. Empty for other types. */
    choices?: string[]
  })[]
  /** Optional. If sent, it must be `TZS`. */
  currency?: string
}

export type UpdateRecipientBody = {
  name?: string
}
