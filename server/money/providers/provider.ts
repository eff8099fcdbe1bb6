/**
 * The port to a payment provider: the requests of the core and the possible answers. A provider's wire protocol, its names and its quirks
 * end here. Invariant: an outcome never claims more than the provider proved.
 */

import type { Direction } from '../../domain/provider.ts'
import type { ProviderFailure } from '../../domain/payout.ts'
import type { FailureCode } from '../../domain/payment.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import { must } from '../../platform/refusal.ts'

export type ProviderStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'voided' | 'expired' | 'unrecognised'

/** The provider's record of one charge, from any source. */
export type ChargeSnapshot = {
  reference: string
  /** Our payment's wire id, if the provider echoes it. */
  ourReference: string | null
  status: ProviderStatus
  /** Whole TZS and its currency; null if the message does not contain them. */
  amount: number | null
  currency: string | null
  /** The provider's fee in whole TZS. */
  fee: number | null
  /** The configured rate applied to the amount, in whole TZS; omitted if no rate is configured. */
  expectedFee?: number
  network: Network | null
  failure: { code: FailureCode; text: string | null } | null
  expiresAt: Date | null
  /** The number of a paid charge in the network's own message to the payer; omitted if the provider does not report it. */
  networkReceipt?: string
  /** The phone that pays, as the provider writes it; omitted if the provider does not report it. Never logged. */
  payerPhone?: string
}

/** A charge or payout as it is sent: composed once, stored with the payment, and always sent in exactly these bytes under this key. */
export type ProviderRequest = { idempotencyKey: string; body: string }

export type ChargeDetails = {
  /** Our payment's wire id. */
  reference: string
  /** TZS. */
  amount: number
  /** E.164. */
  phoneNumber: string
  /** Null: the payer's name or address is unknown. */
  customerName: string | null
  customerEmail: string | null
  callbackUrl: string
}

/** The trouble of a provider as a whole, for monitoring. A call that failed only because of this one charge or payout has none. */
export const troubles = [
  /** It refuses our credentials: no call succeeds before operators fix this. */
  'credentials',
  /** It cannot be reached, or gives no usable answer. */
  'outage',
] as const
export type Trouble = (typeof troubles)[number]

export type ChargeOutcome =
  | { kind: 'accepted'; snapshot: ChargeSnapshot }
  /** Proves that no money can move. */
  | { kind: 'rejected'; failure: FailureCode; text: string | null }
  /** Proves that this call started nothing: try again later. */
  | { kind: 'retry_later'; afterMs: number; reason?: string; trouble?: Trouble }
  /** The request was certainly not sent. */
  | { kind: 'not_sent'; reason: string }
  /**
   * The money may move: ask again with the same key, never assume. `reference`: the error names a charge of the provider, so there is
   * one, and it can be queried.
   */
  | { kind: 'unknown'; reason: string; reference?: string; trouble?: Trouble }

/** The outcomes that decide nothing, of a charge and of a payout. */
export type InconclusiveOutcome = Extract<PayoutOutcome, { kind: 'retry_later' | 'not_sent' | 'unknown' }>

export type ChargeAnswer =
  | { kind: 'found'; snapshot: ChargeSnapshot }
  /** The provider answered that it has no such charge, which alone proves nothing. */
  | { kind: 'not_found' }
  /** No usable answer. `afterMs`: the query was not sent, because no budget is left for it for this long. */
  | { kind: 'indeterminate'; reason: string; afterMs?: number; trouble?: Trouble }

/** The name by which a provider finds a charge or payout of ours: some know only their own reference, some only ours. */
export type ProviderKey = {
  /** The provider's reference; null while we do not know it. */
  reference: string | null
  /** Our wire id. */
  ourReference: string
}

/** `returned`: the money is back in our account, and the record does not say whether the recipient ever had it. */
export type ProviderPayoutStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'reversed' | 'returned' | 'unrecognised'

