/** The types of the API. Written by scripts/generate-sdk-types.ts from /openapi.json: change the API, then run it again. */

export type Balance = {
  currency: 'TZS'
  /** TZS that can be paid out now. */
  available: number
  /** TZS set aside for payouts on their way. */
  reserved: number
  total: number
  /** TZS that you owe, because a payout that had been given back was paid after all. The next credits repay it first; until then payouts are on hold. */
  receivable: number
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  as_of: string
}

export type Checkout = {
  /** The payment reference. */
  reference: string
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  currency: 'TZS'
  /** A guess from the number until the provider says. */
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  phone_masked: string
  expires_at: string
  poll_after_ms: number
  status_url: string
  /** Proves that you started this checkout. Keep it to yourself. */
  checkout_token: string
  /** There while nothing has been sent yet and the payer must confirm first: lead the payer to `url`, a page of ours with one button. Unconfirmed after ten minutes, the payment is `expired`. */
  next_step?: {
    type: 'confirm'
    url: string
  }
}

export type CreatePaymentPageBody = {
  title: string
  description?: string | null
  /** TZS. With `allow_custom_amount` a suggestion. */
  amount?: number | null
  allow_custom_amount?: boolean
  /** TZS, at least 500. */
  min_amount?: number
  /** TZS. Null: 10000000. */
  max_amount?: number | null
  max_payments?: number | null
  active?: boolean
  inactive_message?: string | null
  expires_at?: string | null
  /** https, at a named host; a live page only at a host of yours (`/v1/merchant/redirect-hosts`, or the website of the business). Where the payer is led after completion, with `reference` and `status=completed` added to its query. It proves nothing, because anybody can open it: ask for the status, or wait for `payment.completed`. */
  redirect_url?: string | null
  success_message?: string | null
  language?: 'sw' | 'en' | 'auto'
  metadata?: Record<string, string>
  type: 'wallet_topup' | 'payment' | 'invoice' | 'donation' | 'event' | 'contribution'
  slug?: string
  /** `TZS`, if sent at all. */
  currency?: string
}

export type CreatePayoutBody = {
  /** TZS that the recipient gets. The fee is debited besides. */
  amount: number
  phone_number: string
  recipient_name: string
  /** What the recipient may see, where the network shows it. */
  narration?: string | null
  /** Yours. */
  reference?: string | null
  metadata?: Record<string, string>
  /** In place of the header `Idempotency-Key`. */
  idempotency_key?: string
}

/** Every refusal has this shape. With `Accept: application/problem+json` the same facts come as RFC 9457. */
export type Error = {
  error: {
    type: 'invalid_request' | 'authentication' | 'permission' | 'not_found' | 'conflict' | 'idempotency' | 'rate_limit' | 'payment' | 'api_error'
    /** What clients branch on. */
    code: string
    /** For people; it may change. */
    message: string
    /** The same in Swahili, on public checkout errors. */
    message_sw?: string
    param?: string
    errors?: {
      field: string
      code: string
      message: string
    }[]
    details?: Record<string, unknown>
    request_id: string
    doc_url: string
  }
}

/** What a webhook of this event holds, field by field. */
export type Event = {
  id: string
  type: 'payment.completed'
  created_at: string
  data: {
    /** The payment reference. */
    reference: string
    payment_page_id: string
    /** TZS. */
    amount: number
    /** TZS that came and was credited. Present only where it is not `amount`. */
    amount_received?: number
    currency: string
    completed_at: string
  }
}

export type GetPaymentStatusQuery = {
  wait?: number
}

export type GetPayoutFeeQuery = {
  amount: number
}

export type ListEventsQuery = {
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
}

export type ListPaymentPagesQuery = {
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
}

export type ListPayoutsQuery = {
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** Yours. */
  reference?: string
}

export type ListTransactionsQuery = {
  limit?: number
  cursor?: string
  created_from?: string
  created_to?: string
  direction?: 'credit' | 'debit' | 'all'
  type?: 'payment' | 'payout' | 'payout_reversal' | 'adjustment' | 'fee'
  /** A payment reference. */
  reference?: string
  payment_page_id?: string
  /** The lines of one payout. With `direction=all`, what it debited and what was given back. */
  payout_id?: string
  min_amount?: number
  max_amount?: number
}

