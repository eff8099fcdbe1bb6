/**
 * The port to a payment provider: what the core asks and what it may be told. A provider's wire protocol, its names and its quirks
 * end here. Invariant: an outcome never says more than what the provider proved.
 */

import type { Environment } from '../domain/environment.ts'
import type { Network } from '../domain/network.ts'
import { assert } from '../platform/refusal.ts'

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
  /** What the configured rate makes of the amount, in whole TZS; left out where none is configured. */
  expectedFee?: number
  network: Network | null
  failure: { code: FailureCode; text: string | null } | null
  expiresAt: Date | null
  /** The transaction at the payer's network, as the payer's own message names it; left out where the provider does not say. */
  operatorReference?: string
  /** The phone that pays, as the provider writes it; left out where it does not say. Never logged. */
  payerPhone?: string
}

/** A charge or payout as it is sent: composed once, stored with the payment, and sent in exactly these bytes under this key every time. */
export type ProviderRequest = { idempotencyKey: string; body: string }

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

/** What ails a provider as a whole, for who watches over it. A call that only this one charge or payout is to blame for has none. */
export type Trouble =
  /** It refuses our credentials: nothing goes through before people have looked. */
  | 'credentials'
  /** It cannot be reached, or does not answer usably. */
  | 'outage'

/** The two kinds of business with a provider, each of which may ail alone. */
export type Direction = 'charges' | 'payouts'

export type ChargeOutcome =
  | { kind: 'accepted'; snapshot: ChargeSnapshot }
  /** Proves that no money can move. */
  | { kind: 'rejected'; failure: FailureCode; text: string | null }
  /** Proves that this call started nothing: ask again later. */
  | { kind: 'retry_later'; afterMs: number; trouble?: Trouble }
  /** The request certainly never left us. */
  | { kind: 'not_sent'; reason: string }
  /**
   * The money may move: ask again with the same key, never assume. `reference`: the error names a charge of the provider's, so that
   * there is one, and it can be asked about.
   */
  | { kind: 'unknown'; reason: string; reference?: string; trouble?: Trouble }

export type ChargeAnswer =
  | { kind: 'found'; snapshot: ChargeSnapshot }
  /** The provider answered that it has no such charge, which alone proves nothing. */
  | { kind: 'not_found' }
  /** No usable answer. `afterMs`: the question was not asked, for so long nothing is left of the budget for it. */
  | { kind: 'indeterminate'; reason: string; afterMs?: number; trouble?: Trouble }

/** By which name a provider finds a charge or payout of ours: some know their own reference only, some ours only. */
export type ProviderKey = {
  /** The provider's; null while we have not learned it. */
  reference: string | null
  /** Our wire id. */
  ourReference: string
}

/** Why a payout failed. */
export type PayoutFailureCode = 'recipient_not_found' | 'recipient_limit' | 'network_unavailable' | 'provider_error'

export type ProviderPayoutStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'unrecognised'

/** What a provider said of one payout, whoever learned it. */
export type PayoutSnapshot = {
  reference: string
  /** Our payout's wire id, where the provider echoes it. */
  ourReference: string | null
  status: ProviderPayoutStatus
  /** Whole TZS that the recipient gets, and its currency; null where the message does not carry them. */
  amount: number | null
  currency: string | null
  /** The provider's fee in whole TZS. */
  fee: number | null
  network: Network | null
  failure: { code: PayoutFailureCode; text: string | null } | null
}

export type PayoutDetails = {
  /** Our payout's wire id. */
  reference: string
  /** TZS that the recipient gets. */
  amount: number
  /** E.164. */
  phoneNumber: string
  recipientName: string
  narration: string | null
  callbackUrl: string
}

export type PayoutOutcome =
  | { kind: 'accepted'; snapshot: PayoutSnapshot }
  /** Proves that no money can move. `isOurFloat`: the provider refused because our own account with it is short. */
  | { kind: 'rejected'; failure: PayoutFailureCode; text: string | null; isOurFloat: boolean }
  | { kind: 'retry_later'; afterMs: number; trouble?: Trouble }
  | { kind: 'not_sent'; reason: string }
  /** The money may move: ask again with the same key, never assume. `reference`: as for a charge. */
  | { kind: 'unknown'; reason: string; reference?: string; trouble?: Trouble }

export type PayoutAnswer =
  | { kind: 'found'; snapshot: PayoutSnapshot }
  | { kind: 'not_found' }
  | { kind: 'indeterminate'; reason: string; trouble?: Trouble }

export type PayoutQuote = { kind: 'quoted'; fee: number } | { kind: 'indeterminate'; reason: string; trouble?: Trouble }

export type PushOutcome =
  /** The payer's phone shows the same prompt again. */
  | { kind: 'pushed' }
  /** The charge is not open any more: ask how it stands. */
  | { kind: 'not_pending' }
  | { kind: 'indeterminate'; reason: string; trouble?: Trouble }

