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
        /** Number of sessions that were ended. */
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
  'DELETE /v1/businesses/{business_id}/members/{member_id}': {
    params: {
      business_id: string
      member_id: string
    }
    answer: {
      data: RemovedMember
    }
  }
  'DELETE /v1/merchant/approval-rule': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: ApprovalRule
    }
  }
  'DELETE /v1/merchant/brand/logo': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Brand
    }
  }
  'DELETE /v1/merchant/payout-batches/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: {
        id: string
      }
    }
  }
  'DELETE /v1/merchant/recipients/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: {
        id: string
        deleted: true
      }
    }
  }
  'DELETE /v1/merchant/redirect-hosts': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      /** A host name, with the port if it is not 443. No scheme and no path. */
      host: string
    }
    answer: {
      data: {
        host: string
        removed: true
      }
    }
  }
  'DELETE /v1/merchant/saved-filters/payments/{filter_id}': {
    params: {
      filter_id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: {
        id: string
        deleted: true
      }
    }
  }
  'DELETE /v1/merchant/saved-filters/payouts/{filter_id}': {
    params: {
      filter_id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: {
        id: string
        deleted: true
      }
    }
  }
  'DELETE /v1/merchant/statement-mail': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: StatementMail
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
      /** `personal` for the apps of your personal account, or the id of a business. */
      owner?: string
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
      environment?: 'test' | 'live'
      /** Entries in the answer; 20 without it. */
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
      event_type?: 'payment.completed' | 'payment.failed' | 'payment.voided' | 'payment.expired' | 'payout.completed' | 'payout.failed' | 'payout.reversed' | 'payout.cancelled' | 'refund.completed' | 'refund.failed' | 'payout_batch.completed' | 'business.verified' | 'business.rejected'
      outcome?: 'succeeded' | 'failed'
      /** Entries in the answer; 20 without it. */
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
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
      environment?: 'test' | 'live'
      /** Entries in the answer; 20 without it. */
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
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      /** The id of the object that was changed. */
      object?: string
      actor?: string
      action?: string
      from?: string
      /** Exclusive. */
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
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      kind?: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
      /** `open`: not resolved, with or without a proposal. */
      status?: 'open' | 'proposed' | 'resolved'
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      status?: 'pending' | 'verified' | 'rejected'
      stage?: 'draft' | 'submitted' | 'decided'
      /** Part of a name, number or address, or a complete id. */
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
  'GET /v1/admin/changes': {
    query: {
      /** From the last answer. Without it: `is_gap`. */
      cursor?: string
      /** Seconds for which the answer waits for a change. */
      wait?: number
    }
    answer: {
      data: Changes
    }
  }
  'GET /v1/admin/kyc': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      status?: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
      stage?: 'draft' | 'submitted' | 'decided'
      /** Part of a name, number or address, or a complete id. */
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
  'GET /v1/admin/merchants/{merchant_id}/brand': {
    params: {
      merchant_id: string
    }
    answer: {
      data: Brand
    }
  }
  'GET /v1/admin/merchants/{merchant_id}/payments': {
    params: {
      merchant_id: string
    }
    query: {
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
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
      /** Entries in the answer; 20 without it. */
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
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
      environment?: 'test' | 'live'
      network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
      older_than_seconds?: number
      /** Only payments whose outcome is unknown a minute after they were started, as in the overview. */
      outcome?: 'unknown'
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
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
      environment?: 'test' | 'live'
      subject?: 'charges' | 'payouts'
    }
    answer: {
      data: ReconciliationDay[]
    }
  }
  'GET /v1/admin/reconciliation/runs': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      kind?: 'recent' | 'late' | 'daily'
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      kind?: 'person' | 'business'
      /** Only cases claimed by you (`me`) or by no one (`nobody`). */
      claimed?: 'me' | 'nobody'
      /** Only cases that have waited for more than 48 hours. */
      overdue?: 'true' | 'false'
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
  'GET /v1/admin/reviews/{merchant_id}/opened-documents': {
    params: {
      merchant_id: string
    }
    answer: {
      data: OpenedDocuments
    }
  }
  'GET /v1/admin/search': {
    query: {
      q: string
    }
    answer: {
      data: OperatorSearchResult[]
      /** What the text was; if nothing was found, what it may be. */
      understood_as: ('id' | 'phone_number' | 'network_receipt' | 'reported_number' | 'short_code' | 'provider_reference' | 'merchant_reference' | 'page_address' | 'merchant')[]
    }
  }
  'GET /v1/admin/support-cases': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      state?: 'open' | 'asking' | 'answered' | 'with_operators' | 'closed'
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
      environment?: 'test' | 'live'
      reason?: 'still_open' | 'not_found' | 'not_proven' | 'no_answer' | 'money_held' | 'number_differs' | 'number_of_another' | 'payer_disagrees'
      /** The id of a case that stands for others: these cases. */
      like?: string
    }
    answer: {
      data: ListedSupportCase[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/admin/support-cases/{case_id}': {
    params: {
      case_id: string
    }
    answer: {
      data: WholeSupportCase
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
      /** Entries in the answer; 20 without it. */
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
      /** Entries in the answer; 20 without it. */
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
  'GET /v1/businesses/{business_id}/activity': {
    params: {
      business_id: string
    }
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
    }
    answer: {
      data: Activity[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/businesses/{business_id}/members': {
    params: {
      business_id: string
    }
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
    }
    answer: {
      data: Member[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/changes': {
    query: {
      /** From the last answer. Without it: `is_gap`. */
      cursor?: string
      /** Seconds for which the answer waits for a change. */
      wait?: number
    }
    answer: {
      data: Changes
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
  'GET /v1/memberships': {
    answer: {
      data: Membership[]
    }
  }
  'GET /v1/merchant/approval-rule': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: ApprovalRule
    }
  }
  'GET /v1/merchant/approvals': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Approval[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/approvals/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Approval
    }
  }
  'GET /v1/merchant/balance': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Balance
    }
  }
  'GET /v1/merchant/brand': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Brand
    }
  }
  'GET /v1/merchant/brand/shades': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      color: string
    }
    answer: {
      data: BrandShades
    }
  }
  'GET /v1/merchant/customers': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      /** Part of the name, the whole number, or three digits of it. */
      q?: string
    }
    answer: {
      data: Customer[]
      has_more: boolean
      next_cursor: string | null
      /** Earlier payments are still being counted: customers may be missing, and totals too low. Read again in some seconds. */
      counting: boolean
    }
  }
  'GET /v1/merchant/customers/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Customer
    }
  }
  'GET /v1/merchant/customers/{id}/payments': {
    params: {
      id: string
    }
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: MerchantPayment[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/events': {
    query: {
      type?: 'payment.completed' | 'payment.failed' | 'payment.voided' | 'payment.expired' | 'payout.completed' | 'payout.failed' | 'payout.reversed' | 'payout.cancelled' | 'refund.completed' | 'refund.failed' | 'payout_batch.completed' | 'business.verified' | 'business.rejected'
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
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
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
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
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
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
      /** Width in pixels, 512 by default. */
      size?: number
      /** Return the picture as a file download. */
      download?: '' | 'true' | 'false'
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: unknown
  }
  'GET /v1/merchant/payment-requests': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      status?: 'open' | 'paid' | 'expired' | 'cancelled'
      merchant_reference?: string
    }
    answer: {
      data: PaymentRequest[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payment-requests/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: PaymentRequest
    }
  }
  'GET /v1/merchant/payments': {
    query: {
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
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: MerchantPayment[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payments/totals': {
    query: {
      created_from?: string
      created_to?: string
      /** The newest day of `days`. Without it, the newest day of the list. */
      days_to?: string
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
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: ListTotals
    }
  }
  'GET /v1/merchant/payments/{reference}': {
    params: {
      reference: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: MerchantPaymentWithTimeline
    }
  }
  'GET /v1/merchant/payments/{reference}/refunds': {
    params: {
      reference: string
    }
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Refund[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payments/{reference}/support-cases': {
    params: {
      reference: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: MerchantSupportCase[]
    }
  }
  'GET /v1/merchant/payout-batches': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      status?: 'draft' | 'waiting' | 'running' | 'done' | 'stopped'
    }
    answer: {
      data: PayoutBatch[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payout-batches/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: PayoutBatch
    }
  }
  'GET /v1/merchant/payout-batches/{id}/items': {
    params: {
      id: string
    }
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      status?: 'invalid' | 'ready' | 'removed' | 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
      /** Only the rows that have warnings, or only the others. */
      with_warnings?: 'true' | 'false'
    }
    answer: {
      data: PayoutBatchItem[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payouts': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
      /** Your own reference, whole. */
      reference?: string
      /** The id of a payout or of its batch, the recipient’s number or three digits of it, or part of the recipient’s name or of your own reference. */
      q?: string
    }
    answer: {
      data: Payout[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/payouts/fee': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      amount: number
      phone_number?: string
      /** For a refund: the reference of the payment. */
      payment?: string
      /** The name that the payout would have. */
      recipient_name?: string
    }
    answer: {
      data: PayoutFee
    }
  }
  'GET /v1/merchant/payouts/totals': {
    query: {
      created_from?: string
      created_to?: string
      /** The newest day of `days`. Without it, the newest day of the list. */
      days_to?: string
      status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
      /** Your own reference, whole. */
      reference?: string
      /** The id of a payout or of its batch, the recipient’s number or three digits of it, or part of the recipient’s name or of your own reference. */
      q?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: ListTotals
    }
  }
  'GET /v1/merchant/payouts/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: PayoutWithTimeline
    }
  }
  'GET /v1/merchant/profile': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Profile
    }
  }
  'GET /v1/merchant/recipients': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      /** Part of the name, or digits of the number as dialled or stored. */
      q?: string
      /** The recipient with this number. */
      phone_number?: string
    }
    answer: {
      data: Recipient[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/recipients/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Recipient
    }
  }
  'GET /v1/merchant/redirect-hosts': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: RedirectHost[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/refunds/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Refund
    }
  }
  'GET /v1/merchant/requests': {
    query: {
      /** Entries in the answer; 20 without it. */
      limit?: number
      cursor?: string
      created_from?: string
      created_to?: string
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      app_id?: string
      key_id?: string
      /** `failed`: a status of 400 or above. */
      outcome?: 'succeeded' | 'failed'
    }
    answer: {
      data: ApiRequest[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/saved-filters/payments': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: SavedPaymentFilter[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/saved-filters/payouts': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: SavedPayoutFilter[]
      has_more: boolean
      next_cursor: string | null
    }
  }
  'GET /v1/merchant/search': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      q: string
    }
    answer: {
      data: SearchResult[]
    }
  }
  'GET /v1/merchant/statement': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      /** A month in East Africa Time (UTC+3). */
      month: string
    }
    answer: {
      data: Statement
    }
  }
  'GET /v1/merchant/statement-mail': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: StatementMail
    }
  }
  'GET /v1/merchant/summary': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      /** Default: `last_30_days`, today included. Not with `from` and `to`. */
      period?: 'today' | 'last_7_days' | 'last_30_days' | 'last_90_days' | 'this_month' | 'last_month'
      /** First day in East Africa Time (UTC+3). */
      from?: string
      /** Last day, included. At most 366 days with the first. */
      to?: string
    }
    answer: {
      data: MerchantSummary
    }
  }
  'GET /v1/merchant/support-contact': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: SupportContact
    }
  }
  'GET /v1/merchant/till': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Till
    }
  }
  'GET /v1/merchant/transactions': {
    query: {
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
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
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
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
      environment?: 'test' | 'live'
    }
    answer: {
      data: NetworkHealth[]
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
      /** IPv4 or IPv6 addresses and networks (CIDR) that may use the key. Empty: any address. Write a network with its first address. An IPv4-mapped IPv6 address counts as IPv4. */
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
      /** The name that payers see. Default: the legal name. */
      trading_name?: string | null
      business_type?: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other'
      /** May be `""` for an informal `sole_proprietor` only. */
      registration_number?: string
      /** The TIN, if one was issued. */
      tax_identification_number?: string | null
      country?: 'TZ'
      address?: string
      city?: string
      region?: string
      website?: string | null
      /** Any valid phone number. Stored as E.164. */
      phone?: string
      email?: string
      /** The role of the person who registers it. */
      representative_role?: string
    }
    answer: {
      data: Business
    }
  }
  'PATCH /v1/businesses/{business_id}/members/{member_id}': {
    params: {
      business_id: string
      member_id: string
    }
    body: {
      role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
    }
    answer: {
      data: Member
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
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
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
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: PaymentPage
    }
  }
  'PATCH /v1/merchant/payout-batches/{id}/items/{row}': {
    params: {
      id: string
      row: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: PayoutBatchItem
    }
  }
  'PATCH /v1/merchant/recipients/{id}': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      name?: string
    }
    answer: {
      data: Recipient
    }
  }
  'POST /developers/apps': {
    body: {
      name: string
      description?: string | null
      /** Binds the app and all its keys to the wallet of this business. Without it, they act for your personal account. May be sent in the query instead. */
      business_id?: string | null
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
      /** An https URL of at most 2048 characters, with port 443 or 1024 and above (but not the port of a database or another well-known service). No user name, no fragment, no IP address; the host must have only public addresses. */
      url: string
      /** The types of events that the webhook receives; `payment.completed` is always among them. `*`: all, including types that are added later. Left out: the choice stays, and a new webhook receives `payment.completed` only. The choice at the time of an event counts. */
      events?: ('payment.completed' | 'payment.failed' | 'payment.voided' | 'payment.expired' | 'payout.completed' | 'payout.failed' | 'payout.reversed' | 'payout.cancelled' | 'refund.completed' | 'refund.failed' | 'payout_batch.completed' | 'business.verified' | 'business.rejected' | '*')[]
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
      /** Only events that were not delivered to this webhook yet. */
      undelivered_only?: boolean
    }
    answer: {
      data: {
        /** Number of events that this call queued. */
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
      scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'payments:read' | 'payments:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
      /** Optional. If sent, it must be the environment of the app. */
      environment?: 'test' | 'live'
      /** Must be in the future. Without it, the key does not expire. */
      expires_at?: string | null
      /** IPv4 or IPv6 addresses and networks (CIDR) that may use the key. Empty: any address. Write a network with its first address. An IPv4-mapped IPv6 address counts as IPv4. */
      allowed_ips?: string[]
    }
    answer: {
      data: CreatedKey
    }
  }
  'POST /developers/keys/{id}/grant': {
    params: {
      id: string
    }
    answer: {
      data: Key
    }
  }
  'POST /developers/keys/{id}/roll': {
    params: {
      id: string
    }
    body: {
      /** Seconds for which the old key still works, at most until its own expiry. 0: it stops working at once. */
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
      /** The evidence: the provider’s letter, statement or ticket. */
      note: string
      /** The object that the resolution needs. `credit_to_payment`: the payment. `debit_wallet`: the payout or the merchant whose wallet is debited. */
      parameters?: {
        /** The payment to credit. It must be in the same environment and not completed. */
        payment_reference?: string
        payout_id?: string
        /** `usr_…` for a person, `biz_…` for a business. */
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
      /** Required for `rejected` without `reason_codes` and `problems`. The owner reads it. */
      reason?: string | null
      /** Reasons from the catalogue. Their texts come first, in both languages, followed by `reason`. */
      reason_codes?: ('document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported')[]
      /** What is wrong with which document or field, for `rejected` only, one entry for each. The owner sees each one at its place; everything else stays as submitted. */
      problems?: ({
        /** A purpose of a document, or a field of the case. */
        item: 'full_name' | 'national_id_number' | 'date_of_birth' | 'student_id' | 'institution' | 'legal_name' | 'trading_name' | 'business_type' | 'registration_number' | 'tax_identification_number' | 'address' | 'city' | 'region' | 'website' | 'phone' | 'email' | 'representative_role' | 'national_id' | 'student_id_card' | 'selfie' | 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
        /** A code of the catalogue, or `other` with a `note`. */
        code: 'document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported' | 'other'
        /** Your own words, after the sentence of the catalogue. */
        note?: string | null
      })[]
      /** The `review.version` that you have read. Not the newest version: 409 `review_version_changed`. */
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
      /** Required for `rejected` without `reason_codes` and `problems`. The owner reads it. */
      reason?: string | null
      /** Reasons from the catalogue. Their texts come first, in both languages, followed by `reason`. */
      reason_codes?: ('document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported')[]
      /** What is wrong with which document or field, for `rejected` only, one entry for each. The owner sees each one at its place; everything else stays as submitted. */
      problems?: ({
        /** A purpose of a document, or a field of the case. */
        item: 'full_name' | 'national_id_number' | 'date_of_birth' | 'student_id' | 'institution' | 'legal_name' | 'trading_name' | 'business_type' | 'registration_number' | 'tax_identification_number' | 'address' | 'city' | 'region' | 'website' | 'phone' | 'email' | 'representative_role' | 'national_id' | 'student_id_card' | 'selfie' | 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
        /** A code of the catalogue, or `other` with a `note`. */
        code: 'document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported' | 'other'
        /** Your own words, after the sentence of the catalogue. */
        note?: string | null
      })[]
      /** The `review.version` that you have read. Not the newest version: 409 `review_version_changed`. */
      version?: number
    }
    answer: {
      data: KycCase
    }
  }
  'POST /v1/admin/merchants/{merchant_id}/brand/remove-logo': {
    params: {
      merchant_id: string
    }
    body: {
      /** The owner reads it in the mail and in the dashboard. */
      reason: string
    }
    answer: {
      data: Brand
    }
  }
  'POST /v1/admin/merchants/{merchant_id}/lift-payout-freeze': {
    params: {
      merchant_id: string
    }
    body: {
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
      environment: 'test' | 'live'
      /** One sentence for the other operators. */
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
      /** The owner reads it in the mail and in the dashboard. */
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
      /** The owner reads it in the mail and in the dashboard. */
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
      /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
      /** The operator to assign. Default: you. */
      reviewer_id?: string
    }
    answer: {
      /** The operator that claimed the case. */
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
        /** The operator that claimed the case. */
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
  'POST /v1/admin/support-cases/{case_id}/close': {
    params: {
      case_id: string
    }
    body: {
      decision: 'received' | 'no_money' | 'other'
      /** The evidence: the provider’s letter, statement or ticket. */
      note: string
      /** For the payer, in their language. Write nothing about other payments. */
      message?: string | null
    }
    answer: {
      data: WholeSupportCase
    }
  }
  'POST /v1/auth/2fa/confirm': {
    body: {
      /** Six digits from the app. */
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
      /** Six digits from the authenticator app, or a recovery code. Letter case, spaces and hyphens of a recovery code are ignored. */
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
        /** The same secret as the content of a QR code. SHA-1, 6 digits, 30 seconds. */
        otpauth_url: string
      }
    }
  }
  'POST /v1/auth/2fa/verify': {
    body: {
      challenge_token: string
      /** Six digits from the authenticator app, or a recovery code. Letter case, spaces and hyphens of a recovery code are ignored. */
      code: string
    }
    answer: {
      data: {
        /** A signed JWT. Send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token expires. */
        expires_in: number
        /** Works once: each refresh returns a new one. Omitted if a cookie holds it. */
        refresh_token?: string
      }
    }
  }
  'POST /v1/auth/contact/change': {
    body: {
      email?: string
      /** Any valid mobile number; stored as E.164. */
      phone_number?: string
    }
    answer: {
      data: User
    }
  }
  'POST /v1/auth/contact/confirm': {
    body: {
      /** The six digits from the mail. */
      code: string
    }
    answer: {
      data: User
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
        /** A signed JWT. Send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token expires. */
        expires_in: number
        /** Works once: each refresh returns a new one. Omitted if a cookie holds it. */
        refresh_token?: string
      } | {
        two_factor_required: true
        /** Send it with a code to `POST /v1/auth/2fa/verify`. It works once. */
        challenge_token: string
        /** Seconds until the challenge expires. */
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
        /** Number of other sessions that were ended. */
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
      /** Required unless a cookie holds it. */
      refresh_token?: string
    }
    answer: {
      data: {
        /** A signed JWT. Send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token expires. */
        expires_in: number
        /** Works once: each refresh returns a new one. Omitted if a cookie holds it. */
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
      /** 12 to 128 characters of any kind. A password that is easy to guess is refused with 400: known passwords, keyboard rows, repeats, and passwords made of your own names. The code in its error gives the reason (`password_common`, `password_personal`, `password_guessable`). */
      password: string
      /** Required without `invitation_token`, like `institution`. */
      student_id?: string
      institution?: string
      /** From the link of an invitation to a business that was mailed to this address. */
      invitation_token?: string
    }
    answer: {
      data: {
        user: User
        sandbox: Sandbox
        /** A signed JWT. Send it as `Authorization: Bearer …`. */
        access_token: string
        token_type: 'Bearer'
        /** Seconds until the access token expires. */
        expires_in: number
        /** Works once: each refresh returns a new one. Omitted if a cookie holds it. */
        refresh_token?: string
      }
    }
  }
  'POST /v1/auth/step-up': {
    body: {
      /** Six digits from the authenticator app, or a recovery code. Letter case, spaces and hyphens of a recovery code are ignored. */
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
      /** The name that payers see. Default: the legal name. */
      trading_name?: string | null
      business_type: 'sole_proprietor' | 'company' | 'partnership' | 'ngo' | 'other'
      /** May be `""` for an informal `sole_proprietor` only. */
      registration_number: string
      /** The TIN, if one was issued. */
      tax_identification_number?: string | null
      country: 'TZ'
      address: string
      city: string
      region: string
      website?: string | null
      /** Any valid phone number. Stored as E.164. */
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
      /** The `document_url` (or `upload_url`) from presign. */
      registration_certificate_url: string
      /** The `document_url` (or `upload_url`) from presign. */
      tax_certificate_url: string
      /** The `document_url` (or `upload_url`) from presign. */
      business_license_url: string
      /** The `document_url` (or `upload_url`) from presign. */
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
      /** The extension must match the content type. You see the name again beside the document. */
      filename: string
      content_type: 'image/jpeg' | 'image/png' | 'application/pdf'
      purpose: 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
    }
    answer: {
      data: UploadAddress
    }
  }
  'POST /v1/businesses/{business_id}/documents/{purpose}/view': {
    params: {
      business_id: string
      purpose: string
    }
    answer: {
      data: ViewAddress
    }
  }
  'POST /v1/businesses/{business_id}/members': {
    params: {
      business_id: string
    }
    body: {
      email: string
      role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
    }
    answer: {
      data: Member
    }
  }
  'POST /v1/businesses/{business_id}/members/{member_id}/confirm': {
    params: {
      business_id: string
      member_id: string
    }
    answer: {
      data: Member
    }
  }
  'POST /v1/invitations/accept': {
    body: {
      /** From the link of the mail. */
      token: string
    }
    answer: {
      data: Member
    }
  }
  'POST /v1/invitations/read': {
    body: {
      /** From the link of the mail. */
      token: string
    }
    answer: {
      data: Invitation
    }
  }
  'POST /v1/kyc': {
    body: {
      /** NIDA number, or the number of another national identity card or passport. Stored encrypted. */
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
      /** The extension must match the content type. You see the name again beside the document. */
      filename: string
      content_type: 'image/jpeg' | 'image/png' | 'application/pdf'
      purpose: 'national_id' | 'student_id_card' | 'selfie'
    }
    answer: {
      data: UploadAddress
    }
  }
  'POST /v1/kyc/documents/{purpose}/view': {
    params: {
      purpose: string
    }
    answer: {
      data: ViewAddress
    }
  }
  'POST /v1/merchant/approval-rule': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** TZS without the fee. What lifts the sum of the day (East Africa Time) to one recipient above this waits, and so does a batch above it; 0: every amount. */
      above: number
      /** TZS. What lifts the sum of the wallet’s day above this waits, too. Left out: 5 × `above`. Null: the day has no limit. */
      above_total?: number | null
      /** How many other people must approve. */
      approvers: 1 | 2
    }
    answer: {
      data: ApprovalRule
    }
  }
  'POST /v1/merchant/approvals/{id}/approve': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** `version` of what you have seen. If it is another one by now: 409 `approval_changed`, and `details.changes`. */
      version: number
      /** From the mailed page, for what is `confirmed_by_mail`. */
      token?: string
    }
    answer: {
      data: ApprovalOutcome
    }
  }
  'POST /v1/merchant/approvals/{id}/refuse': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** `version` of what you have seen. If it is another one by now: 409 `approval_changed`, and `details.changes`. */
      version: number
      /** For the person who requested it. */
      reason: string
    }
    answer: {
      data: ApprovalOutcome
    }
  }
  'POST /v1/merchant/customers/{id}/payer': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Payer
    }
  }
  'POST /v1/merchant/events/{event_id}/resend': {
    params: {
      event_id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
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
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: PaymentPage
    }
  }
  'POST /v1/merchant/payment-pages/preview': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
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
    }
    answer: {
      data: PaymentPagePreview
    }
  }
  'POST /v1/merchant/payment-requests': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: PaymentRequest
    }
  }
  'POST /v1/merchant/payment-requests/{id}/cancel': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: PaymentRequest
    }
  }
  'POST /v1/merchant/payments/{reference}/answer': {
    params: {
      reference: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      action: 'approve' | 'wrong_pin' | 'insufficient' | 'cancel'
    }
    answer: {
      data: {
        reference: string
        /** How many wrong PINs the prompt still takes. */
        tries_left: number
      }
    }
  }
  'POST /v1/merchant/payments/{reference}/payer': {
    params: {
      reference: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Payer
    }
  }
  'POST /v1/merchant/payments/{reference}/refunds': {
    params: {
      reference: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** TZS that the payer receives. Without it: what is left of the payment. */
      amount?: number
      /** Your own note. The payer does not see it. */
      reason?: string | null
      /** Your own reference. */
      merchant_reference?: string | null
    }
    answer: {
      data: Refund
    }
  }
  'POST /v1/merchant/payout-batches': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
      /** The title of a batch that is sent as CSV. */
      title?: string | null
    }
    body: {
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
    answer: {
      data: PayoutBatch
    }
  }
  'POST /v1/merchant/payout-batches/{id}/approve': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** `version` of what you have seen. If it is another one by now: 409 `approval_changed`, and `details.changes`. */
      version: number
    }
    answer: {
      data: PayoutBatch
    }
  }
  'POST /v1/merchant/payout-batches/{id}/recipients': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: {
        /** How many recipients are new. */
        saved: number
      }
    }
  }
  'POST /v1/merchant/payout-batches/{id}/refuse': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** `version` of what you have seen. If it is another one by now: 409 `approval_changed`, and `details.changes`. */
      version: number
      reason: string
    }
    answer: {
      data: PayoutBatch
    }
  }
  'POST /v1/merchant/payout-batches/{id}/stop': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: PayoutBatch
    }
  }
  'POST /v1/merchant/payout-batches/{id}/submit': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: PayoutBatch
    }
  }
  'POST /v1/merchant/payouts': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
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
    answer: {
      data: Payout
    }
  }
  'POST /v1/merchant/payouts/{id}/cancel': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Payout
    }
  }
  'POST /v1/merchant/recipients': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      name: string
      phone_number: string
    }
    answer: {
      data: Recipient
    }
  }
  'POST /v1/merchant/redirect-hosts': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** A host name, with the port if it is not 443. No scheme and no path. */
      host: string
    }
    answer: {
      data: RedirectHost
    }
  }
  'POST /v1/merchant/refunds/{id}/cancel': {
    params: {
      id: string
    }
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    answer: {
      data: Refund
    }
  }
  'POST /v1/payments/checkout': {
    body: {
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
    answer: {
      data: Checkout
    }
  }
  'POST /v1/payments/{reference}/cancel': {
    params: {
      reference: string
    }
    body: {
      /** The token from the answer to the checkout. */
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
      /** The token from the answer to the checkout. */
      checkout_token: string
    }
    answer: {
      data: PaymentStatus
    }
  }
  'PUT /business-docs/{owner}/{purpose}/{file}': {
    params: {
      owner: string
      purpose: string
      file: string
    }
    query: {
      /** Unix seconds. After it: 403 `address_used`. */
      expires: number
      signature: string
    }
    answer: {
      data: {
        /** The URL to submit. */
        document_url: string
        status: 'uploaded'
        size_bytes: number
        /** The file is stored, but cannot be shown to a reviewer: upload another one. */
        unreadable: boolean
      }
    }
  }
  'PUT /kyc-docs/{owner}/{purpose}/{file}': {
    params: {
      owner: string
      purpose: string
      file: string
    }
    query: {
      /** Unix seconds. After it: 403 `address_used`. */
      expires: number
      signature: string
    }
    answer: {
      data: {
        /** The URL to submit. */
        document_url: string
        status: 'uploaded'
        size_bytes: number
        /** The file is stored, but cannot be shown to a reviewer: upload another one. */
        unreadable: boolean
      }
    }
  }
  'PUT /v1/admin/switches/{name}': {
    params: {
      name: string
    }
    body: {
      state: 'on' | 'off'
      /** One sentence for the other operators. */
      reason: string
      /** Switch on even though the database was restored and the lost time has not been compared with the providers (otherwise 409 `restore_not_compared`). */
      force?: boolean
    }
    answer: {
      data: Switch
    }
  }
  'PUT /v1/merchant/brand/color': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      color: string | null
    }
    answer: {
      data: Brand
    }
  }
  'PUT /v1/merchant/brand/logo': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** The bytes of a PNG, JPEG or WebP file as base64, at most 2 MiB. */
      image: string
    }
    answer: {
      data: Brand
    }
  }
  'PUT /v1/merchant/saved-filters/payments': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      name: string
      filter: {
        status?: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
        network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
        payment_page_id?: string
        min_amount?: number
        max_amount?: number
        /** Days that follow from the current day in East Africa Time (UTC+3), as in a summary. Not with `from` or `to`. */
        period?: 'today' | 'last_7_days' | 'last_30_days' | 'this_month' | 'last_month'
        /** First day in East Africa Time. */
        from?: string
        /** Last day, included. */
        to?: string
      }
    }
    answer: {
      data: SavedPaymentFilter
    }
  }
  'PUT /v1/merchant/saved-filters/payouts': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      name: string
      filter: {
        status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
        /** Days that follow from the current day in East Africa Time (UTC+3), as in a summary. Not with `from` or `to`. */
        period?: 'today' | 'last_7_days' | 'last_30_days' | 'this_month' | 'last_month'
        /** First day in East Africa Time. */
        from?: string
        /** Last day, included. */
        to?: string
      }
    }
    answer: {
      data: SavedPayoutFilter
    }
  }
  'PUT /v1/merchant/statement-mail': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      frequency: 'daily' | 'weekly' | 'monthly'
      /** The language of the mail. */
      language: 'sw' | 'en'
    }
    answer: {
      data: StatementMail
    }
  }
  'PUT /v1/merchant/support-contact': {
    query: {
      /** May be sent in the body instead. */
      environment?: 'test' | 'live'
      /** A business that you are a member of. Without it: your personal account. May be sent in the body instead. */
      business_id?: string
    }
    body: {
      /** A number that payers may call, E.164. Null: none. */
      phone: string | null
      /** An address that payers may write to. Null: none. */
      email: string | null
      /** A number with WhatsApp, E.164. Null: none. */
      whatsapp: string | null
    }
    answer: {
      data: SupportContact
    }
  }
}

