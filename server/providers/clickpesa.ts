/**
 * Adapter for ClickPesa (api.clickpesa.com/third-parties), written from its documentation. It has no idempotency keys: our own id, as its
 * `orderReference`, makes each order unique and is the name for queries. Invariant: anything but a documented, well-formed success or
 * refusal is `unknown`, a repeated reference is never a refusal, and amounts are accepted only as whole TZS.
 *
 * Sources: docs.clickpesa.com, pages api-reference (authorization, collection, disbursement), home/checksum and home/webhooks; for lists
 * api-reference/collection/ussd-push-requests/query-all-payments and api-reference/disbursement/mno-payout/query-all-payouts.
 */
import type { Network } from '../domain/network.ts'
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { systemClock, type Clock } from '../platform/clock.ts'
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
  Trouble,
  WebhookMessage,
} from './provider.ts'

export type ClickPesaOptions = {
  baseUrl: string
  clientId: string
  apiKey: string
  /** The current checksum key, which signs, and during a rotation the previous one. */
  checksumKeys: string[]
  timeoutMs: number
  maxResponseBytes: number
  connections: number
  clock?: Clock
}

/** How long a token is valid if the token itself does not say so. */
const tokenSeconds = 3600
/** A token is exchanged this long before its end, or after nine tenths of a short life, so that no call is in flight when it ends. */
const tokenMarginSeconds = 300

/** Records to request for one page of a list; the documentation names no maximum. */
const listLimit = 100
const listMaxBytes = 2 * 1024 * 1024

const statuses: Record<string, ProviderStatus> = {
  PENDING: 'pending',
  // The status as soon as the prompt is sent: the payer has not answered yet.
  PROCESSING: 'pending',
  SUCCESS: 'completed',
  SETTLED: 'completed',
  FAILED: 'failed',
}

const impliedStatuses: Record<string, ProviderStatus> = {
  'PAYMENT RECEIVED': 'completed',
  'PAYMENT FAILED': 'failed',
}

const payoutStatuses: Record<string, ProviderPayoutStatus> = {
  AUTHORIZED: 'processing',
  PENDING: 'processing',
  PROCESSING: 'processing',
  'ON-HOLD': 'processing',
  SUCCESS: 'completed',
  SETTLED: 'completed',
  FAILED: 'failed',
  // The money came back to our account, at any stage.
  REFUNDED: 'reversed',
  REVERSED: 'reversed',
}

/** The statuses that each payout event may have: `PAYOUT INITIATED` has been seen with SUCCESS in it. */
const impliedPayoutStatuses: Record<string, readonly ProviderPayoutStatus[]> = {
  'PAYOUT INITIATED': ['processing', 'completed'],
  'PAYOUT REFUNDED': ['reversed'],
  'PAYOUT REVERSED': ['reversed'],
}

const networkAliases: [RegExp, Network][] = [
  [/m-?pesa|vodacom/i, 'mpesa'],
  [/airtel/i, 'airtel'],
  [/mixx|tigo|yas/i, 'mixx'],
  [/halo/i, 'halotel'],
]

/** Whole TZS, written as a number or as a string with or without cents; cents other than zero are refused. */
const wholeTzs = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}(\.0{1,2})?$/)
    .transform(Number),
])

/** No column of the database can hold NUL, and no JSON in it half a surrogate pair. */
const text = z.string().transform((value) => value.replaceAll('\0', ''))
const word = z
  .string()
  .max(200)
  .refine((value) => !value.includes('\0') && value.isWellFormed())
const name = word.min(1)

const paymentData = z.object({
  id: name.nullish().catch(null),
  orderReference: name,
  status: z.string(),
  collectedAmount: wholeTzs.nullish(),
  collectedCurrency: word.nullish(),
  // The documentation of webhooks has these two fields instead of the two above.
  amount: wholeTzs.nullish(),
  currency: word.nullish(),
  channel: z.string().nullish().catch(null),
  message: text.nullish().catch(null),
  paymentPhoneNumber: word.nullish().catch(null),
})

