/**
 * Adapter for ClickPesa (api.clickpesa.com/third-parties), written from its documentation. It has no idempotency keys: our own id, as its
 * `orderReference`, makes each order unique and is the name for queries. Invariant: anything but a documented, well-formed success or
 * refusal is `unknown`, a repeated reference is never a refusal, and amounts are accepted only as whole TZS.
 *
 * Sources: docs.clickpesa.com, pages api-reference (authorization, collection, disbursement), home/checksum, home/webhooks, home/changelog,
 * home/payment-status and home/payout-status; for lists
 * api-reference/collection/ussd-push-requests/query-all-payments and api-reference/disbursement/mno-payout/query-all-payouts.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { JsonCall } from '../../platform/outbound/json-client.ts'
import { createCaller, type ClickPesaCallerOptions, type Unreached } from './clickpesa-caller.ts'
import { canonical, checksumOf } from './clickpesa-checksum.ts'
import {
  balanceData,
  chargeOf,
  isProvenRefusal,
  isRateLimited,
  isSuccess,
  listData,
  listedPayoutOf,
  madeOf,
  maxChargeReference,
  messageOf,
  orderOf,
  orderReferenceOf,
  ourReferenceOf,
  payoutOf,
  previewData,
  troubleOf,
  webhookData,
} from './clickpesa-data.ts'
import { failureCodeOf, payoutFailureCodeOf } from './failure-words.ts'
import { waitOf } from './provider-fields.ts'
import type {
  BalanceAnswer,
  ListedPage,
  PayoutQuote,
  Provider,
  ProviderKey,
  ProviderPayoutStatus,
  ProviderRequest,
  ProviderStatus,
  Trouble,
  WebhookMessage,
  InconclusiveOutcome,
} from './provider.ts'
import { isSigned, messageAbout } from './webhook-message.ts'

export type ClickPesaOptions = ClickPesaCallerOptions & {
  /** The current checksum key, which signs, and during a rotation the previous one. */
  checksumKeys: readonly string[]
  /** Its fee for a charge, in percent: it names none itself. */
  chargeFeePercent?: number | undefined
}

/** Records to request for one page of a list; the documentation names no maximum. */
const listLimit = 100
const listMaxBytes = 2 * 1024 * 1024

/** For the query after a refusal: the call before it may have taken its whole time, and both must end within the claim lease. */
const afterRefusalMs = 5_000

/** The events of charges that we act on, with the status that each implies; any other event is ignored. */
const impliedStatuses: Record<string, ProviderStatus> = {
  'PAYMENT RECEIVED': 'completed',
  'PAYMENT FAILED': 'failed',
}

/** The statuses that each event of a payout may have: `PAYOUT INITIATED` has been seen with SUCCESS in it. */
const impliedPayoutStatuses: Record<string, readonly ProviderPayoutStatus[]> = {
  'PAYOUT INITIATED': ['processing', 'completed'],
  'PAYOUT REFUNDED': ['returned'],
  'PAYOUT REVERSED': ['returned'],
}

function indeterminate(result: JsonCall | Unreached): { kind: 'indeterminate'; reason: string; trouble?: Trouble } {
  if (result.kind === 'unreached') return { kind: 'indeterminate', reason: result.reason, trouble: result.trouble }
  if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason, trouble: 'outage' }
  return { kind: 'indeterminate', reason: `http_${result.answer.status}`, ...troubleOf(result.answer) }
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
  const { events, data } = envelope.data
  // Its messages have no ids. The same content is the same message: event, order reference, status and id are all in it.
  const eventId = `cp_${createHash('sha256').update(canonical(payload)).digest('hex')}`
  const reference = orderOf(data) ?? null
  const named = { eventId, reference, ourReference: reference === null ? null : ourReferenceOf(reference) }
  // A message that names two events contradicts itself.
  const isOne = events.size === 1
  const status = [...events].map((event) => impliedStatuses[event]).find((known) => known !== undefined)
  if (status !== undefined) {
    const snapshot = reference === null ? undefined : chargeOf([data], reference)
    return messageAbout('charge', named, snapshot, isOne ? [status] : [], false)
  }
  const possible = [...events].map((event) => impliedPayoutStatuses[event]).find((known) => known !== undefined)
  if (possible !== undefined) {
    const snapshot = reference === null ? undefined : payoutOf([data], reference)
    return messageAbout('payout', named, snapshot, isOne ? possible : [], false)
  }
  return { kind: 'other', eventId }
}