export type Activity = {
  id: number
  at: string
  actor: {
    /** `operator`: of this service. */
    type: 'user' | 'key' | 'system' | 'operator'
    id: string | null
    name: string | null
  }
  action: string
  /** The id of what it was done to. */
  object: string
  /** What changed. */
  details: Record<string, unknown>
}

export type ApiRequest = {
  /** The `X-Request-Id` of the answer. */
  request_id: string
  method: string
  /** The path with parameter names in place of their values. */
  route: string
  status: number
  error_code: string | null
  duration_ms: number
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
  /** The business whose wallet the app uses. Null for your personal account. */
  business_id: string | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  /** `deleted` appears only in the answer to DELETE. */
  status: 'active' | 'deleted'
  created_at: string
}

export type Approval = {
  /** The id of the payout, refund or batch; `arc_…` for a change of the rule, `amr_…` for a new role. */
  id: string
  kind: 'payout' | 'refund' | 'payout_batch' | 'rule_change' | 'member_role'
  /** Send it with your decision: the decision counts only for what you have read. What is requested again is another version. */
  version: number
  /** TZS without the fee. Null for a change of the rule and a new role. */
  amount: number | null
  fee: number | null
  /** Which sum needs the approval. Null: members were asked without need, or it is a change of the rule. */
  exceeds: {
    /** `amount`: of this alone. `recipient_day`: of the day to one recipient. `wallet_day`: of the wallet’s day. */
    sum: 'amount' | 'recipient_day' | 'wallet_day'
    /** TZS, with this. */
    total: number
    /** TZS: the limit of the rule at the time of the request. */
    above: number
  } | null
  /** Of a payout or refund. */
  recipient: {
    name: string
    phone_number: string
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
    narration: string | null
  } | null
  /** The payment that a refund returns. */
  payment: string | null
  /** The wanted rule of a change. Null: no rule, or no change of the rule. */
  rule: {
    /** TZS without the fee. What lifts the sum of the day (East Africa Time) to one recipient above this waits, and so does a batch above it; 0: every amount. */
    above: number
    /** TZS. What lifts the sum of the wallet’s day above this waits, too. Null: the day has no limit. */
    above_total: number | null
    /** How many other people must approve. */
    approvers: 1 | 2
  } | null
  /** Who gets which role; the name is the address of a person who has not joined. Null: it is no new role. */
  member: {
    id: string
    name: string | null
    role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
  } | null
  /** No one else could decide: the requester approves it, with the `token` of the page that was mailed to them. */
  confirmed_by_mail: boolean
  requested_by: {
    user_id: string
    name: string
    /** Set when a key requested it; the person made the key. */
    key_id: string | null
  }
  requested_at: string
  /** What is not approved by then is cancelled. */
  expires_at: string
  approvers_needed: number
  approved_by: {
    user_id: string
    name: string
    at: string
  }[]
  status: 'waiting' | 'approved' | 'refused' | 'expired' | 'withdrawn'
  /** Why a member refused it. */
  reason: string | null
  may_decide: boolean
  why_not: 'own_request' | 'own_role' | 'already_approved' | 'role' | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
}

