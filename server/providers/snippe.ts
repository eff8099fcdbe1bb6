/**
 * Adapter for Snippe (api.snippe.sh, version 2026-01-25), written from its documentation and SDKs. Invariant: anything but a documented,
 * well-formed success or refusal is `unknown`; amounts are accepted only as whole TZS.
 */
import type { Network } from '../domain/network.ts'
import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { createJsonClient, type JsonAnswer, type JsonCall, type JsonMethod } from '../platform/outbound/json-client.ts'
import { hmacSha256 } from '../platform/crypto/keyed.ts'
import { failureCodeOf, payoutFailureCodeOf } from './failure-words.ts'
import type {
  ChargeAnswer,
  ChargeOutcome,
  ChargeSnapshot,
  ListedPage,
  PayoutAnswer,
  PayoutOutcome,
  PayoutQuote,
  PayoutSnapshot,
  Provider,
  ProviderKey,
  ProviderPayoutStatus,
  ProviderRequest,
  ProviderStatus,
  PushOutcome,
  Trouble,
  WebhookHeaders,
  WebhookMessage,
} from './provider.ts'

export type SnippeOptions = {
  baseUrl: string
  apiKey: string
  /** The current secret, and during a rotation the previous one. */
  webhookSecrets: string[]
  timeoutMs: number
  maxResponseBytes: number
  connections: number
  webhookToleranceSeconds: number
  /** Its fee for a charge, in percent; undefined: any fee up to the amount is accepted. */
  chargeFeePercent?: number
}

/** The maximum size of a page of a list. */
const listLimit = 100

/** A page of a list is as long as a hundred charges, which is more than the limit of an answer about one charge. */
const listMaxBytes = 2 * 1024 * 1024

const apiVersion = '2026-01-25'

/** Snippe's limit; a longer key is answered with PAY_001 instead of a clear error. */
export const maxKeyBytes = 30

const statuses: Record<string, ProviderStatus> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  voided: 'voided',
  expired: 'expired',
}

/** The events of charges that we act on, with the status that each implies; any other type is ignored. */
const impliedStatuses: Record<string, ProviderStatus> = {
  'payment.completed': 'completed',
  'payment.failed': 'failed',
  'payment.voided': 'voided',
  'payment.expired': 'expired',
}

const payoutStatuses: Record<string, ProviderPayoutStatus> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  reversed: 'reversed',
}

/** The same for payouts. */
const impliedPayoutStatuses: Record<string, ProviderPayoutStatus> = {
  'payout.completed': 'completed',
  'payout.failed': 'failed',
  'payout.reversed': 'reversed',
}

const networkAliases: [RegExp, Network][] = [
  [/mpesa|m-pesa|vodacom/i, 'mpesa'],
  [/airtel/i, 'airtel'],
  [/mixx|tigo|yas/i, 'mixx'],
  [/halo/i, 'halotel'],
]

/** A text from the provider: no column of the database can hold NUL, and no JSON in it half a surrogate pair. */
const word = z
  .string()
  .max(200)
  .refine((value) => !value.includes('\0') && value.isWellFormed())
const name = word.min(1)

const money = z.union([
  z
    .int()
    .nonnegative()
    .transform((value) => ({ value, currency: null })),
  z.object({ value: z.int().nonnegative(), currency: word }),
])

const paymentData = z.object({
  reference: name,
  status: z.string(),
  amount: money.nullish(),
  channel: z.object({ provider: z.string().nullish() }).nullish().catch(null),
  settlement: z.object({ fees: money.nullish() }).nullish().catch(null),
  metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  failure_reason: z.string().nullish().catch(null),
  external_reference: name.nullish().catch(null),
  expires_at: z.string().nullish().catch(null),
  customer: z.object({ phone: word.nullish() }).nullish().catch(null),
})

const payoutData = z.object({
  reference: name,
  status: z.string(),
  amount: money.nullish(),
  // The API has `fees`, webhooks have `settlement.fees`.
  fees: money.nullish().catch(null),
  settlement: z.object({ fees: money.nullish() }).nullish().catch(null),
  channel: z.object({ provider: z.string().nullish() }).nullish().catch(null),
  metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  failure_reason: z.string().nullish().catch(null),
})

const listData = z.object({ items: z.array(z.unknown()), total: z.int().nonnegative() })

const madeAt = z.object({ created_at: z.string() })

const feeData = z.object({
  fee_amount: z.int().nonnegative().optional(),
  fees: money.optional(),
  currency: z.string().optional(),
})

