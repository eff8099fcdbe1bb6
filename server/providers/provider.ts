/**
 * The port to a payment provider: what the core asks and what it may be told. A provider's wire protocol, its names and its quirks
 * end here. Invariant: an outcome never says more than what the provider proved.
 */

export type Network = 'mpesa' | 'airtel' | 'mixx' | 'halotel'

/** Why a charge failed, in the words of the contract (section 6.1). */
export type FailureCode =
  | 'insufficient_funds'
  | 'wrong_pin'
  | 'declined_by_payer'
  | 'prompt_timeout'
  | 'payer_not_found'
  | 'payer_limit'
  | 'payer_busy'
  | 'network_unavailable'
  | 'provider_error'

export type ProviderStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired' | 'unrecognised'

/** What a provider said of one charge, whoever learned it. */
export type ChargeSnapshot = {
  reference: string
  /** Our payment's wire id, where the provider echoes it. */
  ourReference: string | null
  status: ProviderStatus
  /** Whole TZS and its currency; null where the message does not carry them. */
  amount: number | null
  currency: string | null
  /** The provider's fee in whole TZS. */
  fee: number | null
  network: Network | null
  failure: { code: FailureCode; text: string | null } | null
  expiresAt: Date | null
}

/** A charge as it is sent: composed once, stored with the payment, and sent in exactly these bytes under this key every time. */
export type ChargeRequest = { idempotencyKey: string; body: string }

export type ChargeDetails = {
  /** Our payment's wire id. */
  reference: string
  /** TZS. */
  amount: number
  /** E.164. */
  phoneNumber: string
  customerName: string
  customerEmail: string
  callbackUrl: string
}

export type ChargeOutcome =
  | { kind: 'accepted'; snapshot: ChargeSnapshot }
  /** Proves that no money can move. */
  | { kind: 'rejected'; failure: FailureCode; text: string | null }
  /** Proves that this call started nothing: ask again later. */
  | { kind: 'retry_later'; afterMs: number }
  /** The request certainly never left us. */
  | { kind: 'not_sent'; reason: string }
  /** The money may move: ask again with the same key, never assume. */
  | { kind: 'unknown'; reason: string }

export type ChargeAnswer =
  | { kind: 'found'; snapshot: ChargeSnapshot }
  /** The provider answered that it has no such charge, which alone proves nothing. */
  | { kind: 'not_found' }
  /** No usable answer. */
  | { kind: 'indeterminate'; reason: string }

export type WebhookHeaders = Record<string, string | string[] | undefined>

export type WebhookMessage =
  | { kind: 'charge'; eventId: string; snapshot: ChargeSnapshot }
  /**
   * Authentic, but not to be believed as it stands: too old (it may be a replay), at odds with itself, or not readable as a charge.
   * It is not applied; the charge that it names is asked about.
   */
  | {
      kind: 'doubtful'
      reason: 'stale' | 'contradictory' | 'unreadable'
      eventId: string
      reference: string | null
      ourReference: string | null
    }
  /** Authentic, and nothing that the core knows what to do with: kept, never applied. */
  | { kind: 'other'; eventId: string }
  | { kind: 'invalid'; reason: string }

export type Provider = {
  readonly name: string
  /** Composes the request that is stored before it is first sent. */
  composeCharge(details: ChargeDetails): ChargeRequest
  charge(request: ChargeRequest): Promise<ChargeOutcome>
  fetchCharge(reference: string): Promise<ChargeAnswer>
  /** Checks the signature on the raw bytes and decodes. `nowMs` is the receiver's clock. */
  readWebhook(headers: WebhookHeaders, rawBody: Uint8Array, nowMs: number): WebhookMessage
  /** Decodes a message that was verified when it was stored. */
  readStoredWebhook(body: string): WebhookMessage
  close(): Promise<void>
}
