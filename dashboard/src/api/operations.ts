/** What the dashboards may ask the API for. Written by scripts/generate-dashboard-types.ts from /openapi.json: change the API, then run it again. */

export type Operations = {
  'DELETE /developers/apps/{app_id}/webhook': {
    params: {
      app_id: string
    }
    answer: {
      data: {
        id: string
        app_id: string
        deleted: true
      }
    }
  }
  'DELETE /developers/apps/{id}': {
    params: {
      id: string
    }
    answer: {
      data: App
    }
  }
  'DELETE /developers/keys/{id}': {
    params: {
      id: string
    }
    answer: {
      data: Key
    }
  }
  'DELETE /v1/auth/sessions': {
    answer: {
      data: {
        /** How many there were. */
        ended: number
      }
    }
  }
  'DELETE /v1/auth/sessions/{id}': {
    params: {
      id: string
    }
    answer: {
      data: Session
    }
  }
  'DELETE /v1/merchant/redirect-hosts': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
      /** A name with its port where that is not 443; no scheme and no path. */
      host: string
    }
    answer: {
      data: {
        host: string
        removed: true
      }
    }
  }
  'GET /.well-known/jwks.json': {
    answer: {
      keys: {
        kty: 'OKP'
        crv: 'Ed25519'
        x: string
        kid: string
        use: 'sig'
        alg: 'EdDSA'
      }[]
    }
  }
  'GET /developers/apps': {
    query: {
      /** Only the apps of `personal`, which act for you, or of this business. */
      owner?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
    }
    answer: {
      data: App[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /developers/apps/{app_id}/webhook': {
    params: {
      app_id: string
    }
    answer: {
      data: Webhook
    }
  }
  'GET /developers/apps/{app_id}/webhook/deliveries': {
    params: {
      app_id: string
    }
    query: {
      event_id?: string
      outcome?: 'succeeded' | 'failed'
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
    }
    answer: {
      data: WebhookDeliveryAttempt[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /developers/apps/{app_id}/webhook/deliveries/{id}': {
    params: {
      app_id: string
      id: string
    }
    answer: {
      data: WebhookDeliveryDetail
    }
  }
  'GET /developers/apps/{app_id}/webhook/state': {
    params: {
      app_id: string
    }
    answer: {
      data: WebhookState
    }
  }
  'GET /developers/apps/{id}': {
    params: {
      id: string
    }
    answer: {
      data: App
    }
  }
  'GET /developers/keys': {
    query: {
      /** Only the keys of this app. */
      app_id?: string
      status?: 'active' | 'expiring' | 'revoked' | 'expired'
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
    }
    answer: {
      data: Key[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/audit': {
    query: {
      limit?: number
      cursor?: string
      /** The id of what it was done to. */
      object?: string
      actor?: string
      action?: string
      from?: string
      /** This moment itself is outside. */
      to?: string
    }
    answer: {
      data: AuditEntry[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/audit/chain': {
    answer: {
      data: AuditChain
    }
  }
  'GET /v1/admin/breaks': {
    query: {
      limit?: number
      cursor?: string
      kind?: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
      /** `open`: not resolved, proposed or not. */
      status?: 'open' | 'proposed' | 'resolved'
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      provider?: string
      opened_from?: string
      opened_to?: string
    }
    answer: {
      data: Break[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/breaks/{break_id}': {
    params: {
      break_id: string
    }
    answer: {
      data: Break
    }
  }
  'GET /v1/admin/businesses': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      status?: 'pending' | 'verified' | 'rejected'
      stage?: 'draft' | 'submitted' | 'decided'
      /** Part of a name, number or address, or a whole id. */
      q?: string
    }
    answer: {
      data: Business[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/businesses/{business_id}': {
    params: {
      business_id: string
    }
    answer: {
      data: BusinessCase
    }
  }
  'GET /v1/admin/kyc': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      status?: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
      stage?: 'draft' | 'submitted' | 'decided'
      /** Part of a name, number or address, or a whole id. */
      q?: string
    }
    answer: {
      data: KycCase[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/kyc/{user_id}': {
    params: {
      user_id: string
    }
    answer: {
      data: OpenKycCase
    }
  }
  'GET /v1/admin/merchants/{merchant_id}': {
    params: {
      merchant_id: string
    }
    answer: {
      data: OperatorMerchant
    }
  }
  'GET /v1/admin/merchants/{merchant_id}/payments': {
    params: {
      merchant_id: string
    }
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      status?: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
      network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
      payment_page_id?: string
      min_amount?: number
      max_amount?: number
      /** A reference, the payer’s number or three digits of it, or a part of the name or e-mail. */
      q?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
    }
    answer: {
      data: MerchantPayment[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/merchants/{merchant_id}/webhook-deliveries': {
    params: {
      merchant_id: string
    }
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      app_id?: string
      event_id?: string
      outcome?: 'succeeded' | 'failed'
    }
    answer: {
      data: OperatorWebhookAttempt[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/overview': {
    answer: {
      data: OperationsOverview
    }
  }
  'GET /v1/admin/payments/stuck': {
    query: {
      limit?: number
      cursor?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
      older_than_seconds?: number
    }
    answer: {
      data: OperatorPayment[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/payments/{reference}': {
    params: {
      reference: string
    }
    answer: {
      data: OperatorPaymentWithHistory
    }
  }
  'GET /v1/admin/payout-freezes': {
    answer: {
      data: PayoutFreeze[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/payouts': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
      approval?: 'none' | 'required' | 'approved' | 'refused'
      network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
      unfinished?: 'true' | 'false'
    }
    answer: {
      data: OperatorPayout[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/payouts/{id}': {
    params: {
      id: string
    }
    answer: {
      data: OperatorPayout
    }
  }
  'GET /v1/admin/providers': {
    query: {
      minutes?: number
    }
    answer: {
      data: ProviderHealth
    }
  }
  'GET /v1/admin/reconciliation/days': {
    query: {
      from: string
      to: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      subject?: 'charges' | 'payouts'
    }
    answer: {
      data: ReconciliationDay[]
    }
  }
  'GET /v1/admin/reconciliation/runs': {
    query: {
      limit?: number
      cursor?: string
      kind?: 'recent' | 'late' | 'daily'
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
    }
    answer: {
      data: ReconciliationRun[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/rejection-reasons': {
    answer: {
      data: RejectionReason[]
    }
  }
  'GET /v1/admin/reviews': {
    query: {
      limit?: number
      cursor?: string
      kind?: 'person' | 'business'
      /** Only those that you, or nobody, has in hand. */
      claimed?: 'me' | 'nobody'
    }
    answer: {
      data: WaitingReview[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/reviews/counts': {
    answer: {
      data: ReviewCounts[]
    }
  }
  'GET /v1/admin/search': {
    query: {
      q: string
    }
    answer: {
      data: OperatorSearchResult[]
    }
  }
  'GET /v1/admin/switches': {
    answer: {
      data: Switch[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/webhook-deliveries/{delivery_id}': {
    params: {
      delivery_id: string
    }
    answer: {
      data: WebhookDeliveryDetail
    }
  }
  'GET /v1/auth/sessions': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
    }
    answer: {
      data: Session[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/businesses': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
    }
    answer: {
      data: Business[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/businesses/{business_id}': {
    params: {
      business_id: string
    }
    answer: {
      data: Business
    }
  }
  'GET /v1/kyc': {
    answer: {
      data: PersonalKyc
    }
  }
  'GET /v1/me': {
    answer: {
      data: User
    }
  }
  'GET /v1/me/notifications': {
    answer: {
      data: NotificationPreferences
    }
  }
  'GET /v1/merchant/balance': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: Balance
    }
  }
  'GET /v1/merchant/events': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: Event[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payment-pages': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: PaymentPage[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payment-pages/{id_or_slug}': {
    params: {
      id_or_slug: string
    }
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: PaymentPage
    }
  }
  'GET /v1/merchant/payment-pages/{id_or_slug}/qr': {
    params: {
      id_or_slug: string
    }
    query: {
      /** Width in pixels; 512 unless said. */
      size?: number
      /** As a file to keep, instead of a picture to show. */
      download?: '' | 'true' | 'false'
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: unknown
  }
  'GET /v1/merchant/payments': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      status?: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
      network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
      payment_page_id?: string
      min_amount?: number
      max_amount?: number
      /** A reference, the payer’s number or three digits of it, or a part of the name or e-mail. */
      q?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: MerchantPayment[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payments/{reference}': {
    params: {
      reference: string
    }
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: MerchantPaymentWithTimeline
    }
  }
  'GET /v1/merchant/payouts': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
      status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
      /** Yours. */
      reference?: string
    }
    answer: {
      data: Payout[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payouts/fee': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
      amount: number
    }
    answer: {
      data: PayoutFee
    }
  }
  'GET /v1/merchant/payouts/{id}': {
    params: {
      id: string
    }
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: PayoutWithTimeline
    }
  }
  'GET /v1/merchant/profile': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: Profile
    }
  }
  'GET /v1/merchant/redirect-hosts': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: RedirectHost[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/requests': {
    query: {
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
      app_id?: string
      key_id?: string
      /** `failed`: a status from 400 on. */
      outcome?: 'succeeded' | 'failed'
    }
    answer: {
      data: ApiRequest[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/search': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
      q: string
    }
    answer: {
      data: SearchResult[]
    }
  }
  'GET /v1/merchant/statement': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
      /** A month as East Africa counts it (UTC+3). */
      month: string
    }
    answer: {
      data: Statement
    }
  }
  'GET /v1/merchant/summary': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: MerchantSummary
    }
  }
  'GET /v1/merchant/transactions': {
    query: {
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
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: Transaction[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/networks': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
    }
    answer: {
      data: Network[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/pay/{slug}': {
    params: {
      slug: string
    }
    answer: {
      data: PublicPaymentPage
    }
  }
  'GET /v1/payments/{reference}/status': {
    params: {
      reference: string
    }
    query: {
      wait?: number
    }
    answer: {
      data: PaymentStatus
    }
  }
  'PATCH /developers/apps/{id}': {
    params: {
      id: string
    }
    body: {
      name?: string
      description?: string | null
    }
    answer: {
      data: App
    }
  }
  'PATCH /developers/keys/{id}': {
    params: {
      id: string
    }
    body: {
      key_name?: string
      /** Addresses and networks (CIDR, IPv4 or IPv6) that may use the key; empty: any. A network is written by its first address. An IPv4 address inside IPv6 counts as IPv4. */
      allowed_ips?: string[]
    }
    answer: {
      data: Key
    }
  }
  'PATCH /v1/businesses/{business_id}': {
    params: {
      business_id: string
    }
    body: {
      legal_name?: string
      /** What payers see; without it the legal name. */
      trading_name?: string | null
      business_type?: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other'
      /** May be `""` for an informal `sole_proprietor` only. */
      registration_number?: string
      /** TIN, when one was issued. */
      tax_identification_number?: string | null
      country?: 'TZ'
      address?: string
      city?: string
      region?: string
      website?: string | null
      /** Any valid number; stored as E.164. */
      phone?: string
      email?: string
      /** The role of the person who registers it. */
      representative_role?: string
    }
    answer: {
      data: Business
    }
  }
  'PATCH /v1/me': {
    body: {
      full_name?: string
      institution?: string
    }
    answer: {
      data: User
    }
  }
  'PATCH /v1/me/notifications': {
    body: {
      payment_received?: boolean
      payout_finished?: boolean
      webhook_disabled?: boolean
      new_device?: boolean
    }
    answer: {
      data: NotificationPreferences
    }
  }
  'PATCH /v1/merchant/payment-pages': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    body: {
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
      id?: string
      slug?: string
    }
    answer: {
      data: PaymentPage
    }
  }
  'PATCH /v1/merchant/payment-pages/{id_or_slug}': {
    params: {
      id_or_slug: string
    }
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: PaymentPage
    }
  }
  'POST /developers/apps': {
    body: {
      name: string
      description?: string | null
      /** Binds the app and all its keys to the wallet of this business. Without it they act for you. */
      business_id?: string | null
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment: 'test' | 'live'
    }
    answer: {
      data: App
    }
  }
  'POST /developers/apps/{app_id}/webhook': {
    params: {
      app_id: string
    }
    body: {
      /** https, port 443 or from 1024 on (but none of a database or of another known service), at most 2048 characters, no user, no fragment, no IP address, public addresses only. */
      url: string
    }
    answer: {
      data: Webhook
    }
  }
  'POST /developers/apps/{app_id}/webhook/deliveries/{id}/resend': {
    params: {
      app_id: string
      id: string
    }
    answer: {
      data: QueuedWebhookDelivery
    }
  }
  'POST /developers/apps/{app_id}/webhook/replay': {
    params: {
      app_id: string
    }
    body: {
      from: string
      to: string
      /** Only events that this webhook has not taken yet. */
      undelivered_only?: boolean
    }
    answer: {
      data: {
        /** How many events were queued by this call. */
        queued: number
      }
    }
  }
  'POST /developers/apps/{app_id}/webhook/rotate': {
    params: {
      app_id: string
    }
    answer: {
      data: Webhook
    }
  }
  'POST /developers/apps/{app_id}/webhook/test': {
    params: {
      app_id: string
    }
    answer: {
      data: WebhookTest
    }
  }
  'POST /developers/keys': {
    body: {
      /** The app that the key belongs to. */
      app_id: string
      key_name: string
      scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
      /** May be sent; it has to be the environment of the app. */
      environment?: 'test' | 'live'
      /** In the future. Without it the key does not expire. */
      expires_at?: string | null
      /** Addresses and networks (CIDR, IPv4 or IPv6) that may use the key; empty: any. A network is written by its first address. An IPv4 address inside IPv6 counts as IPv4. */
      allowed_ips?: string[]
    }
    answer: {
      data: CreatedKey
    }
  }
  'POST /developers/keys/{id}/roll': {
    params: {
      id: string
    }
    body: {
      /** How long the old key still works, unless it ends earlier by itself; 0: not at all. */
      grace_seconds?: number
    }
    answer: {
      data: CreatedKey
    }
  }
  'POST /v1/admin/breaks/{break_id}/confirm': {
    params: {
      break_id: string
    }
    body: {
      resolution: 'credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled'
      proposed_at: string
    }
    answer: {
      data: Break
    }
  }
  'POST /v1/admin/breaks/{break_id}/propose': {
    params: {
      break_id: string
    }
    body: {
      resolution: 'credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled'
      /** What it rests on: the provider’s letter, its statement, its ticket. */
      note: string
      /** What the resolution names: `credit_to_payment` the payment, `debit_wallet` the payout or the merchant whose wallet pays. */
      parameters?: {
        /** The payment that was paid: of the same environment, and not completed. */
        payment_reference?: string
        payout_id?: string
        /** `usr_…` of a person, `biz_…` of a business. */
        merchant_id?: string
      }
    }
    answer: {
      data: Break
    }
  }
  'POST /v1/admin/businesses/{business_id}/documents/{purpose}/view': {
    params: {
      business_id: string
      purpose: string
    }
    answer: {
      data: ViewAddress
    }
  }
  'POST /v1/admin/businesses/{business_id}/verify': {
    params: {
      business_id: string
    }
    body: {
      status: 'verified' | 'rejected'
      /** Required for `rejected` without `reason_codes`: its owner reads it. */
      reason?: string | null
      /** Reasons of the catalogue: their sentences come first, in both languages, `reason` after them. */
      reason_codes?: ('document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported')[]
      /** The `review.version` that you have looked at: 409 `review_version_changed` when it is not the newest. */
      version?: number
    }
    answer: {
      data: Business
    }
  }
  'POST /v1/admin/events/{event_id}/resend': {
    params: {
      event_id: string
    }
    body: {
      app_id?: string
    }
    answer: {
      data: {
        event_id: string
        deliveries: QueuedWebhookDelivery[]
      }
    }
  }
  'POST /v1/admin/kyc/{user_id}/documents/{purpose}/view': {
    params: {
      user_id: string
      purpose: string
    }
    answer: {
      data: ViewAddress
    }
  }
  'POST /v1/admin/kyc/{user_id}/verify': {
    params: {
      user_id: string
    }
    body: {
      status: 'verified' | 'rejected'
      /** Required for `rejected` without `reason_codes`: its owner reads it. */
      reason?: string | null
      /** Reasons of the catalogue: their sentences come first, in both languages, `reason` after them. */
      reason_codes?: ('document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported')[]
      /** The `review.version` that you have looked at: 409 `review_version_changed` when it is not the newest. */
      version?: number
    }
    answer: {
      data: KycCase
    }
  }
  'POST /v1/admin/merchants/{merchant_id}/lift-payout-freeze': {
    params: {
      merchant_id: string
    }
    body: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment: 'test' | 'live'
      /** In one sentence, for the other operators. */
      reason: string
    }
    answer: {
      data: LiftedPayoutFreeze
    }
  }
  'POST /v1/admin/merchants/{merchant_id}/suspend': {
    params: {
      merchant_id: string
    }
    body: {
      /** Its owner reads it, in the mail and in the dashboard. */
      reason: string
    }
    answer: {
      data: MerchantSuspension
    }
  }
  'POST /v1/admin/merchants/{merchant_id}/unsuspend': {
    params: {
      merchant_id: string
    }
    body: {
      /** For the other operators. */
      note: string
    }
    answer: {
      data: MerchantSuspension
    }
  }
  'POST /v1/admin/payment-pages/{page_id}/suspend': {
    params: {
      page_id: string
    }
    body: {
      /** Its owner reads it, in the mail and in the dashboard. */
      reason: string
    }
    answer: {
      data: PaymentPageSuspension
    }
  }
  'POST /v1/admin/payment-pages/{page_id}/unsuspend': {
    params: {
      page_id: string
    }
    body: {
      /** For the other operators. */
      note: string
    }
    answer: {
      data: PaymentPageSuspension
    }
  }
  'POST /v1/admin/payments/{reference}/query': {
    params: {
      reference: string
    }
    answer: {
      data: PaymentQuery
    }
  }
  'POST /v1/admin/payouts/{id}/approve': {
    params: {
      id: string
    }
    body: {
      note?: string
    }
    answer: {
      data: OperatorPayout
    }
  }
  'POST /v1/admin/payouts/{id}/query': {
    params: {
      id: string
    }
    answer: {
      data: OperatorPayout
    }
  }
  'POST /v1/admin/payouts/{id}/refuse': {
    params: {
      id: string
    }
    body: {
      note?: string
    }
    answer: {
      data: OperatorPayout
    }
  }
  'POST /v1/admin/reconciliation/runs': {
    body: {
      kind: 'recent' | 'late' | 'daily'
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment: 'test' | 'live'
      provider: string
      subject?: 'charges' | 'payouts'
      day?: string
    }
    answer: {
      data: ReconciliationRun
    }
  }
  'POST /v1/admin/reviews/{merchant_id}/claim': {
    params: {
      merchant_id: string
    }
    body: {
      /** Another operator; without it: you. */
      reviewer_id?: string
    }
    answer: {
      /** Which operator has it in hand. */
      data: {
        reviewer: {
          id: string
          name: string
        }
        claimed_at: string
      } | null
    }
  }
  'POST /v1/admin/reviews/{merchant_id}/release': {
    params: {
      merchant_id: string
    }
    answer: {
      data: {
        id: string
        /** Which operator has it in hand. */
        claim: {
          reviewer: {
            id: string
            name: string
          }
          claimed_at: string
        } | null
      }
    }
  }
  'POST /v1/auth/2fa/confirm': {
    body: {
      /** Six digits of the app. */
      code: string
    }
    answer: {
      data: {
        recovery_codes: string[]
      }
    }
  }
  'POST /v1/auth/2fa/disable': {
    body: {
      /** Six digits of the authenticator app, or a recovery code in any writing. */
      code: string
    }
    answer: {
      data: {
        enabled: false
      }
    }
  }
  'POST /v1/auth/2fa/enroll': {
    answer: {
      data: {
        /** Base32, for typing into the app. */
        secret: string
        /** The same for a QR code. SHA-1, 6 digits, 30 seconds. */
        otpauth_url: string
      }
    }
  }
  'POST /v1/auth/2fa/verify': {
    body: {
      challenge_token: string
      /** Six digits of the authenticator app, or a recovery code in any writing. */
      code: string
    }
    answer: {
      data: {
        /** A signed JWT; send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token ends. */
        expires_in: number
        /** Works once: each refresh gives the next one. Left out where a cookie keeps it. */
        refresh_token?: string
      }
    }
  }
  'POST /v1/auth/email/resend': {
    answer: {
      data: {
        sent: true
      }
    }
  }
  'POST /v1/auth/email/verify': {
    body: {
      /** The six digits from the mail. */
      code: string
    }
    answer: {
      data: {
        email_verified: true
      }
    }
  }
  'POST /v1/auth/login': {
    body: {
      /** E-mail address or phone number. */
      identifier: string
      password: string
    }
    answer: {
      data: {
        /** A signed JWT; send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token ends. */
        expires_in: number
        /** Works once: each refresh gives the next one. Left out where a cookie keeps it. */
        refresh_token?: string
      } | {
        two_factor_required: true
        /** Send it with a code to `POST /v1/auth/2fa/verify`. It works once. */
        challenge_token: string
        /** Seconds until the challenge ends. */
        expires_in: number
      }
    }
  }
  'POST /v1/auth/logout': {
    answer: {
      data: Session
    }
  }
  'POST /v1/auth/password/change': {
    body: {
      current_password: string
      password: string
    }
    answer: {
      data: {
        /** How many other sessions there were. */
        ended: number
      }
    }
  }
  'POST /v1/auth/password/forgot': {
    body: {
      email: string
    }
    answer: {
      data: {
        sent: true
      }
    }
  }
  'POST /v1/auth/password/reset': {
    body: {
      email: string
      /** The six digits from the mail. */
      code: string
      password: string
    }
    answer: {
      data: {
        reset: true
      }
    }
  }
  'POST /v1/auth/refresh': {
    body: {
      /** Required, unless a cookie holds it. */
      refresh_token?: string
    }
    answer: {
      data: {
        /** A signed JWT; send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token ends. */
        expires_in: number
        /** Works once: each refresh gives the next one. Left out where a cookie keeps it. */
        refresh_token?: string
      }
    }
  }
  'POST /v1/auth/register': {
    body: {
      full_name: string
      email: string
      /** Any valid mobile number; stored as E.164. */
      phone_number: string
      /** 12 to 128 characters, any characters, and not quickly guessed: known passwords, rows of keys, repeats, and what is made of your own names are refused with 400; the code in its error says why (`password_common`, `password_personal`, `password_guessable`). */
      password: string
      student_id: string
      institution: string
    }
    answer: {
      data: {
        user: User
        /** A signed JWT; send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token ends. */
        expires_in: number
        /** Works once: each refresh gives the next one. Left out where a cookie keeps it. */
        refresh_token?: string
      }
    }
  }
  'POST /v1/auth/step-up': {
    body: {
      /** Six digits of the authenticator app, or a recovery code in any writing. */
      code?: string
      password?: string
    }
    answer: {
      data: Session
    }
  }
  'POST /v1/businesses': {
    body: {
      legal_name: string
      /** What payers see; without it the legal name. */
      trading_name?: string | null
      business_type: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other'
      /** May be `""` for an informal `sole_proprietor` only. */
      registration_number: string
      /** TIN, when one was issued. */
      tax_identification_number?: string | null
      country: 'TZ'
      address: string
      city: string
      region: string
      website?: string | null
      /** Any valid number; stored as E.164. */
      phone: string
      email: string
      /** The role of the person who registers it. */
      representative_role: string
    }
    answer: {
      data: Business
    }
  }
  'POST /v1/businesses/{business_id}/documents': {
    params: {
      business_id: string
    }
    body: {
      /** The `document_url` (or `upload_url`) that presign gave for it. */
      registration_certificate_url: string
      /** The `document_url` (or `upload_url`) that presign gave for it. */
      tax_certificate_url: string
      /** The `document_url` (or `upload_url`) that presign gave for it. */
      business_license_url: string
      /** The `document_url` (or `upload_url`) that presign gave for it. */
      proof_of_address_url: string
    }
    answer: {
      data: Business
    }
  }
  'POST /v1/businesses/{business_id}/documents/presign': {
    params: {
      business_id: string
    }
    body: {
      /** Its extension must match the content type; nothing else of it is used. */
      filename: string
      content_type: 'image/jpeg' | 'image/png' | 'application/pdf'
      purpose: 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
    }
    answer: {
      data: UploadAddress
    }
  }
  'POST /v1/kyc': {
    body: {
      /** NIDA number, or the number of another national identity card or passport. Kept sealed. */
      national_id_number?: string
      date_of_birth: string
      national_id_url: string
      student_id_card_url: string
      selfie_url: string
    }
    answer: {
      data: PersonalKyc
    }
  }
  'POST /v1/kyc/documents/presign': {
    body: {
      /** Its extension must match the content type; nothing else of it is used. */
      filename: string
      content_type: 'image/jpeg' | 'image/png' | 'application/pdf'
      purpose: 'national_id' | 'student_id_card' | 'selfie'
    }
    answer: {
      data: UploadAddress
    }
  }
  'POST /v1/merchant/events/{event_id}/resend': {
    params: {
      event_id: string
    }
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: {
        event_id: string
        deliveries: QueuedWebhookDelivery[]
      }
    }
  }
  'POST /v1/merchant/payment-pages': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: PaymentPage
    }
  }
  'POST /v1/merchant/payment-pages/preview': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    body: {
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
    }
    answer: {
      data: PaymentPagePreview
    }
  }
  'POST /v1/merchant/payouts': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: Payout
    }
  }
  'POST /v1/merchant/payouts/{id}/cancel': {
    params: {
      id: string
    }
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    answer: {
      data: Payout
    }
  }
  'POST /v1/merchant/redirect-hosts': {
    query: {
      /** `test` charges the simulator and credits the test wallet; `live` moves money. */
      environment?: 'test' | 'live'
      /** A business that you represent. Without it: you yourself. */
      business_id?: string
    }
    body: {
      /** A name with its port where that is not 443; no scheme and no path. */
      host: string
    }
    answer: {
      data: RedirectHost
    }
  }
  'POST /v1/payments/checkout': {
    body: {
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
    answer: {
      data: Checkout
    }
  }
  'POST /v1/payments/{reference}/cancel': {
    params: {
      reference: string
    }
    body: {
      /** From the answer to the checkout. */
      checkout_token: string
    }
    answer: {
      data: PaymentStatus
    }
  }
  'POST /v1/payments/{reference}/resend': {
    params: {
      reference: string
    }
    body: {
      /** From the answer to the checkout. */
      checkout_token: string
    }
    answer: {
      data: PaymentStatus
    }
  }
  'PUT /v1/admin/switches/{name}': {
    params: {
      name: string
    }
    body: {
      state: 'on' | 'off'
      /** In one sentence, for the other operators. */
      reason: string
      /** On, although the database was restored and the lost time has not been compared with the providers (409 `restore_not_compared`). */
      force?: boolean
    }
    answer: {
      data: Switch
    }
  }
}

export type ApiRequest = {
  /** The `X-Request-Id` of its answer. */
  request_id: string
  method: string
  /** The path with the names of its parts, not their values. */
  route: string
  status: number
  error_code: string | null
  duration_ms: number
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  app_id: string
  key: {
    id: string
    key_name: string
    key_prefix: string
    last4: string
  }
  requested_at: string
}

export type App = {
  id: string
  name: string
  description: string | null
  /** The business whose wallet it acts on; null for your own. */
  business_id: string | null
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  /** `deleted` is seen once, in the answer to DELETE. */
  status: 'active' | 'deleted'
  created_at: string
}

export type AuditChain = {
  ok: boolean
  /** The first of the newest 50,000 entries: those were computed again. */
  from_seq: number
  /** The chain holds up to here, where it is `ok`. */
  to_seq: number
  /** The first entry that does not continue the one before, or is missing. */
  broken_at: number | null
  /** Where it must end; compare with what was kept elsewhere. */
  head: {
    seq: number
    hash: string
  }
  checked_at: string
}

export type AuditEntry = {
  /** Its place in the chain, without gaps. */
  seq: number
  at: string
  /** A user, `ops` for the command line, `system` for the service. */
  actor: string
  action: string
  object: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  request_id: string
  ip: string | null
}

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

export type Break = {
  id: string
  kind: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
  status: 'open' | 'proposed' | 'resolved'
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  payment_reference: string | null
  payout_id: string | null
  provider: string | null
  provider_reference: string | null
  /** What was known when it opened. */
  evidence: Record<string, unknown>
  /** How a break of this kind can be resolved. */
  resolutions: ('credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled')[]
  /** What one operator wants done; another one confirms it. */
  proposal: {
    resolution: 'credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled'
    note: string
    parameters: {
      /** The payment that was paid: of the same environment, and not completed. */
      payment_reference?: string
      payout_id?: string
      /** `usr_…` of a person, `biz_…` of a business. */
      merchant_id?: string
    } | null
    proposed_by: string
    proposed_at: string
  } | null
  /** The last payout that was to return its money to the payer. */
  return: {
    payout_id: string
    status: string
  } | null
  resolution: 'credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled' | null
  /** The second operator, or `system` where the provider’s word settled it. */
  resolved_by: string | null
  opened_at: string
  resolved_at: string | null
}

export type Business = {
  id: string
  status: 'pending' | 'verified' | 'rejected'
  legal_name: string
  trading_name: string | null
  business_type: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other'
  registration_number: string
  tax_identification_number: string | null
  country: 'TZ'
  address: string
  city: string
  region: string
  website: string | null
  phone: string
  email: string
  representative_role: string
  /** Why it was rejected; cleared when it is submitted again. */
  rejection_reason: string | null
  representative: {
    user_id: string
    /** As it was when the business was registered. */
    student_id: string | null
    role: string
    kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  }
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Grows with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  requirements: {
    /** What you still have to do: document purposes, `representative_kyc`, `submission`. */
    currently_due: string[]
    /** What was refused, and why. */
    errors: {
      item: string
      code: string
      reason: string
    }[]
  }
  documents: ({
    purpose: 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
    status: 'missing' | 'uploaded' | 'refused'
    /** The file was kept but cannot be opened: upload it again. */
    unreadable: boolean
    /** The newest file that was kept: what to submit. */
    document_url: string | null
    /** Whether that file is the one that was submitted. */
    under_review: boolean
    uploaded_at: string | null
  })[]
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
  created_at: string
  updated_at: string
  verified_at: string | null
}

export type BusinessCase = {
  id: string
  status: 'pending' | 'verified' | 'rejected'
  legal_name: string
  trading_name: string | null
  business_type: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other'
  registration_number: string
  tax_identification_number: string | null
  country: 'TZ'
  address: string
  city: string
  region: string
  website: string | null
  phone: string
  email: string
  representative_role: string
  /** Why it was rejected; cleared when it is submitted again. */
  rejection_reason: string | null
  representative: {
    user_id: string
    /** As it was when the business was registered. */
    student_id: string | null
    role: string
    kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  }
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Grows with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  requirements: {
    /** What you still have to do: document purposes, `representative_kyc`, `submission`. */
    currently_due: string[]
    /** What was refused, and why. */
    errors: {
      item: string
      code: string
      reason: string
    }[]
  }
  documents: ({
    purpose: 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
    status: 'missing' | 'uploaded' | 'refused'
    /** The file was kept but cannot be opened: upload it again. */
    unreadable: boolean
    /** The newest file that was kept: what to submit. */
    document_url: string | null
    /** Whether that file is the one that was submitted. */
    under_review: boolean
    uploaded_at: string | null
  })[]
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
  created_at: string
  updated_at: string
  verified_at: string | null
  /** What is under review, pinned. */
  submitted_documents: {
    purpose: string
    id: string
    content_type: string
    size_bytes: number
    /** Of the file as it was uploaded, in hex. */
    sha256: string
    /** Other purposes for which the very same file was submitted. */
    same_as: string[]
    /** Nobody can be verified on it. */
    unreadable: boolean
    uploaded_at: string
  }[]
  /** Other businesses with the same registration number, TIN, phone or file. */
  duplicates: {
    business_id: string
    legal_name: string
    same: string[]
  }[]
  /** You are behind it: a decision of yours is refused. */
  self_review: boolean
  /** A network, a bank or an office that payers could take the name for. */
  resembles: string | null
  /** Which operator has it in hand. */
  claim: {
    reviewer: {
      id: string
      name: string
    }
    claimed_at: string
  } | null
  /** Other people with the same national identity number, phone or file. */
  duplicate_people: {
    user_id: string
    full_name: string
    same: string[]
  }[]
  history: ({
    version: number
    action: 'submitted' | 'changed' | 'verified' | 'rejected'
    from_status: string
    to_status: string
    reason: string | null
    actor: {
      /** A user, or `ops` for the operator’s command line. */
      id: string
      name: string | null
    }
    /** What was submitted, or changed to. */
    package: {
      facts: Record<string, string | null>
      documents: {
        id: string
        purpose: string
        sha256: string
      }[]
    } | null
    /** What is different from the package before: facts, and the SHA-256 of documents. Null where there is none. */
    changes: ({
      field: string
      before: string | null
      after: string | null
    })[] | null
    at: string
  })[]
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

export type CreatedKey = {
  id: string
  app_id: string
  key_name: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
  key_prefix: 'svc_test_' | 'svc_live_'
  /** The last four characters of the value. */
  last4: string
  /** `expiring`: it still works and ends within seven days, by itself or because it was rolled. */
  status: 'active' | 'expiring' | 'revoked' | 'expired'
  /** When it ends; of a rolled key, when its grace does. */
  expires_at: string | null
  /** Empty: any address may use it. */
  allowed_ips: string[]
  /** To the minute. */
  last_used_at: string | null
  created_at: string
  /** The value, shown this once: keep it safe. */
  key: string
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

export type Key = {
  id: string
  app_id: string
  key_name: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
  key_prefix: 'svc_test_' | 'svc_live_'
  /** The last four characters of the value. */
  last4: string
  /** `expiring`: it still works and ends within seven days, by itself or because it was rolled. */
  status: 'active' | 'expiring' | 'revoked' | 'expired'
  /** When it ends; of a rolled key, when its grace does. */
  expires_at: string | null
  /** Empty: any address may use it. */
  allowed_ips: string[]
  /** To the minute. */
  last_used_at: string | null
  created_at: string
}

export type KycCase = {
  user_id: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  rejection_reason: string | null
  /** The end of the number, at most four characters. */
  national_id_last4: string | null
  date_of_birth: string | null
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Grows with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  verified_at: string | null
  full_name: string
  email: string
  student_id: string | null
  institution: string | null
  /** What was submitted, pinned. */
  documents: {
    purpose: string
    id: string
    content_type: string
    size_bytes: number
    /** Of the file as it was uploaded, in hex. */
    sha256: string
    /** Other purposes for which the very same file was submitted. */
    same_as: string[]
    /** Nobody can be verified on it. */
    unreadable: boolean
    uploaded_at: string
  }[]
}

export type LiftedPayoutFreeze = {
  merchant_id: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
}

export type MerchantPayment = {
  reference: string
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  /** TZS that came and was credited, where that is not `amount`; null otherwise. */
  amount_received: number | null
  currency: 'TZS'
  payment_page: {
    id: string
    title: string
    slug: string
  }
  customer: {
    name: string
    email: string
    phone_masked: string
  }
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  failure: {
    code: string
    message: string
    retryable: boolean
  } | null
  /** The success came after the payment had ended otherwise. */
  late: boolean
  /** The network has shown that it was not paid: what had been credited was taken back. The status stays. */
  credit_reversed_at: string | null
  /** What the network says of this payment does not fit our books, and our operators decide about it. `amount_differs`: another amount came; it is not in the wallet before that. */
  under_review: {
    since: string
    reason: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
  } | null
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  created_at: string
  expires_at: string
  completed_at: string | null
}

export type MerchantPaymentWithTimeline = {
  reference: string
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  /** TZS that came and was credited, where that is not `amount`; null otherwise. */
  amount_received: number | null
  currency: 'TZS'
  payment_page: {
    id: string
    title: string
    slug: string
  }
  customer: {
    name: string
    email: string
    phone_masked: string
  }
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  failure: {
    code: string
    message: string
    retryable: boolean
  } | null
  /** The success came after the payment had ended otherwise. */
  late: boolean
  /** The network has shown that it was not paid: what had been credited was taken back. The status stays. */
  credit_reversed_at: string | null
  /** What the network says of this payment does not fit our books, and our operators decide about it. `amount_differs`: another amount came; it is not in the wallet before that. */
  under_review: {
    since: string
    reason: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
  } | null
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  created_at: string
  expires_at: string
  completed_at: string | null
  /** The transaction at the payer’s network, as the payer’s own message names it; null where nobody told us. */
  operator_reference: string | null
  /** TZS that we kept of it; null while nothing has reached the wallet. */
  fee: number | null
  /** TZS that reached the wallet; null while nothing has. */
  net: number | null
  /** The `utm_` parameters of the link by which the payer came to our checkout. */
  utm: Record<string, string> | null
  /** Oldest first. */
  timeline: ({
    type: 'status'
    at: string
    status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  } | {
    type: 'provider_message'
    at: string
    /** What the provider said; null where its message says nothing of this. */
    status: string | null
    failure_code: string | null
  } | {
    type: 'transaction'
    at: string
    transaction_id: string
    direction: 'credit' | 'debit'
    amount: number
    balance_after: number
  } | {
    type: 'event'
    at: string
    event_id: string
    event_type: string
  } | {
    type: 'webhook_attempt'
    at: string
    delivery_id: string
    app_id: string
    url: string
    attempt: number
    trigger: 'automatic' | 'manual' | 'test'
    outcome: 'succeeded' | 'failed'
    response_status: number | null
    error_code: string | null
  })[]
}

export type MerchantSummary = {
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  currency: 'TZS'
  as_of: string
  /** TZS that can be paid out now. */
  available: number
  /** TZS set aside for payouts on their way. */
  reserved: number
  today: {
    /** TZS. */
    volume: number
    count: number
  }
  /** Today and the 29 days before. */
  last_30_days: {
    /** TZS. */
    volume: number
    count: number
    /** Of the payments begun in the period that have ended: 0 to 1; null if none has. */
    success_rate: number | null
  }
  /** The 30 days before those, to compare with. */
  previous_30_days: {
    /** TZS. */
    volume: number
    count: number
    /** Of the payments begun in the period that have ended: 0 to 1; null if none has. */
    success_rate: number | null
  }
  /** The last 30 days as East Africa counts them (UTC+3), oldest first; a day without payments is there too. */
  days: {
    date: string
    /** TZS. */
    volume: number
    count: number
  }[]
  setup: {
    has_payment_page: boolean
    webhooks: {
      enabled: number
      /** Switched off by us, because nothing arrived there. */
      disabled: number
      /** Switched on, and the last attempt failed. */
      failing: number
    }
  }
}

export type MerchantSuspension = {
  id: string
  /** Operators have stopped it: no new payments, no payouts, until they lift it. Null: it is not. */
  suspension: {
    reason: string
    since: string
  } | null
}

export type Network = {
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
  name: string
  /** From what became of payments in the last minutes. `degraded`: many fail. `down`: almost all fail, or it is switched off, and then a checkout is refused with 503. */
  status: 'operational' | 'degraded' | 'down'
  /** What to tell a payer before they type; null when there is nothing to tell. */
  message: string | null
  message_sw: string | null
  since: string
  /** How the payer answers the request on the phone, and what to do when none comes. */
  prompt_instructions: {
    en: string
    sw: string
  }
  /** Opens the network’s own mobile money menu. */
  dial_code: string
}

export type NotificationPreferences = {
  /** Live payments that reached a wallet of yours, a mail a minute at most. Off by default. */
  payment_received: boolean
  /** Live payouts that arrived, failed or came back. */
  payout_finished: boolean
  /** A webhook of yours was switched off because it takes nothing any more. */
  webhook_disabled: boolean
  /** Somebody signed in as you from a device that you had not used before. */
  new_device: boolean
}

export type OpenKycCase = {
  user_id: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  rejection_reason: string | null
  /** The end of the number, at most four characters. */
  national_id_last4: string | null
  date_of_birth: string | null
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Grows with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  verified_at: string | null
  full_name: string
  email: string
  student_id: string | null
  institution: string | null
  /** What was submitted, pinned. */
  documents: {
    purpose: string
    id: string
    content_type: string
    size_bytes: number
    /** Of the file as it was uploaded, in hex. */
    sha256: string
    /** Other purposes for which the very same file was submitted. */
    same_as: string[]
    /** Nobody can be verified on it. */
    unreadable: boolean
    uploaded_at: string
  }[]
  /** In full; reading it is audited. */
  national_id_number: string | null
  /** Other users who gave the same number. */
  same_number_as: string[]
  /** You are behind it: a decision of yours is refused. */
  self_review: boolean
  /** A network, a bank or an office that payers could take the name for. */
  resembles: string | null
  /** Which operator has it in hand. */
  claim: {
    reviewer: {
      id: string
      name: string
    }
    claimed_at: string
  } | null
  /** Other people with the same national identity number, phone or file. */
  duplicate_people: {
    user_id: string
    full_name: string
    same: string[]
  }[]
  /** Businesses of others with the same phone or file. */
  duplicate_businesses: {
    business_id: string
    legal_name: string
    same: string[]
  }[]
  history: ({
    version: number
    action: 'submitted' | 'changed' | 'verified' | 'rejected'
    from_status: string
    to_status: string
    reason: string | null
    actor: {
      /** A user, or `ops` for the operator’s command line. */
      id: string
      name: string | null
    }
    /** What was submitted, or changed to. */
    package: {
      facts: Record<string, string | null>
      documents: {
        id: string
        purpose: string
        sha256: string
      }[]
    } | null
    /** What is different from the package before: facts, and the SHA-256 of documents. Null where there is none. */
    changes: ({
      field: string
      before: string | null
      after: string | null
    })[] | null
    at: string
  })[]
}

export type OperationsOverview = {
  /** Read at most ten seconds ago. */
  as_of: string
  networks: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
    status: 'operational' | 'degraded' | 'down'
    switched_off: boolean
    since: string
    /** Of the charges begun in the last minutes; at most the newest 200 of each of 256 parts of the merchants. */
    windows: ({
      minutes: number
      begun: number
      completed: number
      failed: number
      unknown: number
      /** Of those that have ended; 0 to 1. */
      success_rate: number | null
      /** From checkout to credit. */
      median_seconds: number | null
    })[]
  })[]
  /** As the process that answers sees them. */
  providers: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    provider: string
    direction: 'charges' | 'payouts'
    circuit: 'closed' | 'open' | 'half_open'
    /** Of the last five minutes. */
    calls: number
    success_rate: number | null
    latency_ms: {
      median: number
      p95: number
    } | null
    last_webhook_at: string | null
  })[]
  /** What is due now and not yet done. */
  queues: ({
    name: 'webhook_deliveries' | 'provider_messages' | 'charge_checks' | 'payout_checks' | 'mails'
    /** Counted up to 10000. */
    due: number
    /** For how long the oldest; null where there is none. */
    oldest_seconds: number | null
  })[]
  /** Attempts of the last hour. */
  webhooks: {
    succeeded: number
    failed: number
    failure_rate: number | null
  }
  /** Charges of which nothing certain is known a minute after they were begun. */
  unknown_payments: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    count: number
    amount: number
    /** For how long the oldest; null where there is none. */
    oldest_seconds: number | null
  })[]
  reserved_payouts: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    count: number
    amount: number
    /** For how long the oldest; null where there is none. */
    oldest_seconds: number | null
    waiting_for_approval: number
  })[]
  open_breaks: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    kind: string
    count: number
    proposed: number
    oldest_at: string
  })[]
  reconciliation: ({
    subject: 'charges' | 'payouts'
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    provider: string
    last_ended_at: string | null
    /** None has ended for 15 minutes. */
    late: boolean
    /** The last day that was compared. */
    last_day: string | null
  })[]
  books: {
    checked_at: string | null
    late: boolean
    violations: ({
      invariant: string
      /** Only `money` stops payouts. */
      severity: 'money' | 'alert'
      promise: string
      what: string
    })[]
  }
  switched_off: ({
    name: string
    reason: string | null
  })[]
  waiting_reviews: ({
    kind: 'person' | 'business'
    waiting: number
    overdue: number
  })[]
}

export type OperatorMerchant = {
  /** `usr_…` of a person, `biz_…` of a business. */
  id: string
  type: 'personal' | 'business'
  display_name: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  /** Operators have stopped it: no new payments, no payouts, until they lift it. Null: it is not. */
  suspension: {
    reason: string
    since: string
  } | null
  /** Who it is, or who represents it. */
  person: {
    user_id: string
    full_name: string
    email: string
    email_verified: boolean
    phone_number: string | null
    student_id: string | null
    institution: string | null
    kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
    two_factor: boolean
    disabled: boolean
    live_sessions: number
    last_seen_at: string | null
    created_at: string
  }
  business: {
    legal_name: string
    business_type: string
    registration_number: string
    tax_identification_number: string | null
    phone: string
    email: string
    city: string
    region: string
    created_at: string
  } | null
  /** The businesses of a person. */
  represents: ({
    id: string
    display_name: string
    status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  })[]
  environments: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    /** TZS. */
    balance: {
      available: number
      reserved: number
      total: number
    }
    /** Payments that reached the wallet in so many days, and their TZS. */
    volume: {
      days: number
      count: number
      amount: number
    }
    /** Of the newest 1000. */
    pages: {
      total: number
      active: number
      suspended: number
    }
    capabilities: {
      live_keys: boolean
      page_writes: boolean
      payouts: boolean
    }
    latest_payments: MerchantPayment[]
    latest_payouts: Payout[]
  })[]
  /** Those that work now, those used last first. */
  keys: ({
    id: string
    app: {
      id: string
      name: string
    }
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    key_name: string
    scopes: string[]
    key_prefix: string
    last4: string
    expires_at: string | null
    last_used_at: string | null
    created_at: string
  })[]
  webhooks: ({
    id: string
    app: {
      id: string
      name: string
    }
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    url: string
    enabled: boolean
    disabled_reason: string | null
    last_success_at: string | null
    last_failure_at: string | null
    attempts_24h: {
      succeeded: number
      failed: number
    }
    /** Deliveries that are still to be made, counted up to 1000. */
    waiting: number
    oldest_due_at: string | null
  })[]
  open_breaks: ({
    id: string
    kind: string
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    payment_reference: string | null
    payout_id: string | null
    opened_at: string
  })[]
}