export type ApprovalOutcome = {
  id: string
  /** `more`: your approval counts, and another member must approve, too. */
  outcome: 'approved' | 'refused' | 'more'
}

export type ApprovalRule = {
  /** Null: nothing needs approval. */
  rule: {
    /** TZS without the fee. What lifts the sum of the day (East Africa Time) to one recipient above this waits, and so does a batch above it; 0: every amount. */
    above: number
    /** TZS. What lifts the sum of the wallet’s day above this waits, too. Null: the day has no limit. */
    above_total: number | null
    /** How many other people must approve. */
    approvers: 1 | 2
    /** The rule is older than `above_total`, and no one has decided about it: set the rule again, with a limit or with null. */
    asks_total: boolean
    set_at: string
  } | null
  /** A looser rule that waits for approval under the present one. */
  pending_change: {
    /** Approve or refuse it with POST /v1/merchant/approvals/{id}/…. */
    id: string
    /** Null: the rule is to be removed. */
    rule: {
      /** TZS without the fee. What lifts the sum of the day (East Africa Time) to one recipient above this waits, and so does a batch above it; 0: every amount. */
      above: number
      /** TZS. What lifts the sum of the wallet’s day above this waits, too. Null: the day has no limit. */
      above_total: number | null
      /** How many other people must approve. */
      approvers: 1 | 2
    } | null
    requested_at: string
    expires_at: string
  } | null
}