/** The provider's record of one payout, from any source. */
export type PayoutSnapshot = {
  reference: string
  /** Our payout's wire id, if the provider echoes it. */
  ourReference: string | null
  status: ProviderPayoutStatus
  /** Whole TZS that the recipient gets, and its currency; null if the message does not contain them. */
  amount: number | null
  currency: string | null
  /** The provider's fee in whole TZS. */
  fee: number | null
  network: Network | null
  failure: { code: ProviderFailure; text: string | null } | null
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
  /** Proves that no money can move. `isOurFloat`: the provider refused because our own account with it has too little money. */
  | { kind: 'rejected'; failure: ProviderFailure; text: string | null; isOurFloat: boolean }
  /** `isHeld`: the call was not made, because no budget is left for it, or the provider is not called at the moment. */
  | { kind: 'retry_later'; afterMs: number; reason?: string; isHeld?: true; trouble?: Trouble }
  | { kind: 'not_sent'; reason: string }
  /** The money may move: ask again with the same key, never assume. `reference`: as for a charge. `isOurFloat`: as above. */
  | { kind: 'unknown'; reason: string; reference?: string; isOurFloat?: true; trouble?: Trouble }

export type PayoutAnswer =
  | { kind: 'found'; snapshot: PayoutSnapshot }
  | { kind: 'not_found' }
  | { kind: 'indeterminate'; reason: string; afterMs?: number; trouble?: Trouble }

export type PayoutQuote =
  /** `total`: what the same answer says that the payout debits, if it does. */
  | { kind: 'quoted'; fee: number; total?: number | undefined }
  /** It would refuse the payout itself for the same reason. `isOurFloat`: as for a payout. */
  | { kind: 'refused'; failure: ProviderFailure; text: string | null; isOurFloat: boolean }
  | { kind: 'indeterminate'; reason: string; afterMs?: number; trouble?: Trouble }

/** TZS in our account with the provider, before what it only reserves. */
export type BalanceAnswer =
  | { kind: 'balance'; amount: number }
  | { kind: 'indeterminate'; reason: string; afterMs?: number; trouble?: Trouble }

export type PushOutcome =
  /** The payer's phone shows the same prompt again. */
  | { kind: 'pushed' }
  /** The charge is no longer open: query its status. */
  | { kind: 'not_pending' }
  /** The call was not made, because no budget is left for it, or the provider is not called at the moment. */
  | { kind: 'held'; afterMs: number }
  | { kind: 'indeterminate'; reason: string; trouble?: Trouble }

/** A record of a provider's list, and when it was created there; null if the list does not say. */
export type Listed<Snapshot> = Snapshot & { createdAt: Date | null }

/** One page of a provider's records, newest first, and how many of them could not be read. */
export type ListedPage<Snapshot> =
  | { kind: 'page'; items: Listed<Snapshot>[]; unreadable: number; isLast: boolean }
  | { kind: 'indeterminate'; reason: string; afterMs?: number; trouble?: Trouble }

export type ProviderCapabilities = {
  /** A charge or payout can be queried by our own id, whether or not its create was answered. */
  looksUpOurReference: boolean
  /** How long it answers a repeated key from its memory; replays stop before that. Zero: it has no keys. */
  replaySeconds: number
  /** It can send the same prompt again. */
  pushes: boolean
  /** Its records can be read as a list. */
  lists: boolean
  /** TZS. */
  minimumPayout: number
  /** Its fee depends on the recipient: it quotes none without the phone number. */
  quotesForRecipient: boolean
  /** The id of a message is made from its content: a body that differs under the same id has only another proof. */
  idsAreContent: boolean
}

export type WebhookHeaders = Record<string, string | string[] | undefined>

export type WebhookMessage =
  | { kind: 'charge'; eventId: string; snapshot: ChargeSnapshot }
  | { kind: 'payout'; eventId: string; snapshot: PayoutSnapshot }
  /**
   * Authentic but doubtful: too old (it may be a replay), inconsistent, or not readable as a charge. It is not applied; the charge that
   * it names is queried.
   */
  | {
      kind: 'doubtful'
      subject: 'charge' | 'payout'
      reason: 'stale' | 'contradictory' | 'unreadable'
      eventId: string
      reference: string | null
      ourReference: string | null
    }
  /** Authentic, but the core has no use for it: stored, never applied. */
  | { kind: 'other'; eventId: string }
  /** `matchingForm`: the signature is right in a form that is not the configured one. */
  | { kind: 'invalid'; reason: string; matchingForm?: string }

/** Of a query about a charge that can wait longer than one about an open charge. */
export type ChargeQueryPriority = 'case' | 'last'

export type Provider = {
  readonly name: string
  readonly capabilities: ProviderCapabilities
  /** Its configured fee for a charge, in percent; undefined: not configured. */
  readonly chargeFeePercent?: number | undefined
  /** Composes the request that is stored before it is first sent. */
  composeCharge(details: ChargeDetails): ProviderRequest
  /**
   * `callers`: who the call is for, from the widest group to the narrowest (merchant, page, network address); the call budget is shared
   * fairly among them. Omitted: the call counts for no group. `can_wait` for a charge that is sent again: it leaves a third of the
   * provider's budget to all other calls.
   */
  charge(request: ProviderRequest, callers?: readonly string[] | 'can_wait'): Promise<ChargeOutcome>
  /**
   * `priority`: `case` for the charge of a support case; it leaves half of the provider's budget to all other calls. `last` for charges that
   * ended before; it leaves more.
   */
  fetchCharge(key: ProviderKey, priority?: ChargeQueryPriority): Promise<ChargeAnswer>
  /** Sends the prompt of an open charge again; never creates a new charge. Only if the provider `pushes`. */
  pushCharge(key: ProviderKey): Promise<PushOutcome>
  /** Charges on record, newest first; pages start at 0. Only if the provider `lists`. */
  listCharges(page: number): Promise<ListedPage<ChargeSnapshot>>
  composePayout(details: PayoutDetails): ProviderRequest
  /** `priority`: `batch` for payouts of a batch; it leaves half of the provider's budget to all other calls. */
  sendPayout(request: ProviderRequest, priority?: 'batch'): Promise<PayoutOutcome>
  fetchPayout(key: ProviderKey, priority?: 'batch'): Promise<PayoutAnswer>
  listPayouts(page: number): Promise<ListedPage<PayoutSnapshot>>
  /** The provider's fee for a payout of this amount; some quote it only for a recipient (E.164). */
  quotePayout(amount: number, phoneNumber?: string, priority?: 'batch'): Promise<PayoutQuote>
  readBalance(): Promise<BalanceAnswer>
  /** Checks the signature on the raw bytes and decodes. `nowMs` is the receiver's clock. */
  readWebhook(headers: WebhookHeaders, rawBody: Uint8Array, nowMs: number): WebhookMessage
  /** Decodes a message that was verified when it was stored. */
  readStoredWebhook(body: string): WebhookMessage
  /** How long no new business should start with it, in ms; 0 when it is healthy. Only if the provider is guarded. */
  pausedForMs?(direction: Direction): number
  close(): Promise<void>
}

/** The providers of one environment: those for new charges and payouts, and by name all providers that hold earlier ones. */
export type EnvironmentProviders = {
  charges: Provider
  payouts: Provider
  byName: ReadonlyMap<string, Provider>
}

export type Providers = Readonly<Record<Environment, EnvironmentProviders>>

/** The same providers, each wrapped; a provider with several roles stays one object. */
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

/** The provider of a stored charge or payout. A provider that is no longer configured is our mistake, never an answer. */
export function providerNamed(providers: Providers, environment: Environment, name: string): Provider {
  return must(providers[environment].byName.get(name), `the provider ${name} of the ${environment} environment is configured`)
}

/** The minimum and the maximum of one payout, in TZS; a provider may have a higher minimum. */
const leastPayout = 500
export const ceilingPayout = 10_000_000

/** What the description says of the amount in a request. The rules themselves have codes of their own. */
export const payoutBounds = { minimum: leastPayout, maximum: ceilingPayout, format: 'int64' } as const

/** The minimum of a payout: ours, or the provider's if it is higher. */
export function leastOf(provider: Provider): number {
  return Math.max(leastPayout, provider.capabilities.minimumPayout)
}
