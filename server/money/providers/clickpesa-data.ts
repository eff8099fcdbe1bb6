/** What the bytes of ClickPesa mean: its records of charges and payouts, its lists, errors and webhook messages. */
import { z } from 'zod'
import { fromShort, fromWire, toShort, toWire } from '../../platform/ids.ts'
import type { JsonAnswer } from '../../platform/outbound/json-client.ts'
import { failureCodeOf, mayNameAnOrder, payoutFailureCodeOf, provesRefusal } from './failure-words.ts'
import { currencyCode, name, networkOf, receiptOf, wholeTzs, word } from './provider-fields.ts'
import type { ChargeSnapshot, PayoutSnapshot, ProviderPayoutStatus, ProviderStatus, Trouble } from './provider.ts'

/** docs.clickpesa.com, home/payment-status. */
const statuses: Record<string, ProviderStatus> = {
  PENDING: 'pending',
  // The status as soon as the prompt is sent: the payer has not answered yet.
  PROCESSING: 'pending',
  'ON-HOLD': 'processing',
  SUCCESS: 'completed',
  SETTLED: 'completed',
  FAILED: 'failed',
  // The payer has the money back, before or after it was settled to our account.
  REFUNDED: 'failed',
  REVERSED: 'failed',
}

/** docs.clickpesa.com, home/payout-status. */
const payoutStatuses: Record<string, ProviderPayoutStatus> = {
  AUTHORIZED: 'processing',
  PENDING: 'processing',
  PROCESSING: 'processing',
  'ON-HOLD': 'processing',
  SUCCESS: 'completed',
  SETTLED: 'completed',
  FAILED: 'failed',
  // "Payout failed and funds has been returned", due to errors of ClickPesa or of the network.
  REFUNDED: 'returned',
  REVERSED: 'returned',
}

/** No column of the database can hold NUL. */
const text = z.string().transform((value) => value.replaceAll('\0', ''))

const paymentData = z.object({
  id: name.nullish().catch(null),
  orderReference: name,
  status: z.string(),
  collectedAmount: wholeTzs.nullish(),
  collectedCurrency: currencyCode.nullish(),
  // The documentation of webhooks has these two fields instead of the two above.
  amount: wholeTzs.nullish(),
  currency: currencyCode.nullish(),
  channel: z.string().nullish().catch(null),
  message: text.nullish().catch(null),
  paymentReference: word.nullish().catch(null),
  paymentPhoneNumber: word.nullish().catch(null),
})

const recipientAmount = z.object({ amount: wholeTzs.nullish(), currency: currencyCode.nullish().catch(null) }).nullish()

const payoutData = z.object({
  id: name.nullish().catch(null),
  orderReference: name,
  status: z.string(),
  // May include the fee, so the recipient's own amount takes precedence.
  amount: z.unknown(),
  order: recipientAmount,
  beneficiary: recipientAmount,
  currency: currencyCode.nullish(),
  fee: wholeTzs.nullish().catch(null),
  channelProvider: z.string().nullish().catch(null),
  message: text.nullish().catch(null),
  notes: text.nullish().catch(null),
})

export const tokenData = z.object({ token: z.string().regex(/^(Bearer )?[\x21-\x7e]{1,8000}$/) })
const refusalData = z.object({ message: z.union([text, z.array(text).transform((all) => all.join('; '))]) })
/** An error that names an order: the provider has something, so the error proves nothing. */
const namesAnOrder = z.union([z.object({ id: name }), z.object({ orderReference: name })])
export const previewData = z.object({ fee: wholeTzs })
/** One entry for each currency. */
export const balanceData = z.array(z.object({ currency: z.string(), balance: wholeTzs }))
/** Its documentation names the event in `event`, messages that integrators have stored name it in `eventType`. */
export const webhookData = z
  .object({ event: z.string().nullish(), eventType: z.string().nullish(), data: z.record(z.string(), z.unknown()) })
  .transform(({ event, eventType, data }) => ({ data, events: new Set([event, eventType].flatMap((one) => one ?? [])) }))
  .refine(({ events }) => events.size > 0)
