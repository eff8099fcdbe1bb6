/** A merchant's payments as a list and as a file: the filters and the search limit of one answer. */
import { paymentStatusSchema } from '../../domain/payment.ts'
import { networkSchema } from '../../domain/network.ts'
import { z } from 'zod'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db } from '../../platform/db/db.ts'
import { merchantReference, metadata } from '../../platform/http/own-data.ts'
import { wholeNumber, type listQuery } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { searchWords } from '../../platform/http/text.ts'
import { rangeOf, type Cursors, type Page } from '../../platform/http/page.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { findByOwnReference } from './code.sql.ts'
import { findByCode, refuseMistyped } from './find-by-code.ts'
import { totalsToJson, type totalsQuery, type totalsSchema } from '../../platform/http/list-totals.ts'
import {
  countOwnerPayments,
  listOwnerPayments,
  type OwnerPayment,
  type OwnerPaymentFilter,
  type PaymentSearch,
  type PaymentsPlace,
  type PaymentsRange,
} from './owner-payment.sql.ts'
import { partOfPhone, readPhone } from '../../domain/phone.ts'

const amount = wholeNumber(0)

export const paymentFilters = {
  status: paymentStatusSchema.optional(),
  network: networkSchema.optional(),
  payment_page_id: z.string().max(60).optional(),
  payment_request_id: z.string().max(60).optional(),
  merchant_reference: merchantReference.optional().meta({ description: 'Your own order number, whole.' }),
  phone_number: z.string().max(40).optional().meta({ description: 'The whole number of the payer, in any common format.' }),
  metadata: metadata.optional().meta({ description: 'Only payments with these entries: `metadata[order_id]=1001`.' }),
  min_amount: amount.optional(),
  max_amount: amount.optional(),
  q: searchWords.optional().meta({
    description:
      'A reference, a short code or a network receipt (five characters of one are enough), the payer’s number or three digits of it, or part of the name, the e-mail address or your own reference.',
  }),
}

type PaymentQuery = z.infer<z.ZodObject<typeof paymentFilters & typeof listQuery>>

/** How many payments one answer searches when no index fits the filter. */
export const maxSearchedPayments = 100_000

export type ListPaymentsDeps = { db: Db; cursors: Cursors }

/** E.164. */
function phoneOf(query: Pick<PaymentQuery, 'phone_number'>): string | undefined {
  if (query.phone_number === undefined) return undefined
  const phone = readPhone(query.phone_number)
  if (phone.kind !== 'invalid') return phone.e164
  throw invalidFields([{ field: 'phone_number', code: 'phone_invalid', message: 'This is not a Tanzanian phone number.' }])
}

/** How many payments a short code, a receipt or a whole order number may name in one list; more have too short a part in common. */
const maxNamed = 100

/** The id in a filter; refuses with 400 a text that cannot be an id. */
function idOf(
  query: Pick<PaymentQuery, 'payment_page_id' | 'payment_request_id'>,
  field: 'payment_page_id' | 'payment_request_id',
): string | undefined {
  const text = query[field]
  const id = text === undefined ? undefined : fromWire(field === 'payment_page_id' ? 'page' : 'preq', text)
  if (text === undefined || id !== undefined) return id
  throw invalidFields([{ field, code: 'invalid', message: `Not a valid ${field.slice(0, -3).replaceAll('_', ' ')} id.` }])
}

/** All payments that a typed text may mean: by a code or an order number in an index, and by a part of a name, address, number or order number. */
async function searchOf(db: Db, owner: Owner, typed: string): Promise<PaymentSearch> {
  const [byCode, byReference] = await Promise.all([
    findByCode(db, typed, { owner, limit: maxNamed }),
    findByOwnReference(db, owner, typed, maxNamed),
  ])
  const named = [...byCode, ...byReference].map(({ id }) => id)
  const phone = readPhone(typed)
  if (phone.kind !== 'invalid') return { phoneNumber: phone.e164, named }
  const digits = partOfPhone(typed)
  return { text: typed, named, ...(digits !== null && { digits }) }
}

async function typedFilterOf(db: Db, owner: Owner, typed: string): Promise<OwnerPaymentFilter> {
  const id = fromWire('pay', typed)
  return id === undefined ? { search: await searchOf(db, owner, typed) } : { ids: [id] }
}

