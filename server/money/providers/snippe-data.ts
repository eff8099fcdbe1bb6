/** What the bytes of Snippe mean: its records of charges and payouts, its lists, quotes, errors and webhook envelopes. */
import { z } from 'zod'
import type { JsonAnswer, JsonCall } from '../../platform/outbound/json-client.ts'
import { failureCodeOf, mayNameAnOrder, payoutFailureCodeOf, provesRefusal } from './failure-words.ts'
import { currencyCode, name, networkOf, receiptOf, wholeTzs, word } from './provider-fields.ts'
import type { ChargeSnapshot, PayoutSnapshot, ProviderPayoutStatus, ProviderStatus, Trouble } from './provider.ts'

const statuses: Record<string, ProviderStatus> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  voided: 'voided',
  expired: 'expired',
}

const payoutStatuses: Record<string, ProviderPayoutStatus> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  reversed: 'reversed',
}

/** The fields of the metadata that we send, which contain our references. */
type OwnField = 'malipo_payment' | 'malipo_payout'

const money = z.union([
  wholeTzs.transform((value) => ({ value, currency: null })),
  z.object({ value: wholeTzs, currency: currencyCode }),
])

const recordData = z.object({
  reference: name,
  status: z.string(),
  amount: money.nullish(),
  // Beside an amount that is a number alone.
  currency: currencyCode.nullish().catch(null),
  channel: z.object({ provider: z.string().nullish() }).nullish().catch(null),
  settlement: z.object({ fees: money.nullish() }).nullish().catch(null),
  metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  failure_reason: z.string().nullish().catch(null),
})

const paymentData = recordData.extend({
  external_reference: name.nullish().catch(null),
  expires_at: z.string().nullish().catch(null),
  customer: z.object({ phone: word.nullish() }).nullish().catch(null),
})

// The API has `fees`, webhooks have `settlement.fees`.
const payoutData = recordData.extend({ fees: money.nullish().catch(null) })

const records = z.array(z.unknown())
const total = z.int().nonnegative().nullish()

/** Its documentation has `items` and their total; its SDKs have `payments` or `payouts`, or the records alone. */
const listData = z.union([
  records.transform((items) => ({ items, total: undefined })),
  z.object({ items: records, total }),
  z.object({ payments: records, total }).transform(({ payments: items, ...rest }) => ({ items, ...rest })),
  z.object({ payouts: records, total }).transform(({ payouts: items, ...rest }) => ({ items, ...rest })),
])

const madeAt = z.object({ created_at: z.string() })

const feeData = z.object({
  fee_amount: wholeTzs.optional(),
  fees: money.optional(),
  total_amount: wholeTzs.optional().catch(undefined),
  total: money.optional().catch(undefined),
  currency: currencyCode.optional(),
})

/** `available` lacks what is reserved for payouts; the Python SDK reads it flat. */
const balanceData = z.object({ balance: money.optional(), available: money.optional(), available_balance: money.optional() })

const successEnvelope = z.object({
  status: z.union([z.literal('success'), z.int().min(200).max(299), z.undefined()]).optional(),
  data: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
})
const errorEnvelope = z.object({ error_code: z.string().optional(), message: z.string().optional() })
export const webhookEnvelope = z.object({ id: name, type: z.string(), data: z.record(z.string(), z.unknown()) })

const namesInData = z.object({
  reference: name.nullish().catch(null),
  metadata: z
    .object({ malipo_payment: name.nullish().catch(null), malipo_payout: name.nullish().catch(null) })
    .nullish()
    .catch(null),
})

/** The charge or payout that a message is about, as far as even an odd message names it. */
export function namesOf(data: unknown, ours: OwnField): { reference: string | null; ourReference: string | null } {
  const parsed = namesInData.safeParse(data)
  return { reference: parsed.data?.reference ?? null, ourReference: parsed.data?.metadata?.[ours] ?? null }
}