const recipientAmount = z.object({ amount: wholeTzs.nullish(), currency: word.nullish().catch(null) }).nullish()

const payoutData = z.object({
  orderReference: name,
  status: z.string(),
  // May include the fee, so the recipient's own amount takes precedence.
  amount: z.unknown(),
  order: recipientAmount,
  beneficiary: recipientAmount,
  currency: word.nullish(),
  fee: wholeTzs.nullish().catch(null),
  channelProvider: z.string().nullish().catch(null),
  message: text.nullish().catch(null),
  notes: text.nullish().catch(null),
})

const tokenData = z.object({ token: z.string().regex(/^(Bearer )?[\x21-\x7e]{1,8000}$/) })
const refusalData = z.object({ message: z.union([text, z.array(text).transform((all) => all.join('; '))]) })
/** An error that names an order: the provider has something, so the error proves nothing. */
const namesAnOrder = z.union([z.object({ id: name }), z.object({ orderReference: name })])
const previewData = z.object({ fee: wholeTzs })
const webhookData = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()), checksum: z.unknown() })
const listData = z.object({ data: z.array(z.unknown()), totalCount: z.int().nonnegative() })
const madeAt = z.object({ createdAt: z.iso.datetime({ offset: true }) })
const namedData = z.object({ orderReference: name.nullish().catch(null) })

/** Our wire id without its underscore: it must be alphanumeric. `ourReferenceOf` is the inverse. */
export function orderReferenceOf(reference: string): string {
  return reference.replace('_', '')
}

/** Our wire id; null if it is no reference of ours. A wire id ends with 26 characters. */
export function ourReferenceOf(orderReference: string): string | null {
  return /^(pay|po)[0-9a-z]{26}$/.test(orderReference) ? `${orderReference.slice(0, -26)}_${orderReference.slice(-26)}` : null
}

const deepest = 32

function sorted(value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new RangeError('nested too deeply')
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item, depth + 1)]))
}

/** The content that a checksum covers: compact JSON, keys sorted at every level, without the checksum itself. */
function canonical(payload: Record<string, unknown>): string {
  const { checksum: _checksum, checksumMethod: _method, ...rest } = payload
  return JSON.stringify(sorted(rest))
}

export function checksumOf(payload: Record<string, unknown>, key: string): string {
  return hmacSha256(key).update(canonical(payload)).digest('hex')
}

function networkOf(channelName: string | null | undefined): Network | null {
  return (channelName && networkAliases.find(([pattern]) => pattern.test(channelName))?.[1]) || null
}

function snapshotOf(data: unknown): (ChargeSnapshot & { id: string | null }) | undefined {
  const parsed = paymentData.safeParse(data)
  if (!parsed.success) return undefined
  const { id, orderReference, status, collectedAmount, amount, collectedCurrency, currency, channel, message } = parsed.data
  const { paymentPhoneNumber: phone } = parsed.data
  const mapped = statuses[status] ?? 'unrecognised'
  const isPaid = mapped === 'completed'
  return {
    id: id ?? null,
    // Queries work only by our reference, and its own ids differ from message to message, so our reference names the charge.
    reference: orderReference,
    ourReference: ourReferenceOf(orderReference),
    status: mapped,
    // Before the payer has paid, nothing is collected: that value is not the amount of the charge.
    amount: isPaid ? (collectedAmount ?? amount ?? null) : null,
    currency: isPaid ? (collectedCurrency ?? currency ?? null) : null,
    fee: null,
    network: networkOf(channel),
    failure: mapped === 'failed' ? { code: failureCodeOf(message ?? null), text: message ?? null } : null,
    expiresAt: null,
    ...(phone && { payerPhone: phone }),
  }
}

/**
 * Combines the entries of one order reference. One paid entry outweighs all unpaid ones. Two paid entries are twice the money: the sum
 * differs from the amount of the charge, so that operators check it.
 */
