/**
 * Snippe (api.snippe.sh, version 2026-01-25), spoken as its documentation and SDKs have it. Invariant: anything but a documented,
 * well-formed success or refusal is `unknown`; amounts are taken only as whole TZS.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Agent, request } from 'undici'
import { z } from 'zod'
import type {
  ChargeAnswer,
  ChargeOutcome,
  ChargeSnapshot,
  FailureCode,
  ListedPage,
  Network,
  PayoutAnswer,
  PayoutFailureCode,
  PayoutOutcome,
  PayoutQuote,
  PayoutSnapshot,
  Provider,
  ProviderKey,
  ProviderPayoutStatus,
  ProviderRequest,
  ProviderStatus,
  PushOutcome,
  WebhookHeaders,
  WebhookMessage,
} from './provider.ts'

export type SnippeOptions = {
  baseUrl: string
  apiKey: string
  /** The current secret, and during a rotation the one before it. */
  webhookSecrets: string[]
  timeoutMs: number
  maxResponseBytes: number
  connections: number
  webhookToleranceSeconds: number
}

/** The most that a page of a list holds. */
const listLimit = 100

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

/** The events of charges that we act on, with the status that each implies; any other type is news of no consequence. */
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

/** Snippe gives free text only; the first matching pattern decides, and what matches none says no more than that it failed. */
const failurePatterns: [RegExp, FailureCode][] = [
  [/insufficient|not enough|low balance/i, 'insufficient_funds'],
  [/pin.*(wrong|incorrect|invalid)|(wrong|incorrect|invalid) pin/i, 'wrong_pin'],
  [/cancel|declin|reject|not approved/i, 'declined_by_payer'],
  [/time ?out|timed out|no response|unreachable/i, 'prompt_timeout'],
  [/not found|not registered|phone number is invalid|no wallet|inactive|does not exist/i, 'payer_not_found'],
  [/limit/i, 'payer_limit'],
  [/busy|another session|in progress/i, 'payer_busy'],
]

/** The contract's failure code for Snippe's free text. */
export function failureCodeOf(text: string | null): FailureCode {
  return failurePatterns.find(([pattern]) => text !== null && pattern.test(text))?.[1] ?? 'provider_error'
}

const payoutFailurePatterns: [RegExp, PayoutFailureCode][] = [
  [/not found|not registered|phone number is invalid|no wallet|inactive|does not exist/i, 'recipient_not_found'],
  [/limit/i, 'recipient_limit'],
  [/unreachable|time ?out|timed out|unavailable/i, 'network_unavailable'],
]

/** Our words for why a payout failed, from Snippe's free text. */
function payoutFailureCodeOf(text: string | null): PayoutFailureCode {
  return payoutFailurePatterns.find(([pattern]) => text !== null && pattern.test(text))?.[1] ?? 'provider_error'
}

const money = z.union([
  z
    .int()
    .nonnegative()
    .transform((value) => ({ value, currency: null })),
  z.object({ value: z.int().nonnegative(), currency: z.string() }),
])

/** An id of the provider's: no database column holds NUL. */
const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\0]*$/)

const paymentData = z.object({
  reference: name,
  status: z.string(),
  amount: money.nullish(),
  channel: z.object({ provider: z.string().nullish() }).nullish().catch(null),
  settlement: z.object({ fees: money.nullish() }).nullish().catch(null),
  metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  failure_reason: z.string().nullish().catch(null),
  expires_at: z.string().nullish().catch(null),
})

const payoutData = z.object({
  reference: name,
  status: z.string(),
  amount: money.nullish(),
  // The API says `fees`, webhooks say `settlement.fees`.
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

/** Which charge or payout a message is about, as far as even an odd one says. */
function namesOf(
  data: unknown,
  ours: 'malipo_payment' | 'malipo_payout',
): { reference: string | null; ourReference: string | null } {
  const parsed = namesInData.safeParse(data)
  return { reference: parsed.data?.reference ?? null, ourReference: parsed.data?.metadata?.[ours] ?? null }
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
  const ourReference = metadata?.['malipo_payment']
  const mapped = statuses[status] ?? 'unrecognised'
  return {
    reference,
    ourReference: typeof ourReference === 'string' ? ourReference : null,
    status: mapped,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    fee: settlement?.fees?.value ?? null,
    network: networkOf(channel?.provider),
    failure: mapped === 'failed' ? { code: failureCodeOf(text ?? null), text: text?.replaceAll('\0', '') ?? null } : null,
    expiresAt: expires ? dateOf(expires) : null,
  }
}

function payoutSnapshotOf(data: unknown): PayoutSnapshot | undefined {
  const parsed = payoutData.safeParse(data)
  if (!parsed.success) return undefined
  const { reference, status, amount, fees, settlement, channel, metadata, failure_reason: text } = parsed.data
  const ourReference = metadata?.['malipo_payout']
  const mapped = payoutStatuses[status] ?? 'unrecognised'
  return {
    reference,
    ourReference: typeof ourReference === 'string' ? ourReference : null,
    status: mapped,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    fee: fees?.value ?? settlement?.fees?.value ?? null,
    network: networkOf(channel?.provider),
    failure: mapped === 'failed' ? { code: payoutFailureCodeOf(text ?? null), text: text?.replaceAll('\0', '') ?? null } : null,
  }
}

type WireAnswer = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown }
type Call = { kind: 'answered'; answer: WireAnswer } | { kind: 'not_sent'; reason: string } | { kind: 'unknown'; reason: string }

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? undefined : value
}