/** The provider's name of a charge or payout, which queries use. A record that is none of ours has its own reference. */
const orderNamed = ({ reference, ourReference }: ProviderKey): string => reference ?? orderReferenceOf(ourReference)

/** The one charge or payout that the entries under an order reference show; undefined if they cannot be read as one. */
type Read<Snapshot> = (entries: unknown[], orderReference: string) => Snapshot | undefined

/** The calls that charges and payouts have in common, by the path of their records. */
function createCalls(options: ClickPesaOptions) {
  const { call, close } = createCaller(options)

  /** `records`: the path of queries. `rejectionOf`: the rejection for an error that proves that nothing was started. */
  async function create<Snapshot extends { reference: string }, Rejection>(
    path: string,
    records: string,
    { idempotencyKey, body }: ProviderRequest,
    read: Read<Snapshot>,
    rejectionOf: (text: string | null) => Rejection,
  ): Promise<{ kind: 'accepted'; snapshot: Snapshot } | InconclusiveOutcome | Rejection> {
    // Signed again: the key may have been replaced since the request was stored.
    const result = await call('POST', path, { body: signed(JSON.parse(body) as Record<string, unknown>, options.checksumKeys) })
    // Without a token the request itself was never sent.
    if (result.kind === 'unreached') return { kind: 'retry_later', afterMs: result.afterMs, trouble: result.trouble }
    if (result.kind === 'not_sent') return result
    if (result.kind === 'unknown') return { ...result, trouble: 'outage' }
    const { answer } = result
    const snapshot = isSuccess(answer) ? read([answer.body], idempotencyKey) : undefined
    if (snapshot?.reference === idempotencyKey) return { kind: 'accepted', snapshot }
    if (isRateLimited(answer)) return { kind: 'retry_later', afterMs: waitOf(answer, 'retry-after') }
    if (isProvenRefusal(answer)) {
      const refusal = rejectionOf(messageOf(answer))
      // An empty account of ours refuses each order: a second call for each would only use up the provider's limit.
      if ((refusal as { isOurFloat?: true }).isOurFloat) return refusal
      // It has no codes, and a text can mislead: the refusal counts when the provider also says that it has no such order.
      const known = await find(records, { reference: idempotencyKey, ourReference: '' }, read, afterRefusalMs)
      if (known.kind === 'not_found') return refusal
      if (known.kind === 'found') return { kind: 'accepted', snapshot: known.snapshot }
    }
    return { kind: 'unknown', reason: `http_${answer.status}`, ...troubleOf(answer) }
  }

  async function find<Snapshot extends { reference: string }>(
    path: string,
    key: ProviderKey,
    read: Read<Snapshot>,
    withinMs?: number,
  ): Promise<{ kind: 'found'; snapshot: Snapshot } | { kind: 'not_found' } | ReturnType<typeof indeterminate>> {
    const orderReference = orderNamed(key)
    const result = await call('GET', `${path}/${encodeURIComponent(orderReference)}`, withinMs === undefined ? {} : { withinMs })
    if (result.kind !== 'answered') return indeterminate(result)
    const { answer } = result
    // A 404 from a proxy is not the provider's answer.
    if (answer.status === 404 && messageOf(answer) !== null) return { kind: 'not_found' }
    if (!isSuccess(answer) || typeof answer.body !== 'object' || answer.body === null) return indeterminate(result)
    const entries: unknown[] = Array.isArray(answer.body) ? answer.body : [answer.body]
    if (entries.length === 0) return { kind: 'not_found' }
    const snapshot = read(entries, orderReference)
    if (snapshot?.reference === orderReference) return { kind: 'found', snapshot }
    return { kind: 'indeterminate', reason: 'unreadable', trouble: 'outage' }
  }

  /**
   * A page of a list. Entries with the same order reference are combined, as in a query. A page that is shorter than requested, with more
   * to come, would make the next page start too late: it is no answer.
   */
  async function list<Snapshot>(path: string, page: number, read: Read<Snapshot>): Promise<ListedPage<Snapshot>> {
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
      const snapshot = orderReference === undefined ? undefined : read(entries, orderReference)
      return snapshot === undefined ? [] : [{ ...snapshot, createdAt: madeOf(entries[0]) }]
    })
    const unnamed = groups.find(([orderReference]) => orderReference === undefined)?.[1].length ?? 0
    const named = groups.length - (unnamed === 0 ? 0 : 1)
    return { kind: 'page', items, unreadable: unnamed + named - items.length, isLast }
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
    const body = signed(asked, options.checksumKeys)
    const result = await call('POST', '/payouts/preview-mobile-money-payout', { body })
    if (result.kind !== 'answered') return indeterminate(result)
    const { answer } = result
    const preview = isSuccess(answer) ? previewData.safeParse(answer.body) : undefined
    if (preview?.success) return { kind: 'quoted', fee: preview.data.fee }
    return isProvenRefusal(answer) ? { ...payoutRejection(messageOf(answer)), kind: 'refused' } : indeterminate(result)
  }

  async function readBalance(): Promise<BalanceAnswer> {
    const result = await call('GET', '/account/balance')
    const entries =
      result.kind === 'answered' && isSuccess(result.answer) ? balanceData.safeParse(result.answer.body).data : undefined
    const ours = entries?.filter(({ currency }) => currency === 'TZS')
    return ours?.length === 1 ? { kind: 'balance', amount: ours[0]!.balance } : indeterminate(result)
  }

  return { create, find, list, quotePayout, readBalance, close }
}