/** Snippe writes nanoseconds; Date reads at most milliseconds, and a time without a zone in the zone of the process. */
function dateOf(text: string): Date | null {
  const date = new Date(text.replace(/(\.\d{3})\d+/, '$1').replace(/^[\d-]+[T ][\d:.]+$/, '$&Z'))
  return Number.isNaN(date.getTime()) ? null : date
}

/** The content of a successful answer. */
export function succeeded({ status, body }: JsonAnswer): unknown {
  const envelope = status >= 200 && status < 300 ? successEnvelope.safeParse(body) : undefined
  return envelope?.success ? envelope.data.data : undefined
}

/** The records of a list, and how many there are in all if it says so; undefined for any other answer. */
export function listedIn(answer: JsonAnswer): { items: unknown[]; total?: number | null | undefined } | undefined {
  const isBare = answer.status === 200 && Array.isArray(answer.body)
  return listData.safeParse(isBare ? answer.body : succeeded(answer)).data
}

/** The fields that charges and payouts have in common. */
function readRecord<Status extends string, Code>(
  { reference, status, amount, currency, channel, metadata, failure_reason: text }: z.infer<typeof recordData>,
  subject: { statuses: Record<string, Status>; ours: OwnField; codeOf: (text: string | null) => Code },
) {
  const mapped: Status | 'unrecognised' = subject.statuses[status] ?? 'unrecognised'
  const given = metadata?.[subject.ours]
  return {
    reference,
    // Without characters that a database cannot store; a foreign reference stays foreign.
    ourReference: typeof given === 'string' ? given.replaceAll('\0', '').toWellFormed().slice(0, 200) : null,
    status: mapped,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? currency ?? null,
    network: networkOf(channel?.provider),
    failure: mapped === 'failed' ? { code: subject.codeOf(text ?? null), text: text?.replaceAll('\0', '') ?? null } : null,
  }
}

/** `feePercent`: its configured fee for a charge; undefined: any fee up to the amount is accepted. */
export function chargeSnapshotOf(data: unknown, feePercent: number | undefined): ChargeSnapshot | undefined {
  const parsed = paymentData.safeParse(data)
  if (!parsed.success) return undefined
  const { settlement, expires_at: expires, external_reference: receipt, customer } = parsed.data
  const record = readRecord(parsed.data, { statuses, ours: 'malipo_payment', codeOf: failureCodeOf })
  return {
    ...record,
    fee: settlement?.fees?.value ?? null,
    expiresAt: expires ? dateOf(expires) : null,
    ...receiptOf(record.status, receipt),
    ...(customer?.phone && { payerPhone: customer.phone }),
    ...(record.amount !== null && feePercent !== undefined && { expectedFee: Math.round((record.amount * feePercent) / 100) }),
  }
}

export function payoutSnapshotOf(data: unknown): PayoutSnapshot | undefined {
  const parsed = payoutData.safeParse(data)
  if (!parsed.success) return undefined
  const { fees, settlement } = parsed.data
  const record = readRecord(parsed.data, { statuses: payoutStatuses, ours: 'malipo_payout', codeOf: payoutFailureCodeOf })
  return { ...record, fee: fees?.value ?? settlement?.fees?.value ?? null }
}

/** When a listed record was created; null if the record does not say. */
export function madeOf(item: unknown): Date | null {
  const made = madeAt.safeParse(item)
  return made.success ? dateOf(made.data.created_at) : null
}

/** The quoted fee of a payout, and what it debits in total, in whole TZS. */
export function quotedFeeOf(data: unknown): { fee: number; total: number | undefined } | undefined {
  const quote = feeData.safeParse(data)
  if (!quote.success || (quote.data.currency ?? 'TZS') !== 'TZS') return undefined
  const fee = quote.data.fee_amount ?? quote.data.fees?.value
  return fee === undefined ? undefined : { fee, total: quote.data.total_amount ?? quote.data.total?.value }
}

export function balanceOf(data: unknown): number | undefined {
  const read = balanceData.safeParse(data)
  const found = read.data?.balance ?? read.data?.available ?? read.data?.available_balance
  return found === undefined || (found.currency ?? 'TZS') !== 'TZS' ? undefined : found.value
}