function combined(entries: unknown[], orderReference: string): ChargeSnapshot | undefined {
  const read = entries.map(snapshotOf)
  const snapshots = read.flatMap((entry) => (entry?.reference === orderReference ? [entry] : []))
  // An unreadable entry might be the paid one.
  if (snapshots.length === 0 || read.includes(undefined)) return undefined
  const paid = snapshots.filter(({ status }) => status === 'completed')
  const different = [...new Map(paid.map((entry, index) => [entry.id ?? `no id ${index}`, entry])).values()]
  const open = snapshots.find(({ status }) => status !== 'failed' && status !== 'completed')
  const { id: _id, ...shown } = different[0] ?? open ?? snapshots[0]!
  if (different.length < 2) return shown
  const amounts = different.map(({ amount }) => amount)
  return { ...shown, amount: amounts.includes(null) ? null : amounts.reduce<number>((sum, one) => sum + one!, 0) }
}

function payoutSnapshotOf(data: unknown): PayoutSnapshot | undefined {
  const parsed = payoutData.safeParse(data)
  if (!parsed.success) return undefined
  const { orderReference, status, order, beneficiary, currency, fee, channelProvider, message, notes } = parsed.data
  const forRecipient = beneficiary?.amount ?? order?.amount
  const whole = forRecipient === null || forRecipient === undefined ? wholeTzs.nullish().safeParse(parsed.data.amount) : undefined
  if (whole && !whole.success) return undefined
  const mapped = payoutStatuses[status] ?? 'unrecognised'
  const why = message ?? notes ?? null
  return {
    reference: orderReference,
    ourReference: ourReferenceOf(orderReference),
    status: mapped,
    amount: forRecipient ?? whole?.data ?? null,
    currency: order?.currency ?? currency ?? null,
    fee: fee ?? null,
    network: networkOf(channelProvider),
    failure: mapped === 'failed' ? { code: payoutFailureCodeOf(why), text: why } : null,
  }
}

/**
 * Its lists show the amount that leaves our account, with or without the fee: without the recipient's amount beside it, it proves
 * nothing.
 */
const listedPayoutOf = (data: unknown): PayoutSnapshot | undefined =>
  payoutSnapshotOf({ ...z.record(z.string(), z.unknown()).safeParse(data).data, amount: null })

const orderOf = (item: unknown): string | undefined => namedData.safeParse(item).data?.orderReference ?? undefined

/** When a listed record was created; null if the record does not say. */
function madeOf(item: unknown): Date | null {
  const made = madeAt.safeParse(item)
  return made.success ? new Date(made.data.createdAt) : null
}

function messageOf({ body }: JsonAnswer): string | null {
  const refusal = refusalData.safeParse(body)
  return refusal.success ? refusal.data.message.slice(0, 500) : null
}

/**
 * What an answer proves about the provider as a whole. A refusal in its own format is about one charge, unless it is about our checksum.
 */
function troubleOf(answer: JsonAnswer): { trouble?: Trouble } {
  const message = messageOf(answer)
  if (answer.status === 401 || answer.status === 403 || /checksum/i.test(message ?? '')) return { trouble: 'credentials' }
  const isRefusalOfOne = answer.status >= 400 && answer.status < 500 && message !== null
  return isRefusalOfOne || answer.status === 429 ? {} : { trouble: 'outage' }
}

/** `Retry-After` in seconds, clamped. */
function waitOf(answer: JsonAnswer): number {
  const value = Number(answer.headers['retry-after'])
  return Number.isFinite(value) && value > 0 ? Math.min(value, 120) * 1000 : 5_000
}

/** A repeated reference proves that something may exist under it: the opposite of a refusal. */
const isAboutTheReference = (message: string | null): boolean => /reference|duplicate|already/i.test(message ?? '')