export type PaymentPage = {
  id: string
  type: 'wallet_topup' | 'payment' | 'invoice' | 'donation' | 'event' | 'contribution'
  slug: string
  /** Where payers pay. */
  url: string
  title: string
  description: string | null
  /** TZS. With `allow_custom_amount` a suggestion. */
  amount: number | null
  allow_custom_amount: boolean
  /** TZS, at least 500. */
  min_amount: number
  /** TZS. Null: 10000000. */
  max_amount: number | null
  max_payments: number | null
  active: boolean
  inactive_message: string | null
  expires_at: string | null
  redirect_url: string | null
  success_message: string | null
  language: 'sw' | 'en' | 'auto'
  metadata: Record<string, string>
  currency: 'TZS'
  paid_count: number
  /** TZS. */
  paid_total: number
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  owner: {
    type: 'personal' | 'business'
    id: string
  }
  /** Operators have stopped it: no new payments, no payouts, until they lift it. Null: it is not. */
  suspension: {
    reason: string
    since: string
  } | null
  /** Where one live page is read: since when its payers, or some of them, confirm before anything is sent. Null: they do not. */
  confirming_since?: string | null
  /** Why: `pace`: checkouts of the page, or of all your pages, begin far above their usual pace; `network`: many new phones of one network address did not pay, and only payers behind it confirm; `ordered`: our operators have ordered it. */
  confirming_reason?: 'pace' | 'network' | 'ordered' | null
  created_at: string
  updated_at: string
}

export type PaymentStatus = {
  /** The payment reference. */
  reference: string
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
  /** The payment request may be shown on the phone again now. */
  can_resend: boolean
  /** From when it may be; null: not at all. */
  resend_at: string | null
  /** The payer has cancelled: it ends as `voided`, unless it was paid all the same. */
  cancel_requested: boolean
  expires_at: string
  completed_at: string | null
  /** The success came after the payment had ended otherwise. */
  late: boolean
  receipt_url: string | null
  failure: {
    code: string
    message: string
    message_sw: string
    retryable: boolean
  } | null
  /** There while nothing has been sent yet and the payer must confirm first: lead the payer to `url`, a page of ours with one button. Unconfirmed after ten minutes, the payment is `expired`. */
  next_step?: {
    type: 'confirm'
    url: string
  }
}

export type Payout = {
  id: string
  /** The wallet pays when the payout is asked for. `failed`, `cancelled` and `reversed` have given everything back. */
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** TZS that the recipient gets. */
  amount: number
  /** TZS that the wallet pays besides. */
  fee: number
  total_debited: number
  currency: 'TZS'
  phone_number: string
  recipient_name: string
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  narration: string | null
  /** Yours. */
  reference: string | null
  metadata: Record<string, string>
  /** `required`: it waits for an operator. */
  approval: 'none' | 'required' | 'approved' | 'refused'
  /** It is sent after this: it was the first to this recipient. Until then it can be cancelled. Null: it does not wait. */
  waits_until: string | null
  failure: {
    code: string
    message: string
  } | null
  /** What the provider says of it does not fit our books: operators decide. */
  under_review: {
    since: string
    reason: 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'fee_differs'
  } | null
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  created_at: string
  completed_at: string | null
  reversed_at: string | null
}

export type PayoutFee = {
  amount: number
  fee: number
  total_debited: number
  currency: 'TZS'
}

export type PayoutWithTimeline = {
  id: string
  /** The wallet pays when the payout is asked for. `failed`, `cancelled` and `reversed` have given everything back. */
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
  /** TZS that the recipient gets. */
  amount: number
  /** TZS that the wallet pays besides. */
  fee: number
  total_debited: number
  currency: 'TZS'
  phone_number: string
  recipient_name: string
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  narration: string | null
  /** Yours. */
  reference: string | null
  metadata: Record<string, string>
  /** `required`: it waits for an operator. */
  approval: 'none' | 'required' | 'approved' | 'refused'
  /** It is sent after this: it was the first to this recipient. Until then it can be cancelled. Null: it does not wait. */
  waits_until: string | null
  failure: {
    code: string
    message: string
  } | null
  /** What the provider says of it does not fit our books: operators decide. */
  under_review: {
    since: string
    reason: 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'fee_differs'
  } | null
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  created_at: string
  completed_at: string | null
  reversed_at: string | null
  /** Oldest first. `sent`: it left us for the provider for the first time. */
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
    kind: 'payout' | 'fee' | 'payout_reversal' | 'payout_again'
    direction: 'credit' | 'debit'
    amount: number
    balance_after: number
  })[]
}