async function filterOf(db: Db, owner: Owner, query: Omit<PaymentQuery, 'limit' | 'cursor'>): Promise<OwnerPaymentFilter> {
  const filter = {
    status: query.status,
    network: query.network,
    pageId: idOf(query, 'payment_page_id'),
    requestId: idOf(query, 'payment_request_id'),
    minAmount: query.min_amount,
    maxAmount: query.max_amount,
    merchantReference: query.merchant_reference,
    phoneNumber: phoneOf(query),
    metadata: query.metadata,
  }
  return query.q === undefined ? filter : { ...filter, ...(await typedFilterOf(db, owner, query.q)) }
}

function scopeOf({ merchant, environment }: Owner): string {
  return `payments ${merchant.id} ${environment}`
}

const namedShown = 'named shown'

function rangeOfPayments(cursors: Cursors, owner: Owner, query: PaymentQuery): PaymentsRange {
  const scope = scopeOf(owner)
  const areNamedShown = cursors.decode(scope, query.cursor)[2] === namedShown
  return { ...rangeOf(cursors, scope, query), among: maxSearchedPayments, areNamedShown }
}

function cursorOf(cursors: Cursors, owner: Owner, { createdAt, id, areNamedShown }: PaymentsPlace): string {
  return cursors.encode(scopeOf(owner), [createdAt.toISOString(), id, ...(areNamedShown ? [namedShown] : [])])
}

/** One page, newest first. It may hold fewer payments than requested, even none, and still have more after it. */
export async function listPayments(
  { db, cursors }: ListPaymentsDeps,
  owner: Owner,
  query: PaymentQuery,
): Promise<Page<OwnerPayment>> {
  const range = rangeOfPayments(cursors, owner, query)
  const { payments, hasMore, last } = await listOwnerPayments(db, owner, await filterOf(db, owner, query), range)
  if (query.q !== undefined && payments.length === 0 && !hasMore) refuseMistyped(query.q)
  return { items: payments, hasMore, nextCursor: hasMore && last ? cursorOf(cursors, owner, last) : null }
}

type TotalsQuery = Omit<PaymentQuery, 'limit' | 'cursor'> & z.infer<z.ZodObject<typeof totalsQuery>>

/** What the whole filtered list adds up to, as far as one answer searches. */
export async function totalPayments({ db }: { db: Db }, owner: Owner, query: TotalsQuery): Promise<z.infer<typeof totalsSchema>> {
  const { created_from: createdFrom, created_to: createdTo } = query
  const range = { createdFrom, createdTo, among: maxSearchedPayments }
  const { days, after } = await countOwnerPayments(db, owner, await filterOf(db, owner, query), range)
  return totalsToJson(days, after, query.days_to)
}

const exportPageRows = 500

/** The whole filtered list, newest first, read page by page. Refuses a cursor of another list at once. */
export async function exportPayments(
  { db, cursors }: ListPaymentsDeps,
  owner: Owner,
  query: PaymentQuery,
): Promise<AsyncIterable<OwnerPayment[]>> {
  const range = { ...rangeOfPayments(cursors, owner, query), limit: exportPageRows }
  return pagesOf(db, owner, await filterOf(db, owner, query), range)
}

async function* pagesOf(db: Db, owner: Owner, filter: OwnerPaymentFilter, range: PaymentsRange): AsyncGenerator<OwnerPayment[]> {
  for (let { after, areNamedShown } = range, isMore = true; isMore;) {
    const { payments, hasMore, last } = await listOwnerPayments(db, owner, filter, { ...range, after, areNamedShown })
    isMore = hasMore
    if (last) [after, areNamedShown] = [{ createdAt: last.createdAt.toISOString(), id: last.id }, last.areNamedShown]
    yield payments
  }
}

/** How many payments a search may find whose lines are then listed. */
export const maxFoundPayments = 100

/**
 * The ids of the payments that a typed text finds: those that it names by a whole code or order number, and among the newest `among`.
 * Refuses a text that finds too many, or names none and may find others behind those: a list of money must not leave some out.
 */
export async function findPayments(db: Db, owner: Owner, typed: string, among = maxSearchedPayments): Promise<string[]> {
  const range = { limit: maxFoundPayments, among }
  const filter = await typedFilterOf(db, owner, typed)
  const { payments, hasMore } = await listOwnerPayments(db, owner, filter, range)
  if (payments.length === 0) refuseMistyped(typed)
  const isFull = payments.length === maxFoundPayments
  if (hasMore && (isFull || !filter.search?.named?.length)) {
    const message = isFull
      ? `This finds more than ${maxFoundPayments} payments. Enter more of the code, the number or the name.`
      : `This text is searched in the newest ${among.toLocaleString('en')} payments only, and there are more. Enter a whole code, order number or phone number.`
    throw invalidFields([{ field: 'q', code: 'invalid', message }])
  }
  return payments.map(({ id }) => id)
}