/** It has no error codes, only texts: these texts mean that the request was invalid, so nothing was started. */
const isAboutTheRequest = (message: string): boolean =>
  /invalid|unsupported|required|must |should |minimum|maximum|at least|at most|insufficient|limit|not enough/i.test(message)

const isSuccess = ({ status }: JsonAnswer): boolean => status >= 200 && status < 300

/** The outcome of a call that failed before it reached its own endpoint. */
type Unreached = { kind: 'unreached'; afterMs: number; reason: string; trouble: Trouble }

/** Makes calls with the account's token, which is exchanged when necessary. */
function createCaller(options: ClickPesaOptions) {
  const { clock = systemClock, timeoutMs } = options
  const client = createJsonClient(options)
  let held: { text: string; untilMs: number } | undefined
  let exchanging: Promise<string | Unreached> | undefined

  async function exchange(): Promise<string | Unreached> {
    const result = await client.call('POST', '/generate-token', {
      headers: { 'client-id': options.clientId, 'api-key': options.apiKey },
      // A call may need two exchanges, and all of it ends by one deadline.
      timeoutMs: timeoutMs / 3,
    })
    const outage = { kind: 'unreached', afterMs: 5_000, trouble: 'outage' } as const
    if (result.kind !== 'answered') return { ...outage, reason: `token_${result.reason}` }
    const { answer } = result
    if (answer.status === 429) return { ...outage, afterMs: waitOf(answer), reason: 'token_rate_limited' }
    const given = isSuccess(answer) ? tokenData.safeParse(answer.body) : undefined
    if (!given?.success) return { ...outage, ...troubleOf(answer), reason: `token_http_${answer.status}` }
    // Tokens have been seen without the word that the documentation puts before them.
    const token = given.data.token.startsWith('Bearer ') ? given.data.token : `Bearer ${given.data.token}`
    held = { text: token, untilMs: clock.now() + usableSeconds(token) * 1000 }
    return token
  }

  /** The lifetime by the token's own claims; with `iat`, if present, the result does not depend on the provider's clock. */
  function usableSeconds(token: string): number {
    let seconds = tokenSeconds
    try {
      const { iat = clock.now() / 1000, exp } = decodeJwt(token.slice('Bearer '.length))
      if (exp !== undefined && exp > iat) seconds = exp - iat
    } catch {
      // A token that is no JWT is valid as long as the documentation says.
    }
    return seconds - Math.min(tokenMarginSeconds, seconds / 10)
  }

  /** The held token, or a new one; one exchange at a time. */
  async function readToken(refused?: string): Promise<string | Unreached> {
    // Another call may already have exchanged the refused token.
    if (held && held.text === refused) held = undefined
    if (held && clock.now() < held.untilMs) return held.text
    exchanging ??= exchange().finally(() => (exchanging = undefined))
    return exchanging
  }

  /**
   * One call with a token. A 401 proves that nothing was started, so the same request is sent again with a new token. One deadline
   * for everything.
   */
  async function call(
    method: JsonMethod,
    path: string,
    { body, maxResponseBytes }: { body?: string; maxResponseBytes?: number } = {},
  ): Promise<JsonCall | Unreached> {
    const startedAt = performance.now()
    const attempt = (token: string): Promise<JsonCall> =>
      client.call(method, path, {
        headers: { authorization: token },
        ...(body !== undefined && { body }),
        ...(maxResponseBytes !== undefined && { maxResponseBytes }),
        timeoutMs: timeoutMs - (performance.now() - startedAt),
      })
    const token = await readToken()
    if (typeof token !== 'string') return token
    const first = await attempt(token)
    if (first.kind !== 'answered' || first.answer.status !== 401) return first
    const renewed = await readToken(token)
    return typeof renewed === 'string' ? attempt(renewed) : first
  }

  return { call, close: () => client.close() }
}