export type Profile = {
  /** The business, or the person. */
  id: string
  type: 'personal' | 'business'
  /** What payers see. */
  display_name: string
  /** Null for a person, like the next two. */
  legal_name: string | null
  trading_name: string | null
  business_type: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other' | null
  /** Of its verification; a business is never `unsubmitted`. */
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  /** Of the person that it is, or that represents it. */
  kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  /** Where the account is held. */
  country: 'TZ'
  currency: 'TZS'
  email: string
  /** E.164; null only for an operator of the service. */
  phone_number: string | null
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  /** The app of the key; null without a key. */
  app: {
    id: string
    name: string
  } | null
  /** The key that asks; null without a key. */
  key: {
    id: string
    key_name: string
    scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
    expires_at: string | null
  } | null
  /** What it may do in this environment; a key needs the scope besides. */
  capabilities: {
    live_keys: boolean
    page_writes: boolean
    payouts: boolean
  }
  /** Operators have stopped it: no new payments, no payouts, until they lift it. Null: it is not. */
  suspension: {
    reason: string
    since: string
  } | null
}

export type QueuedWebhookDelivery = {
  /** Under this id the attempt will stand in the list of deliveries. */
  id: string
  /** The app whose webhook it goes to. */
  app_id: string
  event_id: string
  event_type: string
  /** The address of the webhook now. */
  url: string
  trigger: 'manual'
  queued_at: string
}

export type StartCheckoutBody = {
  slug: string
  /** The payer’s mobile money number, in any usual form. */
  phone_number: string
  customer_name: string
  customer_email: string
  /** Made once for one payment; sending it again finds that payment. Use a random value such as a UUID: the checkout is public, and a key that can be guessed (an order number) can be used first by a stranger. */
  idempotency_key: string
  /** TZS, whole. Required where the page lets the payer choose. */
  amount?: number
  /** `TZS`, if sent at all. */
  currency?: string
  network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
  /** In which the payer gets the receipt. Left out: the page’s language, else the one that `Accept-Language` prefers, else Swahili. The same `idempotency_key` may be sent again with another one: the first stays. */
  language?: 'sw' | 'en'
}

export type Transaction = {
  id: string
  type: 'payment' | 'payout' | 'payout_reversal' | 'adjustment' | 'fee'
  direction: 'credit' | 'debit'
  /** TZS. */
  amount: number
  currency: 'TZS'
  /** TZS in the wallet after this transaction. */
  balance_after: number
  /** The reference of the payment, or the one that you gave to the payout. */
  reference: string | null
  payment_page_id: string | null
  payout_id: string | null
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  customer: {
    name: string
    phone_masked: string
  } | null
  description: string | null
  created_at: string
}

export type UpdatePaymentPageBody = {
  title?: string
  description?: string | null
  /** TZS. With `allow_custom_amount` a suggestion. */
  amount?: number | null
  allow_custom_amount?: boolean
  /** TZS, at least 500. */
  min_amount?: number
  /** TZS. Null: 10000000. */
  max_amount?: number | null
  max_payments?: number | null
  active?: boolean
  inactive_message?: string | null
  expires_at?: string | null
  /** https, at a named host; a live page only at a host of yours (`/v1/merchant/redirect-hosts`, or the website of the business). Where the payer is led after completion, with `reference` and `status=completed` added to its query. It proves nothing, because anybody can open it: ask for the status, or wait for `payment.completed`. */
  redirect_url?: string | null
  success_message?: string | null
  language?: 'sw' | 'en' | 'auto'
  metadata?: Record<string, string>
  /** `TZS`, if sent at all. */
  currency?: string
}