/** A record of a provider's list, and when it was made there; null where the list does not say. */
export type Listed<Snapshot> = Snapshot & { createdAt: Date | null }

/** One page of what a provider has on record, newest first, and how many of its records could not be read. */
export type ListedPage<Snapshot> =
  | { kind: 'page'; items: Listed<Snapshot>[]; unreadable: number; isLast: boolean }
  | { kind: 'indeterminate'; reason: string; afterMs?: number; trouble?: Trouble }

/** What a provider can do, where providers differ. */
export type ProviderCapabilities = {
  /** A charge or payout can be asked about by our own id, whether or not its create was answered. */
  looksUpOurReference: boolean
  /** How long it answers a repeated key from its memory; replays stop before that. Zero: it has no keys. */
  replaySeconds: number
  /** It can send the same prompt once more. */
  pushes: boolean
  /** Its records can be read as a list. */
  lists: boolean
  /** TZS. */
  minimumPayout: number
}

export type WebhookHeaders = Record<string, string | string[] | undefined>

export type WebhookMessage =
  | { kind: 'charge'; eventId: string; snapshot: ChargeSnapshot }
  | { kind: 'payout'; eventId: string; snapshot: PayoutSnapshot }
  /**
   * Authentic, but not to be believed as it stands: too old (it may be a replay), at odds with itself, or not readable as a charge.
   * It is not applied; the charge that it names is asked about.
   */
  | {
      kind: 'doubtful'
      subject: 'charge' | 'payout'
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
  readonly capabilities: ProviderCapabilities
  /** Composes the request that is stored before it is first sent. */
  composeCharge(details: ChargeDetails): ProviderRequest
  /**
   * `callers`: for whom, from the widest group to the narrowest (merchant, page, network address); the budget of calls is shared fairly
   * among them. Left out: the call counts for nobody.
   */
  charge(request: ProviderRequest, callers?: readonly string[]): Promise<ChargeOutcome>
  /** `priority`: `last` for what ended before, which leaves the provider's budget to everything else. */
  fetchCharge(key: ProviderKey, priority?: 'last'): Promise<ChargeAnswer>
  /** Shows the prompt of an open charge once more; never makes a new charge. Only where the provider `pushes`. */
  pushCharge(key: ProviderKey): Promise<PushOutcome>
  /** Charges on record, newest first; pages begin with 0. Only where the provider `lists`. */
  listCharges(page: number): Promise<ListedPage<ChargeSnapshot>>
  composePayout(details: PayoutDetails): ProviderRequest
  sendPayout(request: ProviderRequest): Promise<PayoutOutcome>
  fetchPayout(key: ProviderKey): Promise<PayoutAnswer>
  listPayouts(page: number): Promise<ListedPage<PayoutSnapshot>>
  /** What the provider takes for a payout of this amount; some can say so for a recipient only (E.164). */
  quotePayout(amount: number, phoneNumber?: string): Promise<PayoutQuote>
  /** Checks the signature on the raw bytes and decodes. `nowMs` is the receiver's clock. */
  readWebhook(headers: WebhookHeaders, rawBody: Uint8Array, nowMs: number): WebhookMessage
  /** Decodes a message that was verified when it was stored. */
  readStoredWebhook(body: string): WebhookMessage
  /** How long nothing new should be begun with it, in ms; 0 when it is well. Only where somebody watches over the provider. */
  pausedForMs?(direction: Direction): number
  close(): Promise<void>
}

/** Who is asked in one environment: whom new charges and payouts go to, and by name everybody that earlier ones lie with. */
export type EnvironmentProviders = {
  charges: Provider
  payouts: Provider
  byName: ReadonlyMap<string, Provider>
}

export type Providers = Readonly<Record<Environment, EnvironmentProviders>>

/** The same providers with something around each; one that has several parts to play stays one. */
export function wrapProviders(providers: Providers, wrap: (provider: Provider, environment: Environment) => Provider): Providers {
  const wrapped = new Map<Provider, Provider>()
  const once = (provider: Provider, environment: Environment): Provider => {
    const known = wrapped.get(provider) ?? wrap(provider, environment)
    wrapped.set(provider, known)
    return known
  }
  const inEnvironment = (environment: Environment): EnvironmentProviders => {
    const { charges, payouts, byName } = providers[environment]
    return {
      charges: once(charges, environment),
      payouts: once(payouts, environment),
      byName: new Map([...byName].map(([name, provider]) => [name, once(provider, environment)])),
    }
  }
  return { test: inEnvironment('test'), live: inEnvironment('live') }
}

/** The provider of a charge or payout on record. One that is not configured any more is a mistake of ours, never an answer. */
export function providerNamed(providers: Providers, environment: Environment, name: string): Provider {
  const provider = providers[environment].byName.get(name)
  assert(provider, `the provider ${name} of the ${environment} environment is configured`)
  return provider
}