function indeterminate(result: JsonCall | Unreached): { kind: 'indeterminate'; reason: string; trouble?: Trouble } {
  if (result.kind === 'unreached') return { kind: 'indeterminate', reason: result.reason, trouble: result.trouble }
  if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason, trouble: 'outage' }
  return { kind: 'indeterminate', reason: `http_${result.answer.status}`, ...troubleOf(result.answer) }
}

/** The outcome of a create that was not accepted; undefined if the provider refused the request. */
function outcomeOf(
  result: JsonCall | Unreached,
): Extract<ChargeOutcome, { kind: 'retry_later' | 'not_sent' | 'unknown' }> | { kind: 'refused'; text: string | null } {
  // Without a token the request itself was never sent.
  if (result.kind === 'unreached') return { kind: 'retry_later', afterMs: result.afterMs, trouble: result.trouble }
  if (result.kind === 'not_sent') return result
  if (result.kind === 'unknown') return { ...result, trouble: 'outage' }
  const { answer } = result
  const message = messageOf(answer)
  const trouble = troubleOf(answer)
  if (answer.status === 429) return { kind: 'retry_later', afterMs: waitOf(answer) }
  const isRefusal =
    message !== null &&
    isAboutTheRequest(message) &&
    !isAboutTheReference(message) &&
    !namesAnOrder.safeParse(answer.body).success
  if (answer.status === 400 && isRefusal && trouble.trouble === undefined) return { kind: 'refused', text: message }
  return { kind: 'unknown', reason: `http_${answer.status}`, ...trouble }
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
    canonical(parsed as Record<string, unknown>)
    return parsed as Record<string, unknown>
  } catch {
    return undefined
  }
}

function decode(payload: Record<string, unknown>): WebhookMessage {
  const envelope = webhookData.safeParse(payload)
  if (!envelope.success) return { kind: 'invalid', reason: 'no_envelope' }
  const { event, data } = envelope.data
  // Its messages have no ids. The same content is the same message: event, order reference, status and id are all in it.
  const eventId = `cp_${createHash('sha256').update(canonical(payload)).digest('hex')}`
  const orderReference = namedData.safeParse(data).data?.orderReference ?? null
  const named = { reference: orderReference, ourReference: orderReference === null ? null : ourReferenceOf(orderReference) }
  const chargeStatus = impliedStatuses[event]
  if (chargeStatus !== undefined) {
    const doubtful = { kind: 'doubtful', subject: 'charge', eventId, ...named } as const
    const snapshot = orderReference === null ? undefined : combined([data], orderReference)
    if (!snapshot) return { ...doubtful, reason: 'unreadable' }
    return snapshot.status === chargeStatus ? { kind: 'charge', eventId, snapshot } : { ...doubtful, reason: 'contradictory' }
  }
  const possible = impliedPayoutStatuses[event]
  if (possible !== undefined) {
    const doubtful = { kind: 'doubtful', subject: 'payout', eventId, ...named } as const
    const snapshot = payoutSnapshotOf(data)
    if (!snapshot) return { ...doubtful, reason: 'unreadable' }
    return possible.includes(snapshot.status) ? { kind: 'payout', eventId, snapshot } : { ...doubtful, reason: 'contradictory' }
  }
  return { kind: 'other', eventId }
}

type Call = ReturnType<typeof createCaller>['call']

/**
 * A page of a list. Entries with the same order reference are combined, as in a query. A page that is shorter than requested, with more
 * to come, would make the next page start too late: it is no answer.
 */