export type AuditChain = {
  ok: boolean
  /** The first checked entry. The newest 50,000 entries are checked. */
  from_seq: number
  /** The last checked entry, if the result is `ok`. */
  to_seq: number
  /** The first entry that is missing or does not continue the previous one. */
  broken_at: number | null
  /** The newest entry of the chain. Compare it with a copy kept elsewhere. */
  head: {
    seq: number
    hash: string
  }
  checked_at: string
}

export type AuditEntry = {
  /** Position in the chain, without gaps. */
  seq: number
  at: string
  /** A user, `ops` for the command line, or `system` for the service. */
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
  /** TZS reserved for payouts in flight. */
  reserved: number
  total: number
  /** TZS that you owe, because an earlier payout was returned to the wallet but then paid anyway. The next credits repay it first. Until then payouts are on hold. */
  receivable: number
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  as_of: string
}

export type Brand = {
  /** The name beside it, which does not change here. */
  name: string
  /** As you chose it. Null: payers see the colours of the service. */
  color: string | null
  shades: BrandShades | null
  /** Null: payers see the first letter of your name. */
  logo: BrandLogo | null
  /** The last logo that operators removed. The same picture is refused. */
  removal: {
    reason: string
    at: string
  } | null
  /** False until you are verified, and while you are suspended. Test pages show both before. */
  shown_on_live_pages: boolean
  changed_at: string | null
}

export type BrandLogo = {
  /** Public. Its content never changes. */
  url: string
  /** The same picture in the answer itself. */
  data_url: string
  width: number
  height: number
}

export type BrandShade = {
  /** The colour of the pay button, the mark and the line at the top. */
  background: string
  /** The text on it: a contrast of at least 4.5. */
  text: '#ffffff' | '#000000'
  /** True: your colour has too little contrast with the page (3), so it is shown darker or lighter. */
  is_adjusted: boolean
}

/** How the colour is shown on phones with a light and with a dark screen. */
export type BrandShades = {
  light: BrandShade
  dark: BrandShade
}

export type Break = {
  id: string
  kind: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
  status: 'open' | 'proposed' | 'resolved'
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  payment_reference: string | null
  payout_id: string | null
  provider: string | null
  provider_reference: string | null
  /** The known facts. For another amount (TZS): `ordered` or `our_amount`, what the message says (`message_amount`, `message_currency`), the provider’s own answer (`amount`, `currency`; null without one), what is `booked`, and the `difference` of the answer from the order. */
  evidence: Record<string, unknown>
  /** The possible resolutions for a break of this kind. */
  resolutions: ('credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled')[]
  /** The resolution that one operator proposed. Another operator must confirm it. */
  proposal: {
    resolution: 'credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled'
    note: string
    parameters: {
      /** The payment to credit. It must be in the same environment and not completed. */
      payment_reference?: string
      payout_id?: string
      /** `usr_…` for a person, `biz_…` for a business. */
      merchant_id?: string
    } | null
    proposed_by: string
    proposed_at: string
  } | null
  /** The last payout that was created to return the money to the payer. */
  return: {
    payout_id: string
    status: string
  } | null
  resolution: 'credit_payment' | 'return_to_payer' | 'credit_to_payment' | 'keep_unallocated' | 'refund_second_charge' | 'ask_again' | 'not_charged' | 'payout_paid' | 'payout_not_paid' | 'payout_returned' | 'follow_provider' | 'book_fee' | 'payout_paid_after_all' | 'write_off' | 'debit_wallet' | 'provider_was_wrong' | 'already_settled' | null
  /** The second operator, or `system` if an answer of the provider resolved it. */
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
  /** The reason for the rejection. Cleared when the business is submitted again. */
  rejection_reason: string | null
  representative: {
    user_id: string
    /** The student id at the time of registration. */
    student_id: string | null
    role: string
    kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  }
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Increases with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  requirements: {
    /** The missing items: document purposes, `representative_kyc`, `submission`. */
    currently_due: string[]
    /** The refused items, each with its reason. Send them again; everything else stays as it is. */
    errors: {
      /** A purpose of a document, a field, or `review` for the whole case. */
      item: string
      code: string
      reason: string
      /** The reviewer’s reason about this item alone, in Swahili. Missing for a file that was refused automatically. */
      sw?: string
      /** The same in English. */
      en?: string
    }[]
  }
  documents: ({
    purpose: 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
    status: 'missing' | 'uploaded' | 'refused'
    /** Whether the file was stored but cannot be opened. Upload it again. */
    unreadable: boolean
    /** The newest stored file. Submit this URL. */
    document_url: string | null
    /** The name of that file as you sent it with presign. */
    file_name: string | null
    /** Whether that file is the one that was submitted. */
    under_review: boolean
    uploaded_at: string | null
  })[]
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
  /** The reason for the rejection. Cleared when the business is submitted again. */
  rejection_reason: string | null
  representative: {
    user_id: string
    /** The student id at the time of registration. */
    student_id: string | null
    role: string
    kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  }
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Increases with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  requirements: {
    /** The missing items: document purposes, `representative_kyc`, `submission`. */
    currently_due: string[]
    /** The refused items, each with its reason. Send them again; everything else stays as it is. */
    errors: {
      /** A purpose of a document, a field, or `review` for the whole case. */
      item: string
      code: string
      reason: string
      /** The reviewer’s reason about this item alone, in Swahili. Missing for a file that was refused automatically. */
      sw?: string
      /** The same in English. */
      en?: string
    }[]
  }
  documents: ({
    purpose: 'registration_certificate' | 'tax_certificate' | 'business_license' | 'proof_of_address'
    status: 'missing' | 'uploaded' | 'refused'
    /** Whether the file was stored but cannot be opened. Upload it again. */
    unreadable: boolean
    /** The newest stored file. Submit this URL. */
    document_url: string | null
    /** The name of that file as you sent it with presign. */
    file_name: string | null
    /** Whether that file is the one that was submitted. */
    under_review: boolean
    uploaded_at: string | null
  })[]
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
  created_at: string
  updated_at: string
  verified_at: string | null
  /** The documents under review, pinned. */
  submitted_documents: {
    purpose: string
    id: string
    content_type: string
    size_bytes: number
    /** SHA-256 of the uploaded file, in hex. */
    sha256: string
    /** Other purposes for which the same file was submitted. */
    same_as: string[]
    /** Whether the file cannot be opened. Verification is not possible with it. */
    unreadable: boolean
    uploaded_at: string
  }[]
  /** Other businesses with the same registration number, TIN, phone or file. */
  duplicates: {
    business_id: string
    legal_name: string
    same: string[]
  }[]
  /** Whether it is your own case. You cannot decide about it. */
  self_review: boolean
  /** A network, bank or public office with a similar name, which payers could confuse with it. */
  resembles: string | null
  /** The operator that claimed the case. */
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
      /** A user, or `ops` for the operator command line. */
      id: string
      name: string | null
    }
    /** The submitted or changed data. */
    package: {
      facts: Record<string, string | null>
      documents: {
        id: string
        purpose: string
        sha256: string
      }[]
    } | null
    /** Differences from the previous package: facts, and the SHA-256 of documents. Null if there is none. */
    changes: ({
      field: string
      before: string | null
      after: string | null
    })[] | null
    at: string
  })[]
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

export type ChangeHint = {
  /** Null: the personal account, the person, or the service itself. */
  business_id: string | null
  /** Null: both. */
  environment: 'test' | 'live' | null
  subjects: ('payments' | 'cases' | 'balance' | 'payouts' | 'batches' | 'pages' | 'approvals' | 'webhooks' | 'deliveries' | 'api_requests' | 'members' | 'activity' | 'account' | 'memberships' | 'sessions' | 'person' | 'breaks' | 'switches' | 'networks' | 'reconciliation' | 'reviews')[]
}