const successEnvelope = z.object({
  status: z.union([z.literal('success'), z.int(), z.undefined()]).optional(),
  data: z.record(z.string(), z.unknown()),
})
const errorEnvelope = z.object({ error_code: z.string().optional(), message: z.string().optional() })
const webhookEnvelope = z.object({ id: name, type: z.string(), data: z.record(z.string(), z.unknown()) })

const namesInData = z.object({
  reference: name.nullish().catch(null),
  metadata: z
    .object({ malipo_payment: name.nullish().catch(null), malipo_payout: name.nullish().catch(null) })
    .nullish()
    .catch(null),
})

/** The fields of the metadata that we send, which contain our references. */
type OwnField = 'malipo_payment' | 'malipo_payout'

/** The charge or payout that a message is about, as far as even an odd message names it. */
function namesOf(data: unknown, ours: OwnField): { reference: string | null; ourReference: string | null } {
  const parsed = namesInData.safeParse(data)
  return { reference: parsed.data?.reference ?? null, ourReference: parsed.data?.metadata?.[ours] ?? null }
}

/** Our reference in the metadata that we sent, without characters that a database cannot store; a foreign reference stays foreign. */
function nameGivenAlong(metadata: Record<string, unknown> | null | undefined, ours: OwnField): string | null {
  const given = metadata?.[ours]
  return typeof given === 'string' ? given.replaceAll('\0', '').toWellFormed().slice(0, 200) : null
}

function networkOf(channelName: string | null | undefined): Network | null {
  return (channelName && networkAliases.find(([pattern]) => pattern.test(channelName))?.[1]) || null
}

/** Snippe writes nanoseconds; Date reads at most milliseconds. */
function dateOf(text: string): Date | null {
  const date = new Date(text.replace(/(\.\d{3})\d+/, '$1'))
  return Number.isNaN(date.getTime()) ? null : date
}

function snapshotOf(data: unknown): ChargeSnapshot | undefined {
  const parsed = paymentData.safeParse(data)
  if (!parsed.success) return undefined
  const { reference, status, amount, channel, settlement, metadata, failure_reason: text, expires_at: expires } = parsed.data
  const { external_reference: operatorReference } = parsed.data
  const mapped = statuses[status] ?? 'unrecognised'
  return {
    reference,
    ourReference: nameGivenAlong(metadata, 'malipo_payment'),
    status: mapped,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    fee: settlement?.fees?.value ?? null,
    network: networkOf(channel?.provider),
    failure: mapped === 'failed' ? { code: failureCodeOf(text ?? null), text: text?.replaceAll('\0', '') ?? null } : null,
    expiresAt: expires ? dateOf(expires) : null,
    ...(operatorReference && { operatorReference }),
    ...(parsed.data.customer?.phone && { payerPhone: parsed.data.customer.phone }),
  }
}

function payoutSnapshotOf(data: unknown): PayoutSnapshot | undefined {
  const parsed = payoutData.safeParse(data)
  if (!parsed.success) return undefined
  const { reference, status, amount, fees, settlement, channel, metadata, failure_reason: text } = parsed.data
  const mapped = payoutStatuses[status] ?? 'unrecognised'
  return {
    reference,
    ourReference: nameGivenAlong(metadata, 'malipo_payout'),
    status: mapped,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    fee: fees?.value ?? settlement?.fees?.value ?? null,
    network: networkOf(channel?.provider),
    failure: mapped === 'failed' ? { code: payoutFailureCodeOf(text ?? null), text: text?.replaceAll('\0', '') ?? null } : null,
  }
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? undefined : value
}

/** How long a 429 asks us to wait: `X-Ratelimit-Reset` seconds, clamped, because missing, zero and absurd values have been seen. */
function waitOf(headers: JsonAnswer['headers']): number {
  const value = Number(headers['x-ratelimit-reset'])
  return Number.isFinite(value) && value > 0 ? Math.min(value, 120) * 1000 : 5_000
}

function codeOf({ body }: JsonAnswer): string {
  const refusal = errorEnvelope.safeParse(body)
  return refusal.success ? (refusal.data.error_code ?? '') : ''
}

function messageOf({ body }: JsonAnswer): string | null {
  const refusal = errorEnvelope.safeParse(body)
  return (refusal.success ? refusal.data.message : undefined)?.replaceAll('\0', '') ?? null
}