async function list<Snapshot>(
  call: Call,
  path: string,
  page: number,
  decode: (entries: unknown[], orderReference: string) => Snapshot | undefined,
): Promise<ListedPage<Snapshot>> {
  const skip = page * listLimit
  const query = `sortBy=createdAt&orderBy=DESC&skip=${skip}&limit=${listLimit}`
  const result = await call('GET', `${path}?${query}`, { maxResponseBytes: listMaxBytes })
  if (result.kind !== 'answered') return indeterminate(result)
  const listed = isSuccess(result.answer) ? listData.safeParse(result.answer.body) : undefined
  if (!listed?.success) return indeterminate(result)
  const { data, totalCount } = listed.data
  const isLast = skip + data.length >= totalCount || data.length === 0
  if (!isLast && data.length !== listLimit) return { kind: 'indeterminate', reason: 'short_page' }
  const groups = [...Map.groupBy(data, orderOf)]
  const items = groups.flatMap(([orderReference, entries]) => {
    const snapshot = orderReference === undefined ? undefined : decode(entries, orderReference)
    return snapshot === undefined ? [] : [{ ...snapshot, createdAt: madeOf(entries[0]) }]
  })
  const unnamed = groups.find(([orderReference]) => orderReference === undefined)?.[1].length ?? 0
  const named = groups.length - (unnamed === 0 ? 0 : 1)
  return { kind: 'page', items, unreadable: unnamed + named - items.length, isLast }
}