export type Changes = {
  /** Send it with the next request. */
  cursor: string
  /** Changes may be missing here: read everything that is shown again. */
  is_gap: boolean
  hints: ChangeHint[]
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

export type CreatedKey = {
  id: string
  app_id: string
  key_name: string
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'payments:read' | 'payments:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
  /** Scopes that do not work until an owner or admin grants them with `POST /developers/keys/{id}/grant`. */
  waiting_scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'payments:read' | 'payments:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
  /** Since when the person who granted a scope has left, or has lost the right: an owner or admin keeps the key with `POST /developers/keys/{id}/grant`, or revokes it. 72 hours later `payouts:write` is in `waiting_scopes`. Null: nothing is asked. */
  unkept_since: string | null
  key_prefix: 'svc_test_' | 'svc_live_'
  /** The last four characters of the value. */
  last4: string
  /** `expiring`: the key still works but ends within seven days, because of its expiry or because it was rolled. */
  status: 'active' | 'expiring' | 'revoked' | 'expired'
  /** When the key ends. For a rolled key: when its grace period ends. */
  expires_at: string | null
  /** Empty: the key works from any address. */
  allowed_ips: string[]
  /** Exact to the minute. */
  last_used_at: string | null
  created_at: string
  /** The value of the key. It is shown only once: store it safely. */
  key: string
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

export type Customer = {
  id: string
  /** The name of the last payment that had one. */
  name: string | null
  phone_masked: string
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** How many payments of this phone were completed. */
  paid_count: number
  /** TZS that were credited for them and not reversed. Refunds are not subtracted. */
  paid_total: number
  /** TZS of refunds that have not failed, including those in flight. */
  refunded_total: number
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  first_paid_at: string
  last_paid_at: string
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

export type Invitation = {
  business_name: string
  role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
  email: string
  invited_by_name: string | null
  expires_at: string
}

export type Key = {
  id: string
  app_id: string
  key_name: string
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'payments:read' | 'payments:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
  /** Scopes that do not work until an owner or admin grants them with `POST /developers/keys/{id}/grant`. */
  waiting_scopes: ('profile:read' | 'balance:read' | 'pages:read' | 'pages:write' | 'payments:read' | 'payments:write' | 'transactions:read' | 'payouts:read' | 'payouts:write')[]
  /** Since when the person who granted a scope has left, or has lost the right: an owner or admin keeps the key with `POST /developers/keys/{id}/grant`, or revokes it. 72 hours later `payouts:write` is in `waiting_scopes`. Null: nothing is asked. */
  unkept_since: string | null
  key_prefix: 'svc_test_' | 'svc_live_'
  /** The last four characters of the value. */
  last4: string
  /** `expiring`: the key still works but ends within seven days, because of its expiry or because it was rolled. */
  status: 'active' | 'expiring' | 'revoked' | 'expired'
  /** When the key ends. For a rolled key: when its grace period ends. */
  expires_at: string | null
  /** Empty: the key works from any address. */
  allowed_ips: string[]
  /** Exact to the minute. */
  last_used_at: string | null
  created_at: string
}

export type KycCase = {
  user_id: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  rejection_reason: string | null
  /** The last characters of the number, at most four. */
  national_id_last4: string | null
  date_of_birth: string | null
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Increases with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  verified_at: string | null
  full_name: string
  email: string
  student_id: string | null
  institution: string | null
  /** The submitted documents, pinned. */
  documents: {
    purpose: string
    id: string
    content_type: string
    size_bytes: number
    /** SHA-256 of the uploaded file, in hex. */
    sha256: string
    /** Other purposes for which the same file was submitted. */
    same_as: string[]
    /** Whether the file cannot be opened. Verification is not possible with it. */
    unreadable: boolean
    uploaded_at: string
  }[]
}

export type LiftedPayoutFreeze = {
  merchant_id: string
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
}

export type ListTotals = {
  /** In every status. */
  count: number
  completed_count: number
  /** TZS. */
  completed_amount: number
  /** Null: everything that fits the filter is counted. Otherwise only what was created after this time, because there is more. */
  counted_after: string | null
  /** The days with an entry, in East Africa Time, newest first: at most 31. A day that is not counted completely is left out. */
  days: {
    day: string
    /** In every status. */
    count: number
    completed_count: number
    /** TZS. */
    completed_amount: number
  }[]
}

export type ListedSupportCase = {
  id: string
  state: 'open' | 'asking' | 'answered' | 'with_operators' | 'closed'
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  payment_reference: string
  /** The number in the network’s message, as letters and digits. Null: erased. */
  sms_number: string | null
  /** What is proven about the payment. */
  finding: 'received' | 'no_money' | null
  proven_at: string | null
  escalated_because: 'still_open' | 'not_found' | 'not_proven' | 'no_answer' | 'money_held' | 'number_differs' | 'number_of_another' | 'payer_disagrees' | null
  escalated_at: string | null
  decision: 'received' | 'no_money' | 'other' | null
  decided_by: string | null
  decided_at: string | null
  created_at: string
  /** With `state=with_operators`: how many cases without proof wait for the same merchant and reason. This one, the oldest, stands for all of them. */
  alike: number
}

export type Member = {
  id: string
  /** Null until the invitation is accepted. */
  user_id: string | null
  name: string | null
  email: string
  role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
  /** From when a new role may pay, approve and make power in the live environment: until then 409 `power_not_active_yet`, unless another owner confirms the member. Null: now. */
  power_from: string | null
  /** `expired`: the invitation was not accepted within seven days. */
  status: 'invited' | 'active' | 'expired' | 'removed'
  /** A role that other members must approve first, because an approval rule stands: `POST /v1/merchant/approvals/{id}/approve`. */
  pending_role: {
    approval_id: string
    role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
  } | null
  invited_by: {
    user_id: string
    name: string
  } | null
  invitation_expires_at: string | null
  joined_at: string | null
  created_at: string
}

export type Membership = {
  member_id: string
  business: {
    id: string
    name: string
    status: 'pending' | 'verified' | 'rejected'
  }
  role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
  /** From when a new role may pay, approve and make power in the live environment: until then 409 `power_not_active_yet`, unless another owner confirms the member. Null: now. */
  power_from: string | null
  /** What the role may do in each environment: `payouts.approve`. See the guide about members. */
  permissions: {
    live: string[]
    test: string[]
  }
  joined_at: string
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

export type MerchantSummary = {
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  currency: 'TZS'
  as_of: string
  /** TZS that can be paid out now. */
  available: number
  /** TZS reserved for payouts in flight. */
  reserved: number
  today: {
    /** TZS. */
    volume: number
    count: number
  }
  /** Today and the previous 29 days. */
  last_30_days: {
    /** TZS. */
    volume: number
    count: number
    /** Share of the payments started in the period that succeeded, among those that have ended, 0 to 1. Null if none has ended, and for a period of more than 92 days. */
    success_rate: number | null
  }
  /** The 30 days before that, for comparison. */
  previous_30_days: {
    /** TZS. */
    volume: number
    count: number
    /** Share of the payments started in the period that succeeded, among those that have ended, 0 to 1. Null if none has ended, and for a period of more than 92 days. */
    success_rate: number | null
  }
  /** The requested period. */
  period: {
    /** First day in East Africa Time (UTC+3). */
    from: string
    /** Last day, included. */
    to: string
    /** TZS. */
    volume: number
    count: number
    /** Share of the payments started in the period that succeeded, among those that have ended, 0 to 1. Null if none has ended, and for a period of more than 92 days. */
    success_rate: number | null
  }
  /** The same number of days directly before it, for comparison. */
  previous_period: {
    /** First day in East Africa Time (UTC+3). */
    from: string
    /** Last day, included. */
    to: string
    /** TZS. */
    volume: number
    count: number
    /** Share of the payments started in the period that succeeded, among those that have ended, 0 to 1. Null if none has ended, and for a period of more than 92 days. */
    success_rate: number | null
  }
  /** The days of the period in East Africa Time (UTC+3), oldest first, including days without payments. */
  days: {
    date: string
    /** TZS. */
    volume: number
    count: number
  }[]
  /** The volume of the period by page, the highest first: at most 10 lines, and one for all others. */
  by_page: ({
    /** `page`: a payment page; `request`: all payment requests together; `direct`: payments that your server requested; `other`: all further pages together. */
    kind: 'page' | 'request' | 'direct' | 'other'
    /** Null unless `kind` is `page`. */
    payment_page: {
      id: string
      title: string
    } | null
    /** TZS. */
    volume: number
    count: number
  })[]
  /** The volume of the period by mobile network, the highest first. */
  by_network: ({
    /** Null if the network is not known. */
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
    /** TZS. */
    volume: number
    count: number
  })[]
  setup: {
    has_payment_page: boolean
    /** Whether the test wallet was ever credited. */
    has_test_payment: boolean
    /** Whether the live wallet was ever credited. */
    has_live_payment: boolean
    /** Whether a request with one of its API keys was accepted, in either environment. */
    has_used_key: boolean
    webhooks: {
      enabled: number
      /** Webhooks that we disabled because deliveries failed. */
      disabled: number
      /** Enabled webhooks whose last attempt failed. */
      failing: number
    }
  }
}

export type MerchantSupportCase = {
  id: string
  state: 'open' | 'asking' | 'answered' | 'with_operators' | 'closed'
  /** What is proven about the payment. */
  finding: 'received' | 'no_money' | null
  created_at: string
}

export type MerchantSuspension = {
  id: string
  /** Set while operators have suspended the account: it takes no new payments and makes no payouts. Null if it is not suspended. */
  suspension: {
    reason: string
    since: string
  } | null
}

export type NetworkHealth = {
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
  name: string
  /** From the outcome of payments in the last minutes. `degraded`: many fail. `down`: almost all fail, or the network is switched off; while it is switched off, checkouts get 503. */
  status: 'operational' | 'degraded' | 'down'
  /** A sentence to show the payer before the form is filled in. Null if there is none. */
  message: string | null
  message_sw: string | null
  since: string
  /** How the payer answers the payment request on the phone, and what to do if no request arrives. */
  prompt_instructions: {
    en: string
    sw: string
  }
  /** The code that opens the mobile money menu of the network. */
  dial_code: string
}

export type NotificationPreferences = {
  /** Live payments credited to a wallet of yours; at most one mail a minute. Off by default. */
  payment_received: boolean
  /** Live payouts that completed, failed or were reversed. */
  payout_finished: boolean
  /** A webhook of yours was disabled because its deliveries keep failing. */
  webhook_disabled: boolean
  /** A sign-in to your account from a new device. */
  new_device: boolean
}

export type OpenKycCase = {
  user_id: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  rejection_reason: string | null
  /** The last characters of the number, at most four. */
  national_id_last4: string | null
  date_of_birth: string | null
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Increases with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  verified_at: string | null
  full_name: string
  email: string
  student_id: string | null
  institution: string | null
  /** The submitted documents, pinned. */
  documents: {
    purpose: string
    id: string
    content_type: string
    size_bytes: number
    /** SHA-256 of the uploaded file, in hex. */
    sha256: string
    /** Other purposes for which the same file was submitted. */
    same_as: string[]
    /** Whether the file cannot be opened. Verification is not possible with it. */
    unreadable: boolean
    uploaded_at: string
  }[]
  /** The complete number. Reading it is recorded in the audit log. */
  national_id_number: string | null
  /** Other users who gave the same number. */
  same_number_as: string[]
  /** Whether it is your own case. You cannot decide about it. */
  self_review: boolean
  /** A network, bank or public office with a similar name, which payers could confuse with it. */
  resembles: string | null
  /** The operator that claimed the case. */
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
  /** Businesses of other people with the same phone or file. */
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
      /** A user, or `ops` for the operator command line. */
      id: string
      name: string | null
    }
    /** The submitted or changed data. */
    package: {
      facts: Record<string, string | null>
      documents: {
        id: string
        purpose: string
        sha256: string
      }[]
    } | null
    /** Differences from the previous package: facts, and the SHA-256 of documents. Null if there is none. */
    changes: ({
      field: string
      before: string | null
      after: string | null
    })[] | null
    at: string
  })[]
}

export type OpenedDocuments = {
  /** Whether a reviewer must open every readable document before deciding (409 `documents_not_opened`). */
  required: boolean
  documents: {
    id: string
    purpose: string
    /** Whether you have opened this file. */
    opened: boolean
  }[]
}

export type OperationsOverview = {
  /** At most ten seconds ago. */
  as_of: string
  networks: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
    status: 'operational' | 'degraded' | 'down'
    switched_off: boolean
    since: string
    /** Charges started in the last minutes; at most the newest 200 of each of the 256 partitions of merchants. */
    windows: ({
      minutes: number
      begun: number
      completed: number
      failed: number
      unknown: number
      /** Share of ended charges that succeeded, 0 to 1. */
      success_rate: number | null
      /** Seconds from checkout to credit. */
      median_seconds: number | null
    })[]
  })[]
  /** The circuit breakers of the process that answers. */
  providers: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    provider: string
    direction: 'charges' | 'payouts'
    circuit: 'closed' | 'open' | 'half_open'
    /** Calls in the last five minutes. */
    calls: number
    success_rate: number | null
    latency_ms: {
      median: number
      p95: number
    } | null
    last_webhook_at: string | null
  })[]
  /** Work that is due and not done yet. */
  queues: ({
    name: 'webhook_deliveries' | 'provider_messages' | 'charge_checks' | 'payout_checks' | 'mails'
    /** Counted up to 10000. */
    due: number
    /** Age of the oldest. Null if there is none. */
    oldest_seconds: number | null
  })[]
  /** Attempts in the last hour. */
  webhooks: {
    succeeded: number
    failed: number
    failure_rate: number | null
  }
  /** Charges whose outcome is still not known a minute after they were started. */
  unknown_payments: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    count: number
    amount: number
    /** Age of the oldest. Null if there is none. */
    oldest_seconds: number | null
  })[]
  reserved_payouts: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    count: number
    amount: number
    /** Age of the oldest. Null if there is none. */
    oldest_seconds: number | null
    waiting_for_approval: number
  })[]
  open_breaks: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    kind: string
    count: number
    proposed: number
    oldest_at: string
  })[]
  reconciliation: ({
    subject: 'charges' | 'payouts'
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    provider: string
    last_ended_at: string | null
    /** Whether no run has ended for 15 minutes. */
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
  /** The queues that wait for an operator, each with the number of rows in its list. */
  open_work: ({
    name: 'business_reviews' | 'person_reviews' | 'stuck_payments' | 'support_cases' | 'breaks' | 'payout_approvals'
    count: number
    /** Age of the oldest. Null if there is none. */
    oldest_seconds: number | null
    /** What waits longer is overdue. */
    overdue_after_seconds: number
  })[]
  waiting_reviews: ({
    kind: 'person' | 'business'
    waiting: number
    overdue: number
  })[]
}

export type OperatorMerchant = {
  /** `usr_…` for a person, `biz_…` for a business. */
  id: string
  type: 'personal' | 'business'
  display_name: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  /** Set while operators have suspended the account: it takes no new payments and makes no payouts. Null if it is not suspended. */
  suspension: {
    reason: string
    since: string
  } | null
  /** The person, or the representative of the business. */
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
  /** The members and invitations of a business, newest first, at most 250. None for a person. */
  members: ({
    id: string
    user_id: string | null
    name: string | null
    email: string
    role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
    status: 'invited' | 'active' | 'expired' | 'removed'
    joined_at: string | null
  })[]
  environments: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    /** TZS. */
    balance: {
      available: number
      reserved: number
      total: number
    }
    /** Number and TZS of the payments credited to the wallet, by period in days. */
    volume: {
      days: number
      count: number
      amount: number
    }
    /** Counted among the newest 1000. */
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
  /** Active keys, most recently used first. */
  keys: ({
    id: string
    app: {
      id: string
      name: string
    }
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
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
    /** Deliveries that are still due, counted up to 1000. */
    waiting: number
    oldest_due_at: string | null
  })[]
  open_breaks: ({
    id: string
    kind: 'amount_differs' | 'charge_unknown' | 'reference_conflict' | 'payout_amount_differs' | 'payout_unknown' | 'payout_contradicts' | 'payout_reference_conflict' | 'missing_at_provider' | 'unknown_at_provider' | 'settled_differs' | 'fee_differs'
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    payment_reference: string | null
    payout_id: string | null
    opened_at: string
  })[]
}

export type OperatorPayment = {
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  /** The number in the network’s message to the payer, if we know it. */
  network_receipt: string | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** Whether money with a different amount is held in suspense for it. */
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
    /** `unknown`: sent, but the outcome is not known. */
    state: 'claimed' | 'unsent' | 'deferred' | 'unknown' | 'accepted' | 'rejected'
    /** Number of queries to the provider so far. */
    checks: number
    /** When the provider is queried next. Null: no more automatic queries. */
    next_check_at: string | null
    last_heard_at: string
    /** How often the payer asked for the prompt again. */
    prompts_resent: number
    last_resent_at: string | null
  }
  /** When the payer asked to cancel it. */
  cancel_requested_at: string | null
  /** The payment request that it was made for. */
  payment_request_id: string | null
  open_breaks: string[]
}