/** The reference that even an error may name: the provider has something under it, so the error proves nothing. */
function referenceInError({ body }: JsonAnswer): string | null {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  return namesOf(data, 'malipo_payment').reference
}

/** The provider's own codes that prove that no charge exists, in both of its error dialects. */
const provenRefusals = /^(validation_error|unauthorized|insufficient_scope|forbidden|AUTH_|AUTHZ_|VAL_)/
/** A repeated key with another body: something may exist under it, for any code of the refusal. */
const isAboutOurKey = (message: string | null): boolean => /idempotency/i.test(message ?? '')

/** Snippe's own codes for an outage of the networks behind it. */
const upstreamOutages = /^(PAY_|INT_)/
const authenticationRefusals = /^(unauthorized|insufficient_scope|forbidden|AUTH)/

/**
 * What an answer proves about the provider as a whole: a refusal of our API key, or no usable answer. Other refusals are about one
 * charge.
 */
function troubleOf(answer: JsonAnswer): { trouble?: Trouble } {
  const code = codeOf(answer)
  if (answer.status === 401 || answer.status === 403 || authenticationRefusals.test(code)) return { trouble: 'credentials' }
  const isRefusalOfOne = answer.status >= 400 && answer.status < 500 && code !== '' && !upstreamOutages.test(code)
  return isRefusalOfOne || answer.status === 429 ? {} : { trouble: 'outage' }
}

/** A call without a usable answer, as the outcome of a query. */
function indeterminate(result: JsonCall): {
  kind: 'indeterminate'
  reason: string
  trouble?: Trouble
} {
  if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason, trouble: 'outage' }
  const { answer } = result
  return { kind: 'indeterminate', reason: codeOf(answer) || `http_${answer.status}`, ...troubleOf(answer) }
}

/** Made from the random part of our id, so that the same charge or payout always has the same key. */
function keyOf(kind: 'c' | 'p', reference: string): string {
  const key = `${kind}-${reference.slice(reference.indexOf('_') + 1)}`
  if (Buffer.byteLength(key) > maxKeyBytes) throw new Error(`The idempotency key is longer than ${maxKeyBytes} bytes.`)
  return key
}

