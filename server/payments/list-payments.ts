/** A merchant's payments as a list and as a file: the filters and the search limit of one answer. */
import { paymentStatusSchema } from '../domain/payment.ts'
import { networkSchema } from '../domain/network.ts'
import { z } from 'zod'
import type { Owner } from '../identity/merchant.ts'
import type { Db } from '../platform/db/db.ts'
import { merchantReference, metadata } from '../platform/http/own-data.ts'
import { wholeNumber, type listQuery } from '../platform/http/http.ts'
import { fromWire } from '../platform/ids.ts'
import { searchWords } from '../platform/http/text.ts'
import { rangeOf, type Cursors, type ListRange, type Page } from '../platform/http/page.ts'
import { invalidFields } from '../platform/refusal.ts'
import { findByCode, refuseMistyped } from './find-by-code.ts'
import { listOwnerPayments, type OwnerPayment, type OwnerPaymentFilter } from './owner-payment.sql.ts'
import { readPhone } from '../domain/phone.ts'

const amount = wholeNumber(0)

export const paymentFilters = {
  status: paymentStatusSchema.optional(),
  network: networkSchema.optional(),
  payment_page_id: z.string().max(60).optional(),
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
function phoneOf(query: PaymentQuery): string | undefined {
  if (query.phone_number === undefined) return undefined
  const phone = readPhone(query.phone_number)
  if (phone.kind !== 'invalid') return phone.e164
  throw invalidFields([{ field: 'phone_number', code: 'phone_invalid', message: 'This is not a Tanzanian phone number.' }])
}

/** How many payments a short code or a receipt may name in one list; more have too short a part in common. */
const maxNamed = 100

async function filterOf(db: Db, owner: Owner, query: PaymentQuery): Promise<OwnerPaymentFilter> {
  const pageId = query.payment_page_id === undefined ? undefined : fromWire('page', query.payment_page_id)
  if (query.payment_page_id !== undefined && pageId === undefined) {
    throw invalidFields([{ field: 'payment_page_id', code: 'invalid', message: 'Not a valid payment page id.' }])
  }
  const filter = {
    status: query.status,
    network: query.network,
    pageId,
    minAmount: query.min_amount,
    maxAmount: query.max_amount,
    merchantReference: query.merchant_reference,
    phoneNumber: phoneOf(query),
    metadata: query.metadata,
  }
  if (query.q === undefined) return filter
  const id = fromWire('pay', query.q)
  if (id !== undefined) return { ...filter, ids: [id] }
  const named = (await findByCode(db, query.q, { owner, limit: maxNamed })).map((found) => found.id)
  // Such a text is a code, and no name or phone number.
  if (named.length > 0 && /\d/.test(query.q) && /[a-z]/i.test(query.q)) return { ...filter, ids: named }
  const phone = readPhone(query.q)
  if (phone.kind !== 'invalid' && named.length === 0 && filter.phoneNumber === undefined) {
    return { ...filter, phoneNumber: phone.e164 }
  }
  // A dialled number starts with a zero that is not stored.
  const digits = query.q.replace(/[\s().+-]/g, '').replace(/^0(?=\d{3})/, '')
  return { ...filter, text: query.q, alsoIds: named, ...(/^\d{3,}$/.test(digits) && { digits }) }
}

function scopeOf({ merchant, environment }: Owner): string {
  return `payments ${merchant.id} ${environment}`
}

/** One page, newest first. It may hold fewer payments than requested, even none, and still have more after it. */
export async function listPayments(
  { db, cursors }: ListPaymentsDeps,
  owner: Owner,
  query: PaymentQuery,
): Promise<Page<OwnerPayment>> {
  const scope = scopeOf(owner)
  const range = { ...rangeOf(cursors, scope, query), among: maxSearchedPayments }
  const { payments, hasMore, last } = await listOwnerPayments(db, owner, await filterOf(db, owner, query), range)
  if (query.q !== undefined && payments.length === 0 && !hasMore) refuseMistyped(query.q)
  const nextCursor = hasMore && last ? cursors.encode(scope, [last.createdAt.toISOString(), last.id]) : null
  return { items: payments, hasMore, nextCursor }
}

const exportPageRows = 500

/** The whole filtered list, newest first, read page by page. Refuses a cursor of another list at once. */
export async function exportPayments(
  { db, cursors }: ListPaymentsDeps,
  owner: Owner,
  query: PaymentQuery,
): Promise<AsyncIterable<OwnerPayment[]>> {
  const range = { ...rangeOf(cursors, scopeOf(owner), query), limit: exportPageRows }
  return pagesOf(db, owner, await filterOf(db, owner, query), range)
}

async function* pagesOf(db: Db, owner: Owner, filter: OwnerPaymentFilter, range: ListRange): AsyncGenerator<OwnerPayment[]> {
  for (let { after } = range, isMore = true; isMore;) {
    const page = await listOwnerPayments(db, owner, filter, { ...range, after, among: maxSearchedPayments })
    isMore = page.hasMore
    if (page.last) after = { createdAt: page.last.createdAt.toISOString(), id: page.last.id }
    yield page.payments
  }
}