export function codeOf({ body }: JsonAnswer): string {
  const refusal = errorEnvelope.safeParse(body)
  return refusal.success ? (refusal.data.error_code ?? '') : ''
}

export function messageOf({ body }: JsonAnswer): string | null {
  const refusal = errorEnvelope.safeParse(body)
  return (refusal.success ? refusal.data.message : undefined)?.replaceAll('\0', '') ?? null
}

/** The reference that even an error may name: the provider has something under it, so the error proves nothing. */
export function referenceInError({ body }: JsonAnswer): string | null {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  return namesOf(data, 'malipo_payment').reference
}

/** A 429 about our rate: this call started nothing. One about an order proves nothing. */
export const isRateLimited = (answer: JsonAnswer): boolean => answer.status === 429 && !mayNameAnOrder(messageOf(answer))

/** The provider's own codes of an invalid request, in both of its error dialects. */
const refusedRequests = /^(validation_error$|VAL_)/

/**
 * Whether an error proves that nothing exists. The codes alone do not: they also come with texts about an order in flight, or about our
 * key. 422 means that our key was used with another body: something may exist under it.
 */
export function isProvenRefusal(answer: JsonAnswer): boolean {
  return answer.status === 400 && refusedRequests.test(codeOf(answer)) && provesRefusal(messageOf(answer))
}

/** An empty account of ours is answered with 500 and must not be retried: it proves that nothing was sent. */
export function isEmptyFloat(answer: JsonAnswer): boolean {
  const text = messageOf(answer)
  return (
    answer.status === 500 &&
    codeOf(answer) === 'payment_failed' &&
    /insufficient balance/i.test(text ?? '') &&
    provesRefusal(text)
  )
}

/** Snippe's own codes for an outage of the networks behind it. */
const upstreamOutages = /^(PAY_|INT_)/
const authenticationRefusals = /^(unauthorized|insufficient_scope|forbidden|AUTH)/

/** A 401 with the provider's own code. One without it may be a proxy's. */
export const isRefusedKey = (answer: JsonAnswer): boolean => answer.status === 401 && authenticationRefusals.test(codeOf(answer))

/**
 * What an answer proves about the provider as a whole: a refusal of our API key, or no usable answer. Other refusals are about one
 * charge, and an empty account of ours is no fault of the provider.
 */
export function troubleOf(answer: JsonAnswer): { trouble?: Trouble } {
  const code = codeOf(answer)
  // A 403 without a code is of something in front of the provider, and may be about one body.
  const isOfKey = answer.status === 401 || (answer.status === 403 && code !== '') || authenticationRefusals.test(code)
  if (isOfKey) return { trouble: 'credentials' }
  const isRefusalOfOne = answer.status >= 400 && answer.status < 500 && code !== '' && !upstreamOutages.test(code)
  return isRefusalOfOne || answer.status === 429 || isEmptyFloat(answer) ? {} : { trouble: 'outage' }
}

/** Why an answer is not usable, for the log. */
export const reasonOf = (answer: JsonAnswer): string => codeOf(answer) || `http_${answer.status}`

/** A call without a usable answer, as the outcome of a query. */
export function indeterminate(result: JsonCall): { kind: 'indeterminate'; reason: string; trouble?: Trouble } {
  if (result.kind !== 'answered') return { kind: 'indeterminate', reason: result.reason, trouble: 'outage' }
  return { kind: 'indeterminate', reason: reasonOf(result.answer), ...troubleOf(result.answer) }
}

/** The same for a call about one record: that it belongs to another account (`forbidden`) says nothing about others. */
export function indeterminateRecord(answer: JsonAnswer): ReturnType<typeof indeterminate> {
  return codeOf(answer) === 'forbidden'
    ? { kind: 'indeterminate', reason: reasonOf(answer) }
    : indeterminate({ kind: 'answered', answer })
}