export const listData = z.object({ data: z.array(z.unknown()), totalCount: z.int().nonnegative() })
const madeAt = z.object({ createdAt: z.iso.datetime({ offset: true }) })
const namedData = z.object({ orderReference: name.nullish().catch(null) })

/** The longest reference of a charge (docs.clickpesa.com, home/changelog, January 2026). The entry does not name payouts. */
export const maxChargeReference = 20

/**
 * The name of a charge or payout there, which must be alphanumeric: the short form of a payment's id, the wire id of a payout without its
 * underscore. `ourReferenceOf` is the inverse.
 */
export function orderReferenceOf(reference: string): string {
  const paymentId = fromWire('pay', reference)
  return paymentId === undefined ? reference.replace('_', '') : toShort(paymentId)
}

/** Our wire id; null if it is no reference of ours. */
export function ourReferenceOf(orderReference: string): string | null {
  const paymentId = fromShort(orderReference)
  if (paymentId !== undefined) return toWire('pay', paymentId)
  return /^po[0-9a-z]{26}$/.test(orderReference) ? orderReference.replace('po', 'po_') : null
}

/** The order that a message or a listed record is about, as far as even an odd one names it. */
export const orderOf = (data: unknown): string | undefined => namedData.safeParse(data).data?.orderReference ?? undefined

/** One entry under an order reference. */
type Entry<Snapshot> = { id: string | null; snapshot: Snapshot }

function chargeEntryOf(data: unknown): Entry<ChargeSnapshot> | undefined {
  const parsed = paymentData.safeParse(data)
  if (!parsed.success) return undefined
  const { orderReference, status, collectedAmount, amount, collectedCurrency, currency, channel, message } = parsed.data
  const { id = null, paymentPhoneNumber: phone, paymentReference: receipt } = parsed.data
  const mapped = statuses[status] ?? 'unrecognised'
  const isPaid = mapped === 'completed'
  const snapshot: ChargeSnapshot = {
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
    ...receiptOf(mapped, receipt),
    ...(phone && { payerPhone: phone }),
  }
  return { id, snapshot }
}

function payoutEntryOf(data: unknown): Entry<PayoutSnapshot> | undefined {
  const parsed = payoutData.safeParse(data)
  if (!parsed.success) return undefined
  const { id = null, orderReference, status, order, beneficiary, currency, fee, channelProvider, message, notes } = parsed.data
  const forRecipient = beneficiary?.amount ?? order?.amount
  const whole = forRecipient === null || forRecipient === undefined ? wholeTzs.nullish().safeParse(parsed.data.amount) : undefined
  if (whole && !whole.success) return undefined
  const mapped = payoutStatuses[status] ?? 'unrecognised'
  const why = message ?? notes ?? null
  const snapshot: PayoutSnapshot = {
    reference: orderReference,
    ourReference: ourReferenceOf(orderReference),
    status: mapped,
    amount: forRecipient ?? whole?.data ?? null,
    currency: order?.currency ?? currency ?? null,
    fee: fee ?? null,
    network: networkOf(channelProvider),
    failure: mapped === 'failed' || mapped === 'returned' ? { code: payoutFailureCodeOf(why), text: why } : null,
  }
  return { id, snapshot }
}

const ended = new Set(['completed', 'failed', 'returned'])

/**
 * Combines the entries of one order reference. One paid entry outweighs all unpaid ones, and an open one those that have ended. Two paid
 * entries are twice the money: the sum differs from the amount of the order, so that operators check it.
 */