/** The body of a request, signed with the current key. */
function signed(payload: Record<string, unknown>, [signingKey]: readonly string[]): string {
  return JSON.stringify({ ...payload, checksum: checksumOf(payload, signingKey!) })
}

function chargeRejection(text: string | null) {
  return { kind: 'rejected', failure: failureCodeOf(text), text } as const
}

function payoutRejection(text: string | null) {
  const isOurFloat = /insufficient|balance/i.test(text ?? '')
  return { kind: 'rejected', failure: isOurFloat ? 'provider_error' : payoutFailureCodeOf(text), text, isOurFloat } as const
}

/** A request for an order. `amount`: charges send a string, payouts a number. */
function composed(
  details: { reference: string; phoneNumber: string },
  amount: string | number,
  checksumKeys: readonly string[],
): ProviderRequest {
  const orderReference = orderReferenceOf(details.reference)
  const phoneNumber = details.phoneNumber.replace('+', '')
  return { idempotencyKey: orderReference, body: signed({ amount, currency: 'TZS', orderReference, phoneNumber }, checksumKeys) }
}

export function createClickPesa(options: ClickPesaOptions): Provider {
  const { checksumKeys } = options
  const { create, find, list, quotePayout, readBalance, close } = createCalls(options)
  const notOffered = { kind: 'indeterminate', reason: 'not_offered' } as const

  return {
    name: 'clickpesa',
    chargeFeePercent: options.chargeFeePercent,

    capabilities: {
      looksUpOurReference: true,
      replaySeconds: 0,
      pushes: false,
      lists: true,
      minimumPayout: 1_000,
      quotesForRecipient: true,
      idsAreContent: true,
    },

    // The payer's identity is not sent: the API requires only a phone number. The address of its webhooks is set in its dashboard.
    composeCharge(details) {
      const request = composed(details, String(details.amount), checksumKeys)
      if (request.idempotencyKey.length > maxChargeReference) throw new Error('The reference of the charge is too long.')
      return request
    },
    charge: (request) => create('/payments/initiate-ussd-push-request', '/payments', request, chargeOf, chargeRejection),
    fetchCharge: (key) => find('/payments', key, chargeOf),
    pushCharge: async () => notOffered,
    listCharges: (page) => list('/payments/all', page, chargeOf),

    composePayout: (details) => composed(details, details.amount, checksumKeys),
    sendPayout: (request) => create('/payouts/create-mobile-money-payout', '/payouts', request, payoutOf, payoutRejection),
    fetchPayout: (key) => find('/payouts', key, payoutOf),
    listPayouts: (page) => list('/payouts/all', page, listedPayoutOf),
    quotePayout,
    readBalance,

    readWebhook(_headers, rawBody) {
      const payload = parse(Buffer.from(rawBody).toString('utf8'))
      // The signature is inside the body: a body that is no JSON object has none.
      const isAuthentic =
        payload !== undefined && isSigned(payload.checksum, checksumKeys, (key) => Buffer.from(checksumOf(payload, key), 'hex'))
      return isAuthentic ? decode(payload) : { kind: 'invalid', reason: 'signature' }
    },

    readStoredWebhook(body) {
      const payload = parse(body)
      return payload ? decode(payload) : { kind: 'invalid', reason: 'not_json' }
    },

    close,
  }
}