export type OperatorPaymentWithHistory = {
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string
  /** The number in the network’s message to the payer, if we know it. */
  network_receipt: string | null
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
  /** TZS. */
  amount: number
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  /** Whether money with a different amount is held in suspense for it. */
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
    /** `unknown`: sent, but the outcome is not known. */
    state: 'claimed' | 'unsent' | 'deferred' | 'unknown' | 'accepted' | 'rejected'
    /** Number of queries to the provider so far. */
    checks: number
    /** When the provider is queried next. Null: no more automatic queries. */
    next_check_at: string | null
    last_heard_at: string
    /** How often the payer asked for the prompt again. */
    prompts_resent: number
    last_resent_at: string | null
  }
  /** When the payer asked to cancel it. */
  cancel_requested_at: string | null
  /** The payment request that it was made for. */
  payment_request_id: string | null
  open_breaks: string[]
  messages: ({
    received_at: string
    status: string | null
    amount: number | null
  })[]
  transfers: ({
    id: string
    kind: 'payment' | 'provider_fee' | 'suspense' | 'suspense_release' | 'suspense_return' | 'payout' | 'payout_fee' | 'payout_settled' | 'payout_fee_settled' | 'payout_provider_fee' | 'payout_returned' | 'payout_fee_returned' | 'payout_provider_fee_returned' | 'payout_reversal' | 'payout_raised' | 'payout_raised_owed' | 'payout_lowered' | 'refund' | 'refund_fee' | 'refund_reversal' | 'refund_again' | 'payout_again' | 'payout_again_owed' | 'receivable_repaid' | 'payout_written_off' | 'payout_fee_written_off' | 'payout_write_off_returned' | 'unallocated_paid' | 'unallocated_debited' | 'break_debited' | 'break_debited_owed' | 'unallocated_written_off' | 'unallocated_found' | 'unallocated_credited' | 'credit_reversed' | 'credit_reversed_owed' | 'return_reserved' | 'return_settled' | 'return_given_back' | 'return_fee' | 'return_brought_back' | 'return_fee_brought_back' | 'provider_fee_returned' | 'provider_fee_again' | 'credit_added'
    debit: 'wallet' | 'payouts_reserved' | 'receivable' | 'provider_clearing' | 'provider_fees' | 'suspense' | 'loss' | 'unallocated' | 'returns_reserved'
    credit: 'wallet' | 'payouts_reserved' | 'receivable' | 'provider_clearing' | 'provider_fees' | 'suspense' | 'loss' | 'unallocated' | 'returns_reserved'
    amount: number
    actor: string
    request_id: string
    created_at: string
  })[]
  breaks: Break[]
  /** TZS of its refunds that have not failed. */
  refunded_amount: number
  /** The newest 50. */
  refunds: ({
    id: string
    /** The payout that sends it. */
    payout_id: string
    status: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
    /** TZS. */
    amount: number
    /** TZS. */
    fee: number
    created_at: string
  })[]
  /** Reports of its payer that money was taken: the newest 20. */
  support_cases: ({
    id: string
    state: 'open' | 'asking' | 'answered' | 'with_operators' | 'closed'
    finding: 'received' | 'no_money' | null
    decision: 'received' | 'no_money' | 'other' | null
    decided_at: string | null
    created_at: string
  })[]
}

export type OperatorPayout = {
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
  purpose: 'merchant' | 'refund' | 'return_to_payer'
  /** Null for a payout made by the service itself. */
  merchant: {
    id: string
  } | null
  /** The break that this payout resolves by returning the money. */
  break_id: string | null
  /** The id of a refund, as its merchant has it. */
  refund_id: string | null
  /** The payment that this payout refunds to the phone that paid. */
  refund_of: string | null
  provider: string
  provider_reference: string | null
  /** `unknown`: sent, but the outcome is not known. The money stays reserved. */
  order_state: 'queued' | 'claimed' | 'unsent' | 'deferred' | 'unknown' | 'accepted' | 'rejected' | 'withdrawn'
  requested_by: string
}