const combined =
  <Snapshot extends { reference: string; status: string; amount: number | null }>(
    entryOf: (data: unknown) => Entry<Snapshot> | undefined,
  ) =>
  (entries: unknown[], orderReference: string): Snapshot | undefined => {
    const read = entries.map(entryOf)
    const all = read.flatMap((entry) => (entry?.snapshot.reference === orderReference ? [entry] : []))
    // An unreadable entry might be the paid one.
    if (all.length === 0 || read.includes(undefined)) return undefined
    const returned = all.filter(({ snapshot }) => snapshot.status === 'returned')
    // The money of an entry comes back after it was paid.
    const isBack = (id: string | null): boolean => id !== null && returned.some((entry) => entry.id === id)
    const completed = all.filter(({ snapshot }) => snapshot.status === 'completed')
    // Its own ids differ from message to message: which paid entry came back is not said.
    if (completed.length > 0 && returned.some(({ id }) => !completed.some((one) => id !== null && one.id === id)))
      return undefined
    const paid = completed.filter(({ id }) => !isBack(id))
    const different = [...new Map(paid.map((entry, index) => [entry.id ?? `no id ${index}`, entry])).values()]
    const open = all.find(({ snapshot }) => !ended.has(snapshot.status))
    const { snapshot } = different[0] ?? open ?? returned[0] ?? all[0]!
    if (different.length < 2) return snapshot
    const amounts = different.flatMap((entry) => entry.snapshot.amount ?? [])
    // An entry does not say how much it paid.
    if (amounts.length < different.length) return undefined
    return { ...snapshot, amount: amounts.reduce((sum, one) => sum + one, 0) }
  }

export const chargeOf = combined(chargeEntryOf)
export const payoutOf = combined(payoutEntryOf)
/**
 * Its lists show the amount that leaves our account, with or without the fee: without the recipient's amount beside it, it proves
 * nothing.
 */
export const listedPayoutOf = combined((data) =>
  payoutEntryOf({ ...z.record(z.string(), z.unknown()).safeParse(data).data, amount: null }),
)

/** When a listed record was created; null if the record does not say. */
export function madeOf(item: unknown): Date | null {
  const made = madeAt.safeParse(item)
  return made.success ? new Date(made.data.createdAt) : null
}

/** The text of an error in the provider's own format; null for any other answer. */
export function messageOf({ body }: JsonAnswer): string | null {
  const refusal = refusalData.safeParse(body)
  return refusal.success ? refusal.data.message.slice(0, 500) : null
}

/**
 * What an answer proves about the provider as a whole. A refusal in its own format is about one charge, unless it is about our checksum.
 */
export function troubleOf(answer: JsonAnswer): { trouble?: Trouble } {
  const message = messageOf(answer)
  // A 403 without a message is of something in front of the provider, and may be about one body.
  const isOfKey = answer.status === 401 || (answer.status === 403 && message !== null) || /checksum/i.test(message ?? '')
  if (isOfKey) return { trouble: 'credentials' }
  const isRefusalOfOne = answer.status >= 400 && answer.status < 500 && message !== null
  return isRefusalOfOne || answer.status === 429 ? {} : { trouble: 'outage' }
}

export const isSuccess = ({ status }: JsonAnswer): boolean => status >= 200 && status < 300

/** A 429 about our rate: this call started nothing. One about an order proves nothing. */
export const isRateLimited = (answer: JsonAnswer): boolean =>
  answer.status === 429 && !mayNameAnOrder(messageOf(answer)) && !namesAnOrder.safeParse(answer.body).success

/** About the form of a reference, not about an order that it has (docs.clickpesa.com, home/changelog, January 2026). */
const isTooLong = /^order reference should be less than or equal to \d+ characters$/i

/** Whether an error proves that nothing was started. It has no error codes, only texts. */
export function isProvenRefusal(answer: JsonAnswer): boolean {
  const text = messageOf(answer)
  return (
    answer.status === 400 &&
    (provesRefusal(text) || isTooLong.test(text ?? '')) &&
    !namesAnOrder.safeParse(answer.body).success &&
    troubleOf(answer).trouble === undefined
  )
}