export function createClickPesa(options: ClickPesaOptions): Provider {
  const { call, close } = createCaller(options)
  const [signingKey] = options.checksumKeys as [string]

  async function charge({ idempotencyKey, body }: ProviderRequest): Promise<ChargeOutcome> {
    const result = await call('POST', '/payments/initiate-ussd-push-request', { body })
    if (result.kind === 'answered' && isSuccess(result.answer)) {
      const snapshot = combined([result.answer.body], idempotencyKey)
      if (snapshot) return { kind: 'accepted', snapshot }
    }
    const outcome = outcomeOf(result)
    if (outcome.kind !== 'refused') return outcome
    return { kind: 'rejected', failure: failureCodeOf(outcome.text), text: outcome.text }
  }

  /** The provider's name of a charge or payout, which queries use. A record that is none of ours has its own reference. */
  const orderNamed = ({ reference, ourReference }: ProviderKey): string => reference ?? orderReferenceOf(ourReference)

  /** The entries under an order reference; `not_found` if the provider answers with its own 404 or with no entries. */
  async function find(path: string, orderReference: string): Promise<unknown[] | 'not_found' | ReturnType<typeof indeterminate>> {
    const result = await call('GET', `${path}/${encodeURIComponent(orderReference)}`)
    if (result.kind !== 'answered') return indeterminate(result)
    const { answer } = result
    // A 404 from a proxy is not the provider's answer.
    if (answer.status === 404 && messageOf(answer) !== null) return 'not_found'
    if (!isSuccess(answer) || typeof answer.body !== 'object' || answer.body === null) return indeterminate(result)
    const entries: unknown[] = Array.isArray(answer.body) ? answer.body : [answer.body]
    return entries.length === 0 ? 'not_found' : entries
  }

  async function fetchCharge(key: ProviderKey): Promise<ChargeAnswer> {
    const orderReference = orderNamed(key)
    const entries = await find('/payments', orderReference)
    if (entries === 'not_found') return { kind: 'not_found' }
    if (!Array.isArray(entries)) return entries
    const snapshot = combined(entries, orderReference)
    return snapshot ? { kind: 'found', snapshot } : { kind: 'indeterminate', reason: 'unreadable', trouble: 'outage' }
  }

  async function sendPayout({ idempotencyKey, body }: ProviderRequest): Promise<PayoutOutcome> {
    const result = await call('POST', '/payouts/create-mobile-money-payout', { body })
    if (result.kind === 'answered' && isSuccess(result.answer)) {
      const snapshot = payoutSnapshotOf(result.answer.body)
      if (snapshot?.reference === idempotencyKey) return { kind: 'accepted', snapshot }
    }
    const outcome = outcomeOf(result)
    if (outcome.kind !== 'refused') return outcome
    const isOurFloat = /insufficient|balance/i.test(outcome.text ?? '')
    const failure = isOurFloat ? 'provider_error' : payoutFailureCodeOf(outcome.text)
    return { kind: 'rejected', failure, text: outcome.text, isOurFloat }
  }

  async function fetchPayout(key: ProviderKey): Promise<PayoutAnswer> {
    const orderReference = orderNamed(key)
    const entries = await find('/payouts', orderReference)
    if (entries === 'not_found') return { kind: 'not_found' }
    if (!Array.isArray(entries)) return entries
    const snapshots = entries.map(payoutSnapshotOf)
    // Several orders under one reference are not expected: it is unknown which one is ours.
    const [snapshot] = snapshots
    if (snapshots.length === 1 && snapshot?.reference === orderReference) return { kind: 'found', snapshot }
    return { kind: 'indeterminate', reason: 'unreadable', trouble: 'outage' }
  }

  async function quotePayout(amount: number, phoneNumber?: string): Promise<PayoutQuote> {
    // Its fees differ by network, and its preview requires the recipient.
    if (phoneNumber === undefined) return { kind: 'indeterminate', reason: 'needs_recipient' }
    const asked = {
      amount,
      currency: 'TZS',
      orderReference: `quote${randomUUID().replaceAll('-', '')}`,
      phoneNumber: phoneNumber.replace('+', ''),
    }
    const result = await call('POST', '/payouts/preview-mobile-money-payout', { body: signed(asked) })
    const preview = result.kind === 'answered' && isSuccess(result.answer) ? previewData.safeParse(result.answer.body) : undefined
    return preview?.success ? { kind: 'quoted', fee: preview.data.fee } : indeterminate(result)
  }

  function signed(payload: Record<string, unknown>): string {
    return JSON.stringify({ ...payload, checksum: checksumOf(payload, signingKey) })
  }

  function isAuthentic(payload: Record<string, unknown>): boolean {
    const { checksum } = payload
    // Buffer.from(…, 'hex') cuts at the first character that is not hex, so the alphabet and the length are checked first.
    if (typeof checksum !== 'string' || !/^[0-9a-f]{64}$/.test(checksum)) return false
    const given = Buffer.from(checksum, 'hex')
    return options.checksumKeys.some((key) => timingSafeEqual(Buffer.from(checksumOf(payload, key), 'hex'), given))
  }

  const notOffered = { kind: 'indeterminate', reason: 'not_offered' } as const

  return {
    name: 'clickpesa',

    capabilities: { looksUpOurReference: true, replaySeconds: 0, pushes: false, lists: true, minimumPayout: 1_000 },

    // The payer's identity is not sent: the API requires only a phone number. The address of its webhooks is set in its dashboard.
    composeCharge(details) {
      const orderReference = orderReferenceOf(details.reference)
      const body = signed({
        amount: String(details.amount),
        currency: 'TZS',
        orderReference,
        phoneNumber: details.phoneNumber.replace('+', ''),
      })
      return { idempotencyKey: orderReference, body }
    },

    composePayout(details) {
      const orderReference = orderReferenceOf(details.reference)
      const body = signed({
        amount: details.amount,
        currency: 'TZS',
        orderReference,
        phoneNumber: details.phoneNumber.replace('+', ''),
      })
      return { idempotencyKey: orderReference, body }
    },

    charge,
    fetchCharge,
    pushCharge: async () => notOffered,
    listCharges: (page) => list(call, '/payments/all', page, combined),
    sendPayout,
    fetchPayout,
    listPayouts: (page) =>
      list(call, '/payouts/all', page, (entries) => (entries.length === 1 ? listedPayoutOf(entries[0]) : undefined)),
    quotePayout,

    readWebhook(_headers, rawBody) {
      const payload = parse(Buffer.from(rawBody).toString('utf8'))
      // The signature is inside the body: a body that is no JSON object has none.
      return payload && isAuthentic(payload) ? decode(payload) : { kind: 'invalid', reason: 'signature' }
    },

    readStoredWebhook(body) {
      const payload = parse(body)
      return payload ? decode(payload) : { kind: 'invalid', reason: 'not_json' }
    },

    close,
  }
}