export type OperatorSearchResult = {
  type: 'person' | 'business' | 'payment' | 'payout' | 'payment_page' | 'support_case'
  /** The id. For a payment, its reference. */
  id: string
  /** What the text was. `network_receipt`: the number in the network’s SMS. `reported_number`: the one that a payer gave in a support case. */
  found_by: 'id' | 'phone_number' | 'network_receipt' | 'reported_number' | 'short_code' | 'provider_reference' | 'merchant_reference' | 'page_address' | 'merchant'
  title: string
  /** An e-mail address, a masked number, a slug, or the payment of a support case. */
  detail: string | null
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired' | 'reversed' | 'cancelled' | 'open' | 'asking' | 'answered' | 'with_operators' | 'closed' | 'active' | 'inactive' | 'suspended'
  environment: 'test' | 'live' | null
  /** TZS. */
  amount: number | null
  /** The merchant to which it belongs. Null if the result is a merchant. */
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
  /** The URL at the time of the attempt. */
  url: string
  /** Number of the attempt in its chain, starting at 1. */
  attempt: number
  max_attempts: number
  /** `manual`: requested by resend or replay. `test`: for a payment made to test the webhook. */
  trigger: 'automatic' | 'manual' | 'test'
  outcome: 'succeeded' | 'failed'
  response_status: number | null
  /** The first 4 KiB of the response. */
  response_body: string | null
  duration_ms: number
  error: {
    /** One of dns_not_found, dns_failure, dns_timeout, local_failure, blocked_target, connection_refused, connection_reset, answer_incomplete, tls_untrusted, tls_expired, tls_wrong_host, tls_error, timeout, protocol_error, redirect, unexpected_status. */
    code: string
  } | null
  attempted_at: string
  /** Null if this was the last attempt. */
  next_attempt_at: string | null
  app_id: string
}