/** How long a 429 asks us to wait: `X-Ratelimit-Reset` seconds, clamped, because it has been seen missing, zero and absurd. */
function waitOf(headers: WireAnswer['headers']): number {
  const value = Number(headers['x-ratelimit-reset'])
  return Number.isFinite(value) && value > 0 ? Math.min(value, 120) * 1000 : 5_000
}

function codeOf({ body }: WireAnswer): string {
  const refusal = errorEnvelope.safeParse(body)
  return refusal.success ? (refusal.data.error_code ?? '') : ''
}

function messageOf({ body }: WireAnswer): string | null {
  const refusal = errorEnvelope.safeParse(body)
  return (refusal.success ? refusal.data.message : undefined)?.replaceAll('\0', '') ?? null
}

/** The provider's own codes that prove that no charge exists; both of its error dialects. */
const provenRefusals = /^(validation_error|unauthorized|insufficient_scope|forbidden|AUTH_|AUTHZ_|VAL_)/
const authenticationRefusals = /^(unauthorized|insufficient_scope|forbidden|AUTH)/

/** Of the random part of our id, so that the same charge or payout always has the same key. */
function keyOf(kind: 'c' | 'p', reference: string): string {
  const key = `${kind}-${reference.slice(reference.indexOf('_') + 1)}`
  if (Buffer.byteLength(key) > maxKeyBytes) throw new Error(`The idempotency key is longer than ${maxKeyBytes} bytes.`)
  return key
}