export type OperatorPayment = {
  reference: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** Money that does not match it lies in suspense. */
  under_review: boolean
  late: boolean
  failure_code: string | null
  created_at: string
  expires_at: string
  completed_at: string | null
  age_seconds: number
  charge: {
    provider: string
    provider_reference: string | null
    /** `unknown`: sent, and nothing certain was heard. */
    state: 'claimed' | 'unsent' | 'deferred' | 'unknown' | 'accepted' | 'rejected'
    /** Questions asked so far. */
    checks: number
    /** Null: it is not asked about any more by itself. */
    next_check_at: string | null
    last_heard_at: string
  }
  open_breaks: string[]
}

export type OperatorPaymentWithHistory = {
  reference: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** Money that does not match it lies in suspense. */
  under_review: boolean
  late: boolean
  failure_code: string | null
  created_at: string
  expires_at: string
  completed_at: string | null
  age_seconds: number
  charge: {
    provider: string
    provider_reference: string | null
    /** `unknown`: sent, and nothing certain was heard. */
    state: 'claimed' | 'unsent' | 'deferred' | 'unknown' | 'accepted' | 'rejected'
    /** Questions asked so far. */
    checks: number
    /** Null: it is not asked about any more by itself. */
    next_check_at: string | null
    last_heard_at: string
  }
  open_breaks: string[]
  messages: ({
    received_at: string
    status: string | null
    amount: number | null
  })[]
  transfers: {
    id: string
    kind: string
    debit: string
    credit: string
    amount: number
    actor: string
    request_id: string
    created_at: string
  }[]
  breaks: Break[]
}