export type Payer = {
  /** E.164. Null if the payer was erased. */
  phone_number: string | null
  name: string | null
  email: string | null
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

/** A whole HTML document for each language, without its script. */
export type PaymentPagePreview = {
  sw: string
  en: string
}

export type PaymentPageSuspension = {
  id: string
  /** Set while operators have suspended the account: it takes no new payments and makes no payouts. Null if it is not suspended. */
  suspension: {
    reason: string
    since: string
  } | null
}

export type PaymentQuery = {
  /** The answer of the provider. Only `found` changes anything. */
  answer: 'found' | 'not_found' | 'indeterminate'
  reason: string | null
  provider_status: string | null
  amount: number | null
  currency: string | null
  /** Result of settling the answer; null without one. */
  outcome: 'applied' | 'unchanged' | 'ignored' | 'unproven' | 'to_confirm' | 'amount_to_confirm' | 'contradicts' | 'amount_differs' | 'held' | 'reference_conflict' | 'found' | 'unknown_payment' | null
  /** The current status of the payment. */
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
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

export type PayoutFreeze = {
  /** `usr_…` for a person, `biz_…` for a business. */
  merchant_id: string
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  reason: string
  since: string
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

export type PersonalKyc = {
  user_id: string
  status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  rejection_reason: string | null
  /** The last characters of the number, at most four. */
  national_id_last4: string | null
  date_of_birth: string | null
  review: {
    stage: 'draft' | 'submitted' | 'decided'
    /** Increases with every submission, change and decision. */
    version: number
    submitted_at: string | null
    decided_at: string | null
  }
  requirements: {
    /** The missing items: document purposes, `representative_kyc`, `submission`. */
    currently_due: string[]
    /** The refused items, each with its reason. Send them again; everything else stays as it is. */
    errors: {
      /** A purpose of a document, a field, or `review` for the whole case. */
      item: string
      code: string
      reason: string
      /** The reviewer’s reason about this item alone, in Swahili. Missing for a file that was refused automatically. */
      sw?: string
      /** The same in English. */
      en?: string
    }[]
  }
  documents: ({
    purpose: 'national_id' | 'student_id_card' | 'selfie'
    status: 'missing' | 'uploaded' | 'refused'
    /** Whether the file was stored but cannot be opened. Upload it again. */
    unreadable: boolean
    /** The newest stored file. Submit this URL. */
    document_url: string | null
    /** The name of that file as you sent it with presign. */
    file_name: string | null
    /** Whether that file is the one that was submitted. */
    under_review: boolean
    uploaded_at: string | null
  })[]
  verified_at: string | null
}

/** An error as RFC 9457, which `Accept: application/problem+json` asks for. */
export type Problem = {
  /** The address that explains the code. */
  type: string
  title: string
  status: number
  /** For people to read. The text may change. */
  detail: string
  instance: string
  error_type: 'invalid_request' | 'authentication' | 'permission' | 'not_found' | 'conflict' | 'idempotency' | 'rate_limit' | 'payment' | 'api_error'
  /** Stable. Clients branch on it. */
  code: string
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

export type ProviderHealth = {
  /** Charges started in the window. */
  networks: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    provider: string
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
    begun: number
    completed: number
    failed: number
    /** Open charges whose outcome is not known. */
    unknown: number
    /** Share of ended charges that succeeded, 0 to 1. */
    success_rate: number | null
    /** Seconds from checkout to credit. */
    median_seconds: number | null
    /** Credits that followed from a message of the provider. */
    told_by_message: number
    learned_by_asking: number
    last_message_at: string | null
  })[]
  /** The circuit breakers of the process that answers. Each process has its own. */
  circuits: ({
    /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
    environment: 'test' | 'live'
    provider: string
    direction: 'charges' | 'payouts'
    state: 'closed' | 'open' | 'half_open'
    since: string
    /** Calls in the last five minutes. */
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
  /** Only an open page accepts payments. */
  state: 'open' | 'inactive' | 'expired' | 'sold_out' | 'paid' | 'cancelled' | 'busy'
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
  /** What a checkout sends in `custom_fields`, by `key`. */
  custom_fields: CustomField[]
  merchant_name: string
  merchant_verified: boolean
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  /** Current state of the mobile networks. */
  networks: ({
    network: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
    name: string
    /** From the outcome of payments in the last minutes. `degraded`: many fail. `down`: almost all fail, or the network is switched off; while it is switched off, checkouts get 503. */
    status: 'operational' | 'degraded' | 'down'
    /** A sentence to show the payer before the form is filled in. Null if there is none. */
    message: string | null
    message_sw: string | null
  })[]
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

export type ReconciliationDay = {
  /** UTC. */
  day: string
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  subject: 'charges' | 'payouts'
  provider: string
  run_id: string
  compared_at: string
  networks: {
    /** `unknown` if the provider does not report it. */
    network: string
    /** Records that succeeded at the provider. */
    records: number
    /** TZS according to the provider. */
    provider: number
    /** TZS in our books: credited or paid out. */
    ledger: number
    /** TZS. */
    suspended: number
    /** TZS that are part of a break. */
    in_breaks: number
    /** TZS that none of these explains. Must be zero. */
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
  /** `recent`: charges and payouts that have not ended. `late`: those that ended without a credit in the last day. `daily`: all records of the provider for one day. */
  kind: 'recent' | 'late' | 'daily'
  subject: 'charges' | 'payouts'
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  provider: string
  /** UTC. */
  day: string | null
  status: 'planned' | 'running' | 'ended'
  requested_by: string
  due_at: string
  started_at: string | null
  ended_at: string | null
  /** Calls to the provider. */
  calls: number
  /** Consecutive calls without a usable answer. */
  failed_tries: number
  seen: number
  matched: number
  /** Missed changes that this run settled. */
  repaired: number
  breaks: number
  unreadable: number
  /** TZS of the day by network: successful at the provider, and where it is in our books. */
  by_network: Record<string, {
    records: number
    provider: number
    credited: number
    suspended: number
    in_breaks: number
  }>
}

export type RedirectHost = {
  /** The name as browsers send it (ASCII). */
  host: string
  /** The name as people read it (Unicode). */
  displayed: string
  /** A live page may redirect payers only to a `proved` host. */
  status: 'pending' | 'proved'
  proved_by: 'dns' | 'file' | 'not_needed' | null
  proved_at: string | null
  /** To prove the host, put `value` into a TXT record at `dns_name` or into a file at `file_url`. */
  proof: {
    dns_name: string
    file_url: string
    value: string
  }
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

export type RejectionReason = {
  code: 'document_unreadable' | 'document_expired' | 'document_incomplete' | 'wrong_document' | 'name_mismatch' | 'number_mismatch' | 'selfie_mismatch' | 'date_of_birth_mismatch' | 'not_a_student' | 'registration_not_found' | 'tax_number_not_found' | 'address_not_proven' | 'representative_not_named' | 'business_not_supported'
  /** Who can be rejected for this reason. */
  kinds: ('person' | 'business')[]
  /** Whether it can be about one document or one field. Empty: the whole case. */
  about: ('document' | 'field')[]
  sw: string
  en: string
  /** The same about one document or field. */
  item: {
    sw: string
    en: string
  }
}

export type RemovedMember = {
  id: string
  /** Null until the invitation is accepted. */
  user_id: string | null
  name: string | null
  email: string
  role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
  /** From when a new role may pay, approve and make power in the live environment: until then 409 `power_not_active_yet`, unless another owner confirms the member. Null: now. */
  power_from: string | null
  /** `expired`: the invitation was not accepted within seven days. */
  status: 'invited' | 'active' | 'expired' | 'removed'
  /** A role that other members must approve first, because an approval rule stands: `POST /v1/merchant/approvals/{id}/approve`. */
  pending_role: {
    approval_id: string
    role: 'owner' | 'admin' | 'approver' | 'accountant' | 'cashier' | 'developer'
  } | null
  invited_by: {
    user_id: string
    name: string
  } | null
  invitation_expires_at: string | null
  joined_at: string | null
  created_at: string
  /** How many open invitations of the person have ended with it. */
  invitations_ended: number
  left_behind: {
    /** What they did, as in the list of activities: `key.created`. */
    action: string
    /** The id of what it was done to. */
    object: string
    at: string
    details: Record<string, unknown>
  }[]
}

export type ReviewCounts = {
  kind: 'person' | 'business'
  waiting: number
  /** Waiting cases that an operator has claimed. */
  claimed: number
  overdue: number
  oldest_submitted_at: string | null
  unsubmitted: number
  /** Waiting cases, and businesses that were never submitted. */
  pending: number
  verified: number
  rejected: number
}

export type Sandbox = {
  /** A test app of your personal account. */
  app_id: string
  /** A test key of this app with every scope. It is shown only once: store it safely. */
  key: string
  /** A test page that takes any amount from TZS 500. */
  page_slug: string
  /** The page on which payers pay. */
  page_url: string
}

export type SavedPaymentFilter = {
  id: string
  name: string
  created_at: string
  filter: {
    status?: 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired'
    network?: 'mpesa' | 'airtel' | 'mixx' | 'halotel'
    payment_page_id?: string
    min_amount?: number
    max_amount?: number
    /** Days that follow from the current day in East Africa Time (UTC+3), as in a summary. Not with `from` or `to`. */
    period?: 'today' | 'last_7_days' | 'last_30_days' | 'this_month' | 'last_month'
    /** First day in East Africa Time. */
    from?: string
    /** Last day, included. */
    to?: string
  }
}

export type SavedPayoutFilter = {
  id: string
  name: string
  created_at: string
  filter: {
    status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'cancelled'
    /** Days that follow from the current day in East Africa Time (UTC+3), as in a summary. Not with `from` or `to`. */
    period?: 'today' | 'last_7_days' | 'last_30_days' | 'this_month' | 'last_month'
    /** First day in East Africa Time. */
    from?: string
    /** Last day, included. */
    to?: string
  }
}

export type SearchResult = {
  type: 'payment' | 'refund' | 'payout' | 'payment_page' | 'transaction' | 'event'
  /** The id. For a payment, its reference. */
  id: string
  /** The name of the payer or recipient, or the title of the page. */
  title: string
  /** The masked number of the payer, the number of the recipient of a payout, the slug of the page or the type of the event. */
  detail: string | null
  status: string | null
  /** TZS. */
  amount: number | null
  /** The payment to which it belongs. */
  reference: string | null
  created_at: string
}

export type Session = {
  id: string
  status: 'active' | 'revoked'
  /** Whether this is the session of the request. */
  current: boolean
  /** Authentication methods (RFC 8176). */
  amr: string[]
  user_agent: string | null
  created_at: string
  /** When you last confirmed your identity: at sign-in or with `POST /v1/auth/step-up`. */
  authenticated_at: string
  last_used_at: string
  /** When the session ends if it is not refreshed; at most 90 days after sign-in. */
  expires_at: string
}

export type Statement = {
  /** A month in East Africa Time (UTC+3). */
  month: string
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  currency: 'TZS'
  /** Start of the month. */
  from: string
  /** End of the month, exclusive. */
  to: string
  /** False until the month is over, and for one more minute in which its last lines may still arrive. */
  is_final: boolean
  as_of: string
  /** TZS. */
  opening_balance: number
  /** TZS. Until the month is over: the current balance of the wallet. */
  closing_balance: number
  total_credits: number
  total_debits: number
  totals: ({
    type: 'payment' | 'payout' | 'payout_reversal' | 'refund' | 'refund_reversal' | 'adjustment' | 'fee'
    direction: 'credit' | 'debit'
    count: number
    /** TZS. */
    amount: number
  })[]
  transaction_count: number
}

export type StatementMail = {
  /** Null: no mail is sent. */
  frequency: 'daily' | 'weekly' | 'monthly' | null
  language: 'sw' | 'en' | null
  /** The day in East Africa Time (UTC+3) of the next mail. It is sent from 07:00 on, for the period that has ended. */
  next_on: string | null
}

export type SupportContact = {
  phone: string | null
  email: string | null
  whatsapp: string | null
  /** False: payers see your name and the contact of the service. */
  is_set: boolean
  changed_at: string | null
}

export type Switch = {
  name: string
  /** What cannot start while the switch is off. */
  subject: 'checkout' | 'payouts'
  /** Null: both environments. */
  environment: 'test' | 'live' | null
  /** Null: all networks. */
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  state: 'on' | 'off'
  /** The reason for the last change. */
  reason: string | null
  /** A user, or `system` for the service itself. Null if it was never changed. */
  changed_by: string | null
  changed_at: string | null
}

export type Till = {
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  currency: 'TZS'
  as_of: string
  today: {
    /** TZS credited since midnight in Tanzania. */
    volume: number
    count: number
  }
  /** The last 10 payments, the latest credit first. A cashier gets those of today only. */
  payments: TillPayment[]
}

export type TillPayment = {
  reference: string
  /** The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`. */
  short_code: string | null
  /** The number in the network’s message to the payer. */
  network_receipt: string | null
  /** TZS credited to the wallet. */
  amount: number
  network: 'mpesa' | 'airtel' | 'mixx' | 'halotel' | null
  customer: {
    name: string | null
    phone_masked: string
  } | null
  credited_at: string
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

export type UploadAddress = {
  /** Send the file to this URL, once. It is `document_url` with a signature. */
  upload_url: string
  method: 'PUT'
  /** Send exactly these headers. */
  headers: Record<string, string>
  /** The URL to submit. It cannot be opened. */
  document_url: string
  expires_at: string
  max_bytes: number
}

export type User = {
  id: string
  full_name: string
  email: string
  /** Whether this address was verified with a mailed code. */
  email_verified: boolean
  /** E.164. Null only for an operator. */
  phone_number: string | null
  /** This field and the next one are null for operators, and may be for a person who registered with an invitation. */
  student_id: string | null
  institution: string | null
  role: 'student' | 'admin'
  two_factor: {
    /** Whether sign-in requires a code from your authenticator app. */
    enabled: boolean
    /** Unused recovery codes. */
    recovery_codes_left: number
  }
  /** Live keys, personal page writes and payouts require `verified`. */
  kyc_status: 'unsubmitted' | 'pending' | 'verified' | 'rejected'
  /** A change that waits for its mailed code. */
  contact_change: {
    /** The new address, or null. */
    email: string | null
    /** The new number, or null. */
    phone_number: string | null
    expires_at: string
  } | null
  created_at: string
  updated_at: string
}

export type ViewAddress = {
  /** Works once, with the access token of the session that requested it. Returns a re-encoded image. */
  view_url: string
  expires_at: string
}

export type WaitingReview = {
  /** `usr_…` for a person, `biz_…` for a business. */
  id: string
  kind: 'person' | 'business'
  name: string
  version: number
  submitted_at: string
  age_seconds: number
  /** Whether the case has waited for more than 48 hours. */
  overdue: boolean
  /** Whether it is your own case. You cannot decide about it. */
  self_review: boolean
  /** The operator that claimed the case. */
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
  /** The signing secret. The key of `X-Service-Signature` is this whole text, including `whsec_`. */
  secret: string
  /** The types of events that the webhook receives. `*`: all. */
  events: ('payment.completed' | 'payment.failed' | 'payment.voided' | 'payment.expired' | 'payout.completed' | 'payout.failed' | 'payout.reversed' | 'payout.cancelled' | 'refund.completed' | 'refund.failed' | 'payout_batch.completed' | 'business.verified' | 'business.rejected' | '*')[]
  /** False if we disabled the webhook. Set its URL again to enable it. */
  enabled: boolean
  /** `endpoint_gone`: the last three events ended in 410. `endpoint_failing`: at least 20 attempts over 5 days, all of them failed. */
  disabled_reason: string | null
  created_at: string
  updated_at: string
  secret_rotated_at: string | null
  /** Exact to a few seconds. */
  last_success_at: string | null
  /** Exact to a few seconds. */
  last_failure_at: string | null
}

export type WebhookDeliveryAttempt = {
  id: string
  event_id: string
  event_type: string
  /** The URL at the time of the attempt. */
  url: string
  /** Number of the attempt in its chain, starting at 1. */
  attempt: number
  max_attempts: number
  /** `manual`: requested by resend or replay. `test`: for a payment made to test the webhook. */
  trigger: 'automatic' | 'manual' | 'test'
  outcome: 'succeeded' | 'failed'
  response_status: number | null
  /** The first 4 KiB of the response. */
  response_body: string | null
  duration_ms: number
  error: {
    /** One of dns_not_found, dns_failure, dns_timeout, local_failure, blocked_target, connection_refused, connection_reset, answer_incomplete, tls_untrusted, tls_expired, tls_wrong_host, tls_error, timeout, protocol_error, redirect, unexpected_status. */
    code: string
  } | null
  attempted_at: string
  /** Null if this was the last attempt. */
  next_attempt_at: string | null
}

export type WebhookDeliveryDetail = {
  id: string
  event_id: string
  event_type: string
  /** The URL at the time of the attempt. */
  url: string
  /** Number of the attempt in its chain, starting at 1. */
  attempt: number
  max_attempts: number
  /** `manual`: requested by resend or replay. `test`: for a payment made to test the webhook. */
  trigger: 'automatic' | 'manual' | 'test'
  outcome: 'succeeded' | 'failed'
  response_status: number | null
  /** The first 4 KiB of the response. */
  response_body: string | null
  duration_ms: number
  error: {
    /** One of dns_not_found, dns_failure, dns_timeout, local_failure, blocked_target, connection_refused, connection_reset, answer_incomplete, tls_untrusted, tls_expired, tls_wrong_host, tls_error, timeout, protocol_error, redirect, unexpected_status. */
    code: string
  } | null
  attempted_at: string
  /** Null if this was the last attempt. */
  next_attempt_at: string | null
  request: {
    method: 'POST'
    /** The headers as they were sent. The signature headers are missing if the secret has been replaced, or the webhook removed, since then. */
    headers: Record<string, string>
    /** Exactly the bytes that were signed and sent. */
    body: string
    is_signature_shown: boolean
  }
}

export type WebhookState = {
  id: string
  app_id: string
  url: string
  /** The types of events that the webhook receives. `*`: all. */
  events: ('payment.completed' | 'payment.failed' | 'payment.voided' | 'payment.expired' | 'payout.completed' | 'payout.failed' | 'payout.reversed' | 'payout.cancelled' | 'refund.completed' | 'refund.failed' | 'payout_batch.completed' | 'business.verified' | 'business.rejected' | '*')[]
  /** False if we disabled the webhook. Set its URL again to enable it. */
  enabled: boolean
  /** `endpoint_gone`: the last three events ended in 410. `endpoint_failing`: at least 20 attempts over 5 days, all of them failed. */
  disabled_reason: string | null
  created_at: string
  updated_at: string
  secret_rotated_at: string | null
  /** Exact to a few seconds. */
  last_success_at: string | null
  /** Exact to a few seconds. */
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

export type WholeSupportCase = {
  id: string
  state: 'open' | 'asking' | 'answered' | 'with_operators' | 'closed'
  /** `test` charges the simulator and credits the test wallet. `live` moves real money. */
  environment: 'test' | 'live'
  payment_reference: string
  /** The number in the network’s message, as letters and digits. Null: erased. */
  sms_number: string | null
  /** What is proven about the payment. */
  finding: 'received' | 'no_money' | null
  proven_at: string | null
  escalated_because: 'still_open' | 'not_found' | 'not_proven' | 'no_answer' | 'money_held' | 'number_differs' | 'number_of_another' | 'payer_disagrees' | null
  escalated_at: string | null
  decision: 'received' | 'no_money' | 'other' | null
  decided_by: string | null
  decided_at: string | null
  created_at: string
  claim: {
    /** TZS that the payer says were taken. */
    amount: number | null
    /** The number that the payer says they paid from, masked. */
    phone: string | null
    time: string | null
    words: string | null
    /** The answer is mailed to the payer. */
    has_email: boolean
  }
  /** Another payment whose receipt has the number. Never tell the payer of this case. */
  number_owner: string | null
  /** What the provider answered about this case, oldest first. `not_asked`: our own books were enough. */
  answers: ({
    at: string
    answer: 'found' | 'not_found' | 'indeterminate' | 'not_asked'
    reason: string | null
    provider: string
    provider_reference: string | null
    provider_status: string | null
    amount: number | null
    network_receipt: string | null
  })[]
  decision_note: string | null
  decision_message: string | null
}