export function createSnippe(options: SnippeOptions): Provider {
  const agent = new Agent({
    connections: options.connections,
    pipelining: 1,
    connect: { timeout: Math.min(options.timeoutMs, 5_000) },
  })

  async function call(method: 'GET' | 'POST', path: string, key?: string, body?: string): Promise<Call> {
    // One deadline over connecting, headers and body; undici's own timers only watch for silence.
    const signal = AbortSignal.timeout(options.timeoutMs)
    try {
      const response = await request(`${options.baseUrl}${path}`, {
        dispatcher: agent,
        method,
        signal,
        headers: {
          authorization: `Bearer ${options.apiKey}`,
          'snippe-version': apiVersion,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body }),
      })
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > options.maxResponseBytes) {
          response.body.destroy()
          return { kind: 'unknown', reason: 'answer_too_large' }
        }
        chunks.push(chunk)
      }
      let parsed: unknown
      try {
        parsed = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      } catch {
        parsed = undefined
      }
      return { kind: 'answered', answer: { status: response.statusCode, headers: response.headers, body: parsed } }
    } catch (error) {
      const code = errorCode(error)
      return neverConnected.has(code) ? { kind: 'not_sent', reason: code } : { kind: 'unknown', reason: code }
    }
  }

  function succeeded({ status, body }: WireAnswer): unknown {
    const envelope = status >= 200 && status < 300 ? successEnvelope.safeParse(body) : undefined
    return envelope?.success ? envelope.data.data : undefined
  }

  async function charge({ idempotencyKey, body }: ProviderRequest): Promise<ChargeOutcome> {
    const result = await call('POST', '/v1/payments', idempotencyKey, body)
    if (result.kind !== 'answered') return result
    const { answer } = result
    const snapshot = snapshotOf(succeeded(answer))
    if (snapshot) return { kind: 'accepted', snapshot }
    const code = codeOf(answer)
    if (answer.status === 429 || code === 'rate_limit_exceeded') return { kind: 'retry_later', afterMs: waitOf(answer.headers) }
    // 401 and 403 mean that our key is wrong, not that the payer's money is safe from an earlier call: nothing is concluded.
    if (authenticationRefusals.test(code)) return { kind: 'unknown', reason: code }
    // 422 says that our key was used with another body: a charge may stand behind it.
    if (answer.status === 400 && provenRefusals.test(code)) {
      const text = messageOf(answer)
      return { kind: 'rejected', failure: failureCodeOf(text), text }
    }
    return { kind: 'unknown', reason: code || `http_${answer.status}` }
  }

  async function fetchCharge({ reference }: ProviderKey): Promise<ChargeAnswer> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    const result = await call('GET', `/v1/payments/${encodeURIComponent(reference)}`)
    if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason }
    if (result.answer.status === 404) return { kind: 'not_found' }
    const snapshot = snapshotOf(succeeded(result.answer))
    if (!snapshot || snapshot.reference !== reference) return { kind: 'indeterminate', reason: `http_${result.answer.status}` }
    return { kind: 'found', snapshot }
  }

  async function pushCharge({ reference }: ProviderKey): Promise<PushOutcome> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    // Without a body it goes to the phone of the charge: never to another one.
    const result = await call('POST', `/v1/payments/${encodeURIComponent(reference)}/push`)
    if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason }
    if (succeeded(result.answer) !== undefined) return { kind: 'pushed' }
    const code = codeOf(result.answer)
    if (result.answer.status === 400 && /^(invalid_request|VAL_)/.test(code)) return { kind: 'not_pending' }
    return { kind: 'indeterminate', reason: code || `http_${result.answer.status}` }
  }

  async function list<Snapshot>(
    path: string,
    page: number,
    decodeItem: (item: unknown) => Snapshot | undefined,
  ): Promise<ListedPage<Snapshot>> {
    const result = await call('GET', `${path}?limit=${listLimit}&offset=${page * listLimit}`)
    if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason }
    const listed = listData.safeParse(succeeded(result.answer))
    if (!listed.success) return { kind: 'indeterminate', reason: codeOf(result.answer) || `http_${result.answer.status}` }
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
    const result = await call('POST', '/v1/payouts/send', idempotencyKey, body)
    if (result.kind !== 'answered') return result
    const { answer } = result
    const snapshot = payoutSnapshotOf(succeeded(answer))
    if (snapshot) return { kind: 'accepted', snapshot }
    const code = codeOf(answer)
    const text = messageOf(answer)
    if (answer.status === 429 || code === 'rate_limit_exceeded') return { kind: 'retry_later', afterMs: waitOf(answer.headers) }
    if (authenticationRefusals.test(code)) return { kind: 'unknown', reason: code }
    // An empty account is answered with 500 and must not be retried: it proves that nothing was sent.
    if (code === 'payment_failed' && /insufficient balance/i.test(text ?? '')) {
      return { kind: 'rejected', failure: 'provider_error', text, isOurFloat: true }
    }
    if (answer.status === 400 && provenRefusals.test(code)) {
      return { kind: 'rejected', failure: payoutFailureCodeOf(text), text, isOurFloat: false }
    }
    return { kind: 'unknown', reason: code || `http_${answer.status}` }
  }

  async function fetchPayout({ reference }: ProviderKey): Promise<PayoutAnswer> {
    if (reference === null) return { kind: 'indeterminate', reason: 'no_reference' }
    const result = await call('GET', `/v1/payouts/${encodeURIComponent(reference)}`)
    if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason }
    if (result.answer.status === 404) return { kind: 'not_found' }
    const snapshot = payoutSnapshotOf(succeeded(result.answer))
    if (!snapshot || snapshot.reference !== reference) return { kind: 'indeterminate', reason: `http_${result.answer.status}` }
    return { kind: 'found', snapshot }
  }

  async function quotePayout(amount: number): Promise<PayoutQuote> {
    const result = await call('GET', `/v1/payouts/fee?amount=${amount}`)
    if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason }
    const quote = feeData.safeParse(succeeded(result.answer))
    const fee = quote.success ? (quote.data.fee_amount ?? quote.data.fees?.value) : undefined
    if (fee === undefined || (quote.data?.currency ?? 'TZS') !== 'TZS') {
      return { kind: 'indeterminate', reason: codeOf(result.answer) || `http_${result.answer.status}` }
    }
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
      const snapshot = snapshotOf(data)
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
      const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
      return timingSafeEqual(expected, given)
    })
  }

  return {
    name: 'snippe',

    // A key is remembered for 24 hours; replays stop an hour before. Minimum: the documentation of payouts.
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
    listCharges: (page) => list('/v1/payments', page, snapshotOf),
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

    close: () => agent.close(),
  }
}