export type OperatorPayout = {
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
  purpose: 'merchant' | 'return_to_payer'
  /** Null for a payout of ours. */
  merchant: {
    /** The merchant: a business, or a person. */
    type_id: string
  } | null
  /** The break whose money is returned. */
  break_id: string | null
  provider: string
  provider_reference: string | null
  /** `unknown`: sent, and nothing certain was heard; the money stays reserved. */
  order_state: 'queued' | 'claimed' | 'unsent' | 'deferred' | 'unknown' | 'accepted' | 'rejected' | 'withdrawn'
  requested_by: string
}

export type OperatorSearchResult = {
  type: 'person' | 'business' | 'payment' | 'payout' | 'payment_page'
  /** Of a payment, its reference. */
  id: string
  title: string
  /** An e-mail address, a masked number, a slug. */
  detail: string | null
  status: string
  environment: 'test' | 'live' | null
  /** TZS. */
  amount: number | null
  /** Whose it is; null of a merchant itself. */
  merchant: {
    id: string
    name: string
  } | null
  created_at: string
}

export type OperatorWebhookAttempt = {
  id: string
  event_id: string
  event_type: string
  /** The address at the time. */
  url: string
  /** Which attempt of its chain, from 1 on. */
  attempt: number
  max_attempts: number
  /** `manual`: somebody asked for it, by resend or replay. `test`: of a payment made to try the webhook out. */
  trigger: 'automatic' | 'manual' | 'test'
  outcome: 'succeeded' | 'failed'
  response_status: number | null
  /** The first 4 KiB of the answer. */
  response_body: string | null
  duration_ms: number
  error: {
    /** One of dns_not_found, dns_failure, dns_timeout, local_failure, blocked_target, connection_refused, connection_reset, answer_incomplete, tls_untrusted, tls_expired, tls_wrong_host, tls_error, timeout, protocol_error, redirect, unexpected_status. */
    code: string
  } | null
  attempted_at: string
  /** Null when it was the last one. */
  next_attempt_at: string | null
  app_id: string
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

/** A whole HTML document for each language, without its script. */
export type PaymentPagePreview = {
  sw: string
  en: string
}

export type PaymentPageSuspension = {
  id: string
  /** Operators have stopped it: no new payments, no payouts, until they lift it. Null: it is not. */
  suspension: {
    reason: string
    since: string
  } | null
}

export type PaymentQuery = {
  /** What the provider answered. Only `found` moves anything. */
  answer: 'found' | 'not_found' | 'indeterminate'
  reason: string | null
  provider_status: string | null
  amount: number | null
  currency: string | null
  /** What came of settling it: `applied`, `unchanged`, `amount_differs` … */
  outcome: string | null
  /** The payment’s, now. */
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
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

export type PayoutFreeze = {
  /** `usr_…` of a person, `biz_…` of a business. */
  merchant_id: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  reason: string
  since: string
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

export type PersonalKyc = {
  user_id: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  rejection_reason: string | null
  /** The end of the number, at most four characters. */
  national_id_last4: string | null
  date_of_birth: string | null
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Grows with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  requirements: {
    /** What you still have to do: document purposes, `representative_kyc`, `submission`. */
    currently_due: string[]
    /** What was refused, and why. */
    errors: {
      item: string
      code: string
      reason: string
    }[]
  }
  documents: ({
    purpose: 'national_id' | 'student_id_card' | 'selfie'
    status: 'missing' | 'uploaded' | 'refused'
    /** The file was kept but cannot be opened: upload it again. */
    unreadable: boolean
    /** The newest file that was kept: what to submit. */
    document_url: string | null
    /** Whether that file is the one that was submitted. */
    under_review: boolean
    uploaded_at: string | null
  })[]
  verified_at: string | null
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

export type ProviderHealth = {
  /** Of the charges begun in the window. */
  networks: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    provider: string
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
    begun: number
    completed: number
    failed: number
    /** Open, and nothing certain is known of them. */
    unknown: number
    /** Of those that have ended; 0 to 1. */
    success_rate: number | null
    /** From checkout to credit. */
    median_seconds: number | null
    /** Credits that the provider’s own message brought. */
    told_by_message: number
    learned_by_asking: number
    last_message_at: string | null
  })[]
  /** As the process that answers sees them; each process has its own. */
  circuits: ({
    /** `test` charges the simulator and credits the test wallet; `live` moves money. */
    environment: 'test' | 'live'
    provider: string
    direction: 'charges' | 'payouts'
    state: 'closed' | 'open' | 'half_open'
    since: string
    /** Of the last five minutes. */
    calls: number
    success_rate: number | null
    latency_ms: {
      median: number
      p95: number
    } | null
    last_trouble: {
      kind: string
      reason: string
      at: string
    } | null
    last_webhook_at: string | null
  })[]
}

export type PublicPaymentPage = {
  slug: string
  type: 'wallet_topup' | 'payment' | 'invoice' | 'donation' | 'event' | 'contribution'
  /** Only an open page takes payments. */
  state: 'open' | 'inactive' | 'expired' | 'sold_out'
  title: string
  description: string | null
  amount: number | null
  currency: 'TZS'
  allow_custom_amount: boolean
  min_amount: number
  max_amount: number
  inactive_message: string | null
  success_message: string | null
  expires_at: string | null
  language: 'sw' | 'en' | 'auto'
  merchant_name: string
  merchant_verified: boolean
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  /** How the mobile networks do now. */
  networks: ({
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
    name: string
    /** From what became of payments in the last minutes. `degraded`: many fail. `down`: almost all fail, or it is switched off, and then a checkout is refused with 503. */
    status: 'operational' | 'degraded' | 'down'
    /** What to tell a payer before they type; null when there is nothing to tell. */
    message: string | null
    message_sw: string | null
  })[]
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

export type ReconciliationDay = {
  /** UTC. */
  day: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  subject: 'charges' | 'payouts'
  provider: string
  run_id: string
  compared_at: string
  networks: {
    /** `unknown` where the provider does not say. */
    network: string
    /** That succeeded at the provider. */
    records: number
    /** TZS, in the provider’s words. */
    provider: number
    /** TZS, in our books: credited, or paid out. */
    ledger: number
    /** TZS. */
    suspended: number
    /** TZS that a break is about. */
    in_breaks: number
    /** What none of these explains: zero. */
    difference: number
  }[]
  /** TZS. */
  provider_total: number
  /** TZS. */
  ledger_total: number
  /** TZS. */
  difference: number
  breaks: number
  unreadable: number
}

export type ReconciliationRun = {
  id: string
  /** `recent`: what has not come to an end. `late`: what ended without a credit in the last day. `daily`: all that the provider has of a day. */
  kind: 'recent' | 'late' | 'daily'
  subject: 'charges' | 'payouts'
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  provider: string
  /** UTC. */
  day: string | null
  status: 'planned' | 'running' | 'ended'
  requested_by: string
  due_at: string
  started_at: string | null
  ended_at: string | null
  /** To the provider. */
  calls: number
  /** Calls in a row that it did not answer usably. */
  failed_tries: number
  seen: number
  matched: number
  /** What had been missed, and was settled. */
  repaired: number
  breaks: number
  unreadable: number
  /** TZS of a day: what succeeded at the provider, and where that is in our books. */
  by_network: Record<string, {
    records: number
    provider: number
    credited: number
    suspended: number
    in_breaks: number
  }>
}

export type RedirectHost = {
  /** As browsers send it. */
  host: string
  /** In the letters that a person reads. */
  displayed: string
  /** A live page may lead payers on to a proved host alone. */
  status: 'pending' | 'proved'
  proved_by: 'dns' | 'file' | 'not_needed' | null
  proved_at: string | null
  /** Either a TXT record `dns_name` or a file at `file_url` holds `value`. */
  proof: {
    dns_name: string
    file_url: string
    value: string
  }
  created_at: string
}

export type RejectionReason = {
  code: 'document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported'
  /** Whom it can be said to. */
  kinds: ('person' | 'business')[]
  sw: string
  en: string
}

export type ReviewCounts = {
  kind: 'person' | 'business'
  waiting: number
  /** Of those that wait. */
  claimed: number
  overdue: number
  oldest_submitted_at: string | null
  unsubmitted: number
  /** Those that wait, and businesses that were never submitted. */
  pending: number
  verified: number
  rejected: number
}

export type SearchResult = {
  type: 'payment' | 'payment_page' | 'transaction' | 'event'
  /** Of a payment, its reference. */
  id: string
  /** Whose payment it is, or what the page is called. */
  title: string
  /** A payer’s masked number, a page’s slug, an event’s type. */
  detail: string | null
  status: string | null
  /** TZS. */
  amount: number | null
  /** The payment that it belongs to. */
  reference: string | null
  created_at: string
}

export type Session = {
  id: string
  status: 'active' | 'revoked'
  /** Whether it is the session of this request. */
  current: boolean
  /** Authentication methods of RFC 8176. */
  amr: string[]
  user_agent: string | null
  created_at: string
  /** When you last showed who you are: at sign-in or by `POST /v1/auth/step-up`. */
  authenticated_at: string
  last_used_at: string
  /** When it ends unless it is refreshed; never later than 90 days after sign-in. */
  expires_at: string
}

export type Statement = {
  /** A month as East Africa counts it (UTC+3). */
  month: string
  /** `test` charges the simulator and credits the test wallet; `live` moves money. */
  environment: 'test' | 'live'
  currency: 'TZS'
  /** When the month began. */
  from: string
  /** When it ended or will end; this moment itself is outside. */
  to: string
  /** False while the month is not over, and for the minute in which its last lines may still come in. */
  is_final: boolean
  as_of: string
  /** TZS. */
  opening_balance: number
  /** TZS; while the month is not over, what is in the wallet now. */
  closing_balance: number
  total_credits: number
  total_debits: number
  totals: ({
    type: 'payment' | 'payout' | 'payout_reversal' | 'adjustment' | 'fee'
    direction: 'credit' | 'debit'
    count: number
    /** TZS. */
    amount: number
  })[]
  transaction_count: number
}

export type Switch = {
  name: string
  /** What does not begin while it is off. */
  subject: 'checkout' | 'payouts'
  /** Null: both. */
  environment: 'test' | 'live' | null
  /** Null: all. */
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  state: 'on' | 'off'
  /** Why it was turned last. */
  reason: string | null
  /** A user, or `system` for the service itself; null: never turned. */
  changed_by: string | null
  changed_at: string | null
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

export type UploadAddress = {
  /** Send the file there once. It is `document_url` with a signature. */
  upload_url: string
  method: 'PUT'
  /** Send exactly these. */
  headers: Record<string, string>
  /** What to submit; nobody can open it. */
  document_url: string
  expires_at: string
  max_bytes: number
}

export type User = {
  id: string
  full_name: string
  email: string
  /** Whether a code that was mailed to this address came back. */
  email_verified: boolean
  /** E.164; null only for an operator, like the next two. */
  phone_number: string | null
  student_id: string | null
  institution: string | null
  role: 'student' | 'admin'
  two_factor: {
    /** Whether signing in asks for a code of your authenticator app. */
    enabled: boolean
    /** Unused ones. */
    recovery_codes_left: number
  }
  /** Live keys, personal page writes and payouts need `verified`. */
  kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  created_at: string
  updated_at: string
}

export type ViewAddress = {
  /** Opens once, with the access token of the session that asked for it. Answers with an image made anew. */
  view_url: string
  expires_at: string
}

export type WaitingReview = {
  /** `usr_…` of a person, `biz_…` of a business. */
  id: string
  kind: 'person' | 'business'
  name: string
  version: number
  submitted_at: string
  age_seconds: number
  /** It has waited for more than 48 hours. */
  overdue: boolean
  /** You are behind it: a decision of yours is refused. */
  self_review: boolean
  /** Which operator has it in hand. */
  claim: {
    reviewer: {
      id: string
      name: string
    }
    claimed_at: string
  } | null
}

export type Webhook = {
  id: string
  app_id: string
  url: string
  /** The signing secret. The key of `X-Service-Signature` is this whole text, `whsec_` included. */
  secret: string
  /** False when we have switched it off; saving its address again switches it on. */
  enabled: boolean
  /** `endpoint_gone`: the last three events ended in 410. `endpoint_failing`: at least 20 attempts over 5 days, all of them failed. */
  disabled_reason: string | null
  created_at: string
  updated_at: string
  secret_rotated_at: string | null
  /** Exact to some seconds. */
  last_success_at: string | null
  /** Exact to some seconds. */
  last_failure_at: string | null
}

export type WebhookDeliveryAttempt = {
  id: string
  event_id: string
  event_type: string
  /** The address at the time. */
  url: string
  /** Which attempt of its chain, from 1 on. */
  attempt: number
  max_attempts: number
  /** `manual`: somebody asked for it, by resend or replay. `test`: of a payment made to try the webhook out. */
  trigger: 'automatic' | 'manual' | 'test'
  outcome: 'succeeded' | 'failed'
  response_status: number | null
  /** The first 4 KiB of the answer. */
  response_body: string | null
  duration_ms: number
  error: {
    /** One of dns_not_found, dns_failure, dns_timeout, local_failure, blocked_target, connection_refused, connection_reset, answer_incomplete, tls_untrusted, tls_expired, tls_wrong_host, tls_error, timeout, protocol_error, redirect, unexpected_status. */
    code: string
  } | null
  attempted_at: string
  /** Null when it was the last one. */
  next_attempt_at: string | null
}

export type WebhookDeliveryDetail = {
  id: string
  event_id: string
  event_type: string
  /** The address at the time. */
  url: string
  /** Which attempt of its chain, from 1 on. */
  attempt: number
  max_attempts: number
  /** `manual`: somebody asked for it, by resend or replay. `test`: of a payment made to try the webhook out. */
  trigger: 'automatic' | 'manual' | 'test'
  outcome: 'succeeded' | 'failed'
  response_status: number | null
  /** The first 4 KiB of the answer. */
  response_body: string | null
  duration_ms: number
  error: {
    /** One of dns_not_found, dns_failure, dns_timeout, local_failure, blocked_target, connection_refused, connection_reset, answer_incomplete, tls_untrusted, tls_expired, tls_wrong_host, tls_error, timeout, protocol_error, redirect, unexpected_status. */
    code: string
  } | null
  attempted_at: string
  /** Null when it was the last one. */
  next_attempt_at: string | null
  request: {
    method: 'POST'
    /** As they were sent. Without those of the signature where the secret that made it has been replaced, or its webhook removed, since. */
    headers: Record<string, string>
    /** Byte for byte what was sent, and signed. */
    body: string
    is_signature_shown: boolean
  }
}

export type WebhookState = {
  id: string
  app_id: string
  url: string
  /** False when we have switched it off; saving its address again switches it on. */
  enabled: boolean
  /** `endpoint_gone`: the last three events ended in 410. `endpoint_failing`: at least 20 attempts over 5 days, all of them failed. */
  disabled_reason: string | null
  created_at: string
  updated_at: string
  secret_rotated_at: string | null
  /** Exact to some seconds. */
  last_success_at: string | null
  /** Exact to some seconds. */
  last_failure_at: string | null
}

export type WebhookTest = {
  /** The simulated payment. */
  reference: string
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  event_type: 'payment.completed'
}