export function createSnippe(options: SnippeOptions): Provider {
  const { chargeFeePercent } = options

  function chargeOf(data: unknown): ChargeSnapshot | undefined {
    const snapshot = snapshotOf(data)
    if (!snapshot || snapshot.amount === null || chargeFeePercent === undefined) return snapshot
    return { ...snapshot, expectedFee: Math.round((snapshot.amount * chargeFeePercent) / 100) }
  }

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

  function succeeded({ status, body }: JsonAnswer): unknown {
    const envelope = status >= 200 && status < 300 ? successEnvelope.safeParse(body) : undefined
    return envelope?.success ? envelope.data.data : undefined
  }

  async function charge({ idempotencyKey, body }: ProviderRequest): Promise<ChargeOutcome> {
    const result = await call('POST', '/v1/payments', { key: idempotencyKey, body })
    if (result.kind === 'unknown') return { ...result, trouble: 'outage' }
    if (result.kind === 'not_sent') return result
    const { answer } = result
    const snapshot = chargeOf(succeeded(answer))
    if (snapshot) return { kind: 'accepted', snapshot }
    const code = codeOf(answer)
    const reference = referenceInError(answer)
    if (reference !== null) return { kind: 'unknown', reason: code || `http_${answer.status}`, reference, ...troubleOf(answer) }
    if (answer.status === 429 || code === 'rate_limit_exceeded') return { kind: 'retry_later', afterMs: waitOf(answer.headers) }
    // 401 and 403 mean that our API key is wrong; they do not prove that an earlier call moved no money: nothing is concluded.
    if (troubleOf(answer).trouble === 'credentials')
      return { kind: 'unknown', reason: code || `http_${answer.status}`, trouble: 'credentials' }
    // 422 means that our key was used with another body: a charge may exist under it.
    const text = messageOf(answer)
    if (answer.status === 400 && provenRefusals.test(code) && !isAboutOurKey(text)) {
      return { kind: 'rejected', failure: failureCodeOf(text), text }
    }
    return { kind: 'unknown', reason: code || `http_${answer.status}`, ...troubleOf(answer) }
  }

  async function fetchCharge({ reference }: ProviderKey): Promise<ChargeAnswer> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    const result = await call('GET', `/v1/payments/${encodeURIComponent(reference)}`)
    if (result.kind !== 'answered') return indeterminate(result)
    if (result.answer.status === 404) return { kind: 'not_found' }
    const snapshot = chargeOf(succeeded(result.answer))
    if (!snapshot || snapshot.reference !== reference) return indeterminate(result)
    return { kind: 'found', snapshot }
  }

  async function pushCharge({ reference }: ProviderKey): Promise<PushOutcome> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    // Without a body, the push goes to the phone of the charge, never to another one.
    const result = await call('POST', `/v1/payments/${encodeURIComponent(reference)}/push`)
    if (result.kind !== 'answered') return indeterminate(result)
    if (succeeded(result.answer) !== undefined) return { kind: 'pushed' }
    const code = codeOf(result.answer)
    if (result.answer.status === 400 && /^(invalid_request|VAL_)/.test(code)) return { kind: 'not_pending' }
    // Here `forbidden` means that the charge belongs to another account, not that our key is refused.
    return code === 'forbidden' ? { kind: 'indeterminate', reason: code } : indeterminate(result)
  }

  async function list<Snapshot>(
    path: string,
    page: number,
    decodeItem: (item: unknown) => Snapshot | undefined,
  ): Promise<ListedPage<Snapshot>> {
    const result = await call('GET', `${path}?limit=${listLimit}&offset=${page * listLimit}`, {
      maxBytes: listMaxBytes,
    })
    if (result.kind !== 'answered') return indeterminate(result)
    const listed = listData.safeParse(succeeded(result.answer))
    if (!listed.success) return indeterminate(result)
    const items = listed.data.items.flatMap((item) => {
      const snapshot = decodeItem(item)
      const made = madeAt.safeParse(item)
      return snapshot ? [{ ...snapshot, createdAt: made.success ? dateOf(made.data.created_at) : null }] : []
    })
    const unreadable = listed.data.items.length - items.length
    return {
      kind: 'page',
      items,
      unreadable,
      isLast: (page + 1) * listLimit >= listed.data.total || listed.data.items.length === 0,
    }
  }

  async function sendPayout({ idempotencyKey, body }: ProviderRequest): Promise<PayoutOutcome> {
    const result = await call('POST', '/v1/payouts/send', { key: idempotencyKey, body })
    if (result.kind === 'unknown') return { ...result, trouble: 'outage' }
    if (result.kind === 'not_sent') return result
    const { answer } = result
    const snapshot = payoutSnapshotOf(succeeded(answer))
    if (snapshot) return { kind: 'accepted', snapshot }
    const code = codeOf(answer)
    const text = messageOf(answer)
    const reference = referenceInError(answer)
    if (reference !== null) return { kind: 'unknown', reason: code || `http_${answer.status}`, reference, ...troubleOf(answer) }
    if (answer.status === 429 || code === 'rate_limit_exceeded') return { kind: 'retry_later', afterMs: waitOf(answer.headers) }
    if (troubleOf(answer).trouble === 'credentials')
      return { kind: 'unknown', reason: code || `http_${answer.status}`, trouble: 'credentials' }
    // An empty account is answered with 500 and must not be retried: it proves that nothing was sent.
    if (code === 'payment_failed' && /insufficient balance/i.test(text ?? '')) {
      return { kind: 'rejected', failure: 'provider_error', text, isOurFloat: true }
    }
    if (answer.status === 400 && provenRefusals.test(code) && !isAboutOurKey(text)) {
      return { kind: 'rejected', failure: payoutFailureCodeOf(text), text, isOurFloat: false }
    }
    return { kind: 'unknown', reason: code || `http_${answer.status}`, ...troubleOf(answer) }
  }

  async function fetchPayout({ reference }: ProviderKey): Promise<PayoutAnswer> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    const result = await call('GET', `/v1/payouts/${encodeURIComponent(reference)}`)
    if (result.kind !== 'answered') return indeterminate(result)
    if (result.answer.status === 404) return { kind: 'not_found' }
    const snapshot = payoutSnapshotOf(succeeded(result.answer))
    if (!snapshot || snapshot.reference !== reference) return indeterminate(result)
    return { kind: 'found', snapshot }
  }

  async function quotePayout(amount: number): Promise<PayoutQuote> {
    const result = await call('GET', `/v1/payouts/fee?amount=${amount}`)
    if (result.kind !== 'answered') return indeterminate(result)
    const quote = feeData.safeParse(succeeded(result.answer))
    const fee = quote.success ? (quote.data.fee_amount ?? quote.data.fees?.value) : undefined
    if (fee === undefined || (quote.data?.currency ?? 'TZS') !== 'TZS') return indeterminate(result)
    return { kind: 'quoted', fee }
  }

  function decode(body: string, isStale: boolean): WebhookMessage {
    let parsed: unknown
    try {
      parsed = JSON.parse(body)
    } catch {
      return { kind: 'invalid', reason: 'not_json' }
    }
    const envelope = webhookEnvelope.safeParse(parsed)
    if (!envelope.success) return { kind: 'invalid', reason: 'no_envelope' }
    const { id: eventId, type, data } = envelope.data
    const chargeStatus = impliedStatuses[type]
    const payoutStatus = impliedPayoutStatuses[type]
    if (chargeStatus !== undefined) {
      const snapshot = chargeOf(data)
      const doubtful = { kind: 'doubtful', subject: 'charge', eventId, ...namesOf(data, 'malipo_payment') } as const
      if (!snapshot) return { ...doubtful, reason: 'unreadable' }
      if (snapshot.status !== chargeStatus) return { ...doubtful, reason: 'contradictory' }
      return isStale ? { ...doubtful, reason: 'stale' } : { kind: 'charge', eventId, snapshot }
    }
    if (payoutStatus !== undefined) {
      const snapshot = payoutSnapshotOf(data)
      const doubtful = { kind: 'doubtful', subject: 'payout', eventId, ...namesOf(data, 'malipo_payout') } as const
      if (!snapshot) return { ...doubtful, reason: 'unreadable' }
      if (snapshot.status !== payoutStatus) return { ...doubtful, reason: 'contradictory' }
      return isStale ? { ...doubtful, reason: 'stale' } : { kind: 'payout', eventId, snapshot }
    }
    return { kind: 'other', eventId }
  }

  function isSigned(signature: string, timestamp: string, rawBody: Uint8Array): boolean {
    // Buffer.from(…, 'hex') cuts at the first character that is not hex, so the alphabet and the length are checked first.
    if (!/^[0-9a-f]{64}$/.test(signature)) return false
    const given = Buffer.from(signature, 'hex')
    return options.webhookSecrets.some((secret) => {
      const expected = hmacSha256(secret).update(`${timestamp}.`).update(rawBody).digest()
      return timingSafeEqual(expected, given)
    })
  }

  return {
    name: 'snippe',

    // A key is remembered for 24 hours; replays stop an hour before. Minimum: from the documentation of payouts.
    capabilities: {
      looksUpOurReference: false,
      replaySeconds: 23 * 3600,
      pushes: true,
      lists: true,
      minimumPayout: 5_000,
    },

    composeCharge(details) {
      const [firstname = '', ...rest] = details.customerName.trim().split(/\s+/)
      const body = JSON.stringify({
        payment_type: 'mobile',
        details: { amount: details.amount, currency: 'TZS' },
        phone_number: details.phoneNumber.replace('+', ''),
        // Snippe requires both names; many payers have one.
        customer: { firstname, lastname: rest.join(' ') || firstname, email: details.customerEmail },
        webhook_url: details.callbackUrl,
        // There is no field for our own reference on create; metadata is echoed in webhooks and lists.
        metadata: { malipo_payment: details.reference },
      })
      return { idempotencyKey: keyOf('c', details.reference), body }
    },

    composePayout(details) {
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
    },

    charge,
    fetchCharge,
    pushCharge,
    listCharges: (page) => list('/v1/payments', page, chargeOf),
    sendPayout,
    fetchPayout,
    listPayouts: (page) => list('/v1/payouts', page, payoutSnapshotOf),
    quotePayout,

    readWebhook(headers, rawBody, nowMs) {
      const timestamp = header(headers, 'x-webhook-timestamp') ?? ''
      const signature = (header(headers, 'x-webhook-signature') ?? '').replace(/^sha256=/, '')
      if (!/^\d{1,13}$/.test(timestamp) || !isSigned(signature, timestamp, rawBody))
        return { kind: 'invalid', reason: 'signature' }
      const ageSeconds = Math.abs(nowMs / 1000 - (timestamp.length === 13 ? Number(timestamp) / 1000 : Number(timestamp)))
      return decode(Buffer.from(rawBody).toString('utf8'), ageSeconds > options.webhookToleranceSeconds)
    },

    readStoredWebhook: (body) => decode(body, false),

    close: () => client.close(),
  }
}
