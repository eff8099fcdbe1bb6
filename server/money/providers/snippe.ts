/**
 * Adapter for Snippe (api.snippe.sh, version 2026-01-25), written from its documentation and SDKs. Invariant: anything but a documented,
 * well-formed success or refusal is `unknown`; amounts are accepted only as whole TZS.
 */
import { snippeSignatures, type SnippeSignature } from '../../domain/provider.ts'
import { createJsonClient, type JsonAnswer, type JsonCall, type JsonMethod } from '../../platform/outbound/json-client.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { failureCodeOf, payoutFailureCodeOf } from './failure-words.ts'
import { waitOf } from './provider-fields.ts'
import type {
  ChargeDetails,
  ChargeSnapshot,
  BalanceAnswer,
  ListedPage,
  PayoutDetails,
  PayoutQuote,
  Provider,
  ProviderKey,
  ProviderPayoutStatus,
  ProviderRequest,
  ProviderStatus,
  PushOutcome,
  WebhookHeaders,
  WebhookMessage,
  InconclusiveOutcome,
} from './provider.ts'
import {
  balanceOf,
  chargeSnapshotOf,
  codeOf,
  indeterminate,
  indeterminateRecord,
  isEmptyFloat,
  isProvenRefusal,
  isRateLimited,
  isRefusedKey,
  listedIn,
  madeOf,
  messageOf,
  namesOf,
  payoutSnapshotOf,
  quotedFeeOf,
  reasonOf,
  referenceInError,
  succeeded,
  troubleOf,
  webhookEnvelope,
} from './snippe-data.ts'
import { isSigned, messageAbout } from './webhook-message.ts'

export type SnippeOptions = {
  baseUrl: string
  apiKey: string
  /** The current secret, and during a rotation the previous one. */
  webhookSecrets: readonly string[]
  webhookSignature: SnippeSignature
  timeoutMs: number
  maxResponseBytes: number
  connections: number
  webhookToleranceSeconds: number
  /** Its fee for a charge, in percent; undefined: any fee up to the amount is accepted. */
  chargeFeePercent?: number
  /** Sent as the payer's address if the payer gave none. */
  contactEmail: string
}

/** The maximum size of a page of a list. */
const listLimit = 100

/** A page of a list is as long as a hundred charges, which is more than the limit of an answer about one charge. */
const listMaxBytes = 2 * 1024 * 1024

const apiVersion = '2026-01-25'

/** Snippe's limit; a longer key is answered with PAY_001 instead of a clear error. */
export const maxKeyBytes = 30

/** The events of charges that we act on, with the status that each implies; any other type is ignored. */
const impliedStatuses: Record<string, ProviderStatus> = {
  'payment.completed': 'completed',
  'payment.failed': 'failed',
  'payment.voided': 'voided',
  'payment.expired': 'expired',
}

/** The same for payouts. */
const impliedPayoutStatuses: Record<string, ProviderPayoutStatus> = {
  'payout.completed': 'completed',
  'payout.failed': 'failed',
  'payout.reversed': 'reversed',
}

/** Made from the random part of our id, so that the same charge or payout always has the same key. */
function keyOf(kind: 'c' | 'p', reference: string): string {
  const key = `${kind}-${reference.slice(reference.indexOf('_') + 1)}`
  if (Buffer.byteLength(key) > maxKeyBytes) throw new Error(`The idempotency key is longer than ${maxKeyBytes} bytes.`)
  return key
}

function composeCharge(details: ChargeDetails, contactEmail: string): ProviderRequest {
  const [firstname = '', ...rest] = (details.customerName ?? 'Customer').trim().split(/\s+/)
  const body = JSON.stringify({
    payment_type: 'mobile',
    details: { amount: details.amount, currency: 'TZS' },
    phone_number: details.phoneNumber.replace('+', ''),
    // Snippe requires an address and both names; many payers have one name.
    customer: { firstname, lastname: rest.join(' ') || firstname, email: details.customerEmail ?? contactEmail },
    webhook_url: details.callbackUrl,
    // There is no field for our own reference on create; metadata is echoed in webhooks and lists.
    metadata: { malipo_payment: details.reference },
  })
  return { idempotencyKey: keyOf('c', details.reference), body }
}

function composePayout(details: PayoutDetails): ProviderRequest {
  const body = JSON.stringify({
    amount: details.amount,
    channel: 'mobile',
    recipient_phone: details.phoneNumber.replace('+', ''),
    recipient_name: details.recipientName,
    // One generation of the documentation requires it.
    narration: details.narration ?? 'Malipo',
    webhook_url: details.callbackUrl,
    metadata: { malipo_payout: details.reference },
  })
  return { idempotencyKey: keyOf('p', details.reference), body }
}

/** Decodes the data of one charge or payout; undefined if it cannot be read. */
type Read<Snapshot> = (data: unknown) => Snapshot | undefined

/** The calls that charges and payouts have in common, by the path of their records. */
function createCalls(options: SnippeOptions) {
  const client = createJsonClient(options)

  function call(
    method: JsonMethod,
    path: string,
    sent: { key?: string; body?: string; maxBytes?: number } = {},
  ): Promise<JsonCall> {
    return client.call(method, path, {
      headers: {
        authorization: `Bearer ${options.apiKey}`,
        'snippe-version': apiVersion,
        ...(sent.key !== undefined && { 'idempotency-key': sent.key }),
      },
      ...(sent.body !== undefined && { body: sent.body }),
      ...(sent.maxBytes !== undefined && { maxResponseBytes: sent.maxBytes }),
    })
  }

  /** `rejectionOf`: the rejection that an error proves; undefined if it proves none. */
  async function create<Snapshot, Rejection>(
    path: string,
    { idempotencyKey, body }: ProviderRequest,
    read: Read<Snapshot>,
    rejectionOf: (answer: JsonAnswer) => Rejection | undefined,
  ): Promise<{ kind: 'accepted'; snapshot: Snapshot } | InconclusiveOutcome | Rejection> {
    const result = await call('POST', path, { key: idempotencyKey, body })
    if (result.kind === 'unknown') return { ...result, trouble: 'outage' }
    if (result.kind === 'not_sent') return result
    const { answer } = result
    const snapshot = read(succeeded(answer))
    if (snapshot) return { kind: 'accepted', snapshot }
    const reference = referenceInError(answer)
    const { trouble } = troubleOf(answer)
    const unknown = { kind: 'unknown', reason: reasonOf(answer), ...(trouble && { trouble }) } as const
    if (reference !== null) return { ...unknown, reference, ...(isEmptyFloat(answer) && ({ isOurFloat: true } as const)) }
    if (isRateLimited(answer)) return { kind: 'retry_later', afterMs: waitOf(answer, 'x-ratelimit-reset') }
    // Its own refusal of our API key: this call started nothing. An earlier call may have.
    if (isRefusedKey(answer)) return { kind: 'retry_later', afterMs: 5_000, reason: reasonOf(answer), trouble: 'credentials' }
    if (trouble === 'credentials') return unknown
    return rejectionOf(answer) ?? unknown
  }

  async function find<Snapshot extends { reference: string }>(
    path: string,
    { reference }: ProviderKey,
    read: Read<Snapshot>,
  ): Promise<{ kind: 'found'; snapshot: Snapshot } | { kind: 'not_found' } | ReturnType<typeof indeterminate>> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    const result = await call('GET', `${path}/${encodeURIComponent(reference)}`)
    if (result.kind !== 'answered') return indeterminate(result)
    // A 404 from a proxy is not the provider's answer.
    if (result.answer.status === 404 && codeOf(result.answer) !== '') return { kind: 'not_found' }
    const snapshot = read(succeeded(result.answer))
    if (!snapshot || snapshot.reference !== reference) return indeterminateRecord(result.answer)
    return { kind: 'found', snapshot }
  }

  async function list<Snapshot>(path: string, page: number, read: Read<Snapshot>): Promise<ListedPage<Snapshot>> {
    const result = await call('GET', `${path}?limit=${listLimit}&offset=${page * listLimit}`, { maxBytes: listMaxBytes })
    if (result.kind !== 'answered') return indeterminate(result)
    const listed = listedIn(result.answer)
    if (!listed) return indeterminate(result)
    const items = listed.items.flatMap((item) => {
      const snapshot = read(item)
      return snapshot ? [{ ...snapshot, createdAt: madeOf(item) }] : []
    })
    const readUpTo = page * listLimit + listed.items.length
    const isLast = await endsAt(path, readUpTo, listed)
    // Shorter than we asked for, and not the last: the next page would leave records out.
    if (!isLast && listed.items.length < listLimit) return { kind: 'indeterminate', reason: 'short_page' }
    return { kind: 'page', items, unreadable: listed.items.length - items.length, isLast }
  }

  /** Whether a list has no record after this many. One that does not say how many it has is asked for the next one. */
  async function endsAt(path: string, count: number, { items, total }: { items: unknown[]; total?: number | null | undefined }) {
    if (typeof total === 'number') return count >= total
    if (items.length === 0 || items.length >= listLimit) return items.length === 0
    const next = await call('GET', `${path}?limit=1&offset=${count}`)
    return next.kind === 'answered' && listedIn(next.answer)?.items.length === 0
  }

  async function pushCharge({ reference }: ProviderKey): Promise<PushOutcome> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    // Without a body, the push goes to the phone of the charge, never to another one.
    const result = await call('POST', `/v1/payments/${encodeURIComponent(reference)}/push`)
    if (result.kind !== 'answered') return indeterminate(result)
    if (succeeded(result.answer) !== undefined) return { kind: 'pushed' }
    if (result.answer.status === 400 && /^(invalid_request|VAL_)/.test(codeOf(result.answer))) return { kind: 'not_pending' }
    return indeterminateRecord(result.answer)
  }

  async function quotePayout(amount: number): Promise<PayoutQuote> {
    const result = await call('GET', `/v1/payouts/fee?amount=${amount}`)
    if (result.kind !== 'answered') return indeterminate(result)
    const quoted = quotedFeeOf(succeeded(result.answer))
    return quoted === undefined ? indeterminate(result) : { kind: 'quoted', ...quoted }
  }

  async function readBalance(): Promise<BalanceAnswer> {
    const result = await call('GET', '/v1/payments/balance')
    if (result.kind !== 'answered') return indeterminate(result)
    const amount = balanceOf(succeeded(result.answer))
    return amount === undefined ? indeterminate(result) : { kind: 'balance', amount }
  }

  return { create, find, list, pushCharge, quotePayout, readBalance, close: () => client.close() }
}

function chargeRejection(answer: JsonAnswer) {
  const text = messageOf(answer)
  return isProvenRefusal(answer) ? ({ kind: 'rejected', failure: failureCodeOf(text), text } as const) : undefined
}

function payoutRejection(answer: JsonAnswer) {
  const text = messageOf(answer)
  const isOurFloat = isEmptyFloat(answer)
  if (!isOurFloat && !isProvenRefusal(answer)) return undefined
  return { kind: 'rejected', failure: isOurFloat ? 'provider_error' : payoutFailureCodeOf(text), text, isOurFloat } as const
}

function decode(body: string, isStale: boolean, readCharge: Read<ChargeSnapshot>): WebhookMessage {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return { kind: 'invalid', reason: 'not_json' }
  }
  const envelope = webhookEnvelope.safeParse(parsed)
  if (!envelope.success) return { kind: 'invalid', reason: 'no_envelope' }
  const { id: eventId, type, data } = envelope.data
  const status = impliedStatuses[type]
  if (status !== undefined) {
    const named = { eventId, ...namesOf(data, 'malipo_payment') }
    return messageAbout('charge', named, readCharge(data), [status], isStale)
  }
  const payoutStatus = impliedPayoutStatuses[type]
  if (payoutStatus !== undefined) {
    const named = { eventId, ...namesOf(data, 'malipo_payout') }
    return messageAbout('payout', named, payoutSnapshotOf(data), [payoutStatus], isStale)
  }
  return { kind: 'other', eventId }
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? undefined : value
}

/** The time of a signed message in seconds since 1970; null: the form proves none. Undefined: it is not signed in this form. */
function signedAt(
  form: SnippeSignature,
  headers: WebhookHeaders,
  rawBody: Uint8Array,
  secrets: readonly string[],
): number | null | undefined {
  const isTimed = form === 'timestamp.body'
  const timestamp = header(headers, 'x-webhook-timestamp') ?? ''
  if (isTimed && !/^\d{1,13}$/.test(timestamp)) return undefined
  const signature = header(headers, form === 'x-snippe-signature' ? form : 'x-webhook-signature')?.replace(/^sha256=/i, '')
  const covered = isTimed ? `${timestamp}.` : ''
  if (!isSigned(signature, secrets, (secret) => hmacSha256(secret).update(covered).update(rawBody).digest())) return undefined
  if (!isTimed) return null
  return timestamp.length === 13 ? Number(timestamp) / 1000 : Number(timestamp)
}

export function createSnippe(options: SnippeOptions): Provider {
  const { webhookSecrets, webhookSignature, webhookToleranceSeconds, chargeFeePercent, contactEmail } = options
  const { create, find, list, pushCharge, quotePayout, readBalance, close } = createCalls(options)
  const readCharge: Read<ChargeSnapshot> = (data) => chargeSnapshotOf(data, chargeFeePercent)

  return {
    name: 'snippe',
    chargeFeePercent,

    // A key is remembered for 24 hours; replays stop an hour before. Minimum: from the documentation of payouts.
    capabilities: {
      looksUpOurReference: false,
      replaySeconds: 23 * 3600,
      pushes: true,
      lists: true,
      minimumPayout: 5_000,
      quotesForRecipient: false,
      idsAreContent: false,
    },

    composeCharge: (details) => composeCharge(details, contactEmail),
    charge: (request) => create('/v1/payments', request, readCharge, chargeRejection),
    fetchCharge: (key) => find('/v1/payments', key, readCharge),
    pushCharge,
    listCharges: (page) => list('/v1/payments', page, readCharge),

    composePayout,
    sendPayout: (request) => create('/v1/payouts/send', request, payoutSnapshotOf, payoutRejection),
    fetchPayout: (key) => find('/v1/payouts', key, payoutSnapshotOf),
    listPayouts: (page) => list('/v1/payouts', page, payoutSnapshotOf),
    quotePayout,
    readBalance,

    readWebhook(headers, rawBody, nowMs) {
      const at = signedAt(webhookSignature, headers, rawBody, webhookSecrets)
      if (at === undefined) {
        const matchingForm = snippeSignatures.find((form) => signedAt(form, headers, rawBody, webhookSecrets) !== undefined)
        return { kind: 'invalid', reason: 'signature', ...(matchingForm && { matchingForm }) }
      }
      const isStale = at !== null && Math.abs(nowMs / 1000 - at) > webhookToleranceSeconds
      return decode(Buffer.from(rawBody).toString('utf8'), isStale, readCharge)
    },

    readStoredWebhook: (body) => decode(body, false, readCharge),

    close,
  }
}
