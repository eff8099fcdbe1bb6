/** A merchant's payouts as a list and as a file: the filters, what a typed text finds, and the search limit of one answer. */
import { z } from 'zod'
import { payoutStatuses, payoutStatusSchema, refundStatusSchema } from '../../domain/payout.ts'
import { partOfPhone, readPhone } from '../../domain/phone.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db } from '../../platform/db/db.ts'
import type { listQuery } from '../../platform/http/http.ts'
import { rangeOf, type Cursors, type ListRange, type Page } from '../../platform/http/page.ts'
import { totalsToJson, type totalsQuery, type totalsSchema } from '../../platform/http/list-totals.ts'
import { referenceNamed } from '../../platform/http/own-data.ts'
import { lineOfText, searchWords } from '../../platform/http/text.ts'
import { fromWire, wirePattern } from '../../platform/ids.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { payoutToJson, type Payout } from './payout.ts'
import { countPayouts, listPayouts, type PayoutFilter } from './payout.sql.ts'
import { refundStatusOf } from './refund.ts'

export const payoutFilters = {
  status: payoutStatusSchema.optional(),
  merchant_reference: lineOfText(100).optional().meta({ description: 'Your own reference, whole.' }),
  reference: lineOfText(100).optional().meta({ description: 'The older name of `merchant_reference`.' }),
  q: searchWords.optional().meta({
    description:
      'The id of a payout or of its batch, the recipient’s number or three digits of it, or part of the recipient’s name or of your own reference.',
  }),
}

type PayoutQuery = z.infer<z.ZodObject<typeof payoutFilters & typeof listQuery>>

/** How many payouts one answer searches for a typed text. */
export const maxSearchedPayouts = 100_000

export type ListPayoutsDeps = { db: Db; cursors: Cursors }

/** The payouts that a typed text may mean. */
export function typedFilterOf(typed: string): PayoutFilter {
  const id = fromWire('po', typed)
  if (id !== undefined) return { id }
  const batchId = fromWire('pb', typed)
  if (batchId !== undefined) return { batchId }
  const phone = readPhone(typed)
  if (phone.kind !== 'invalid') return { phoneNumber: phone.e164 }
  return { text: typed, digits: partOfPhone(typed) }
}

function filterOf(query: Pick<PayoutQuery, keyof typeof payoutFilters>): PayoutFilter {
  const { status, q } = query
  return { ...(status && { statuses: [status] }), reference: referenceNamed(query), ...(q !== undefined && typedFilterOf(q)) }
}

const scopeOf = ({ merchant, environment }: Owner): string => `payouts ${merchant.id} ${environment}`

type RangeQuery = z.infer<z.ZodObject<typeof listQuery>>

/** One page, newest first. With a text it may hold fewer payouts than requested, even none, and still have more after it. */
async function pageOf(
  { db, cursors }: ListPayoutsDeps,
  owner: Owner,
  scope: string,
  filter: PayoutFilter,
  query: RangeQuery,
): Promise<Page<Payout>> {
  const range = { ...rangeOf(cursors, scope, query), among: maxSearchedPayouts }
  const { payouts, hasMore, last } = await listPayouts(db, owner, filter, range)
  const nextCursor = hasMore ? cursors.encode(scope, [last!.createdAt.toISOString(), last!.id]) : null
  return { items: payouts, hasMore, nextCursor }
}

export async function listOwnPayouts(deps: ListPayoutsDeps, owner: Owner, query: PayoutQuery): Promise<Page<Payout>> {
  return pageOf(deps, owner, scopeOf(owner), filterOf(query), query)
}

export const refundFilters = {
  status: refundStatusSchema.optional(),
  payment: z
    .string()
    .max(60)
    .optional()
    .meta({ description: 'The reference of the payment.', ...wirePattern('pay') }),
  merchant_reference: lineOfText(100).optional().meta({ description: 'Your own reference, whole.' }),
  q: searchWords.optional().meta({
    description:
      'The id of a refund, the reference of its payment, the payer’s number or three digits of it, or part of the payer’s name or of your own reference.',
  }),
}

type RefundQuery = z.infer<z.ZodObject<typeof refundFilters & typeof listQuery>>

/** The refunds that a typed text may mean. */
function typedRefundOf(typed: string): PayoutFilter {
  const id = fromWire('rf', typed)
  if (id !== undefined) return { id }
  const refundOf = fromWire('pay', typed)
  return refundOf === undefined ? typedFilterOf(typed) : { refundOf }
}

/** The refunds of all payments, as above. Refuses with 400 a text that is no reference of a payment. */
export async function listOwnRefunds(deps: ListPayoutsDeps, owner: Owner, query: RefundQuery): Promise<Page<Payout>> {
  const { status, payment, merchant_reference: reference, q } = query
  const refundOf = payment === undefined ? undefined : fromWire('pay', payment)
  if (payment !== undefined && refundOf === undefined) {
    throw invalidFields([{ field: 'payment', code: 'invalid', message: 'Not a valid payment reference.' }])
  }
  const filter: PayoutFilter = {
    ...(q !== undefined && typedRefundOf(q)),
    ...(refundOf !== undefined && { refundOf }),
    ...(status && { statuses: payoutStatuses.filter((one) => refundStatusOf[one] === status) }),
    purpose: 'refund',
    reference,
  }
  return pageOf(deps, owner, `refunds ${owner.merchant.id} ${owner.environment}`, filter, query)
}

type TotalsQuery = Omit<PayoutQuery, 'limit' | 'cursor'> & z.infer<z.ZodObject<typeof totalsQuery>>

/** What the whole filtered list adds up to, as far as one answer searches. */
export async function totalPayouts({ db }: { db: Db }, owner: Owner, query: TotalsQuery): Promise<z.infer<typeof totalsSchema>> {
  const { created_from: createdFrom, created_to: createdTo } = query
  const { days, after } = await countPayouts(db, owner, filterOf(query), { createdFrom, createdTo, among: maxSearchedPayouts })
  return totalsToJson(days, after, query.days_to)
}

const exportPageRows = 500

/** The whole filtered list, newest first, read page by page. Refuses a cursor of another list at once. */
export function exportPayouts({ db, cursors }: ListPayoutsDeps, owner: Owner, query: PayoutQuery): AsyncIterable<Payout[]> {
  const range = { ...rangeOf(cursors, scopeOf(owner), query), limit: exportPageRows, among: maxSearchedPayouts }
  return pagesOf(db, owner, filterOf(query), range)
}

async function* pagesOf(
  db: Db,
  owner: Owner,
  filter: PayoutFilter,
  range: ListRange & { among: number },
): AsyncGenerator<Payout[]> {
  for (let { after } = range, isMore = true; isMore;) {
    const { payouts, hasMore, last } = await listPayouts(db, owner, filter, { ...range, after })
    isMore = hasMore
    if (last) after = { createdAt: last.createdAt.toISOString(), id: last.id }
    yield payouts
  }
}

export const payoutColumns = [
  'id',
  'status',
  'amount',
  'fee',
  'total_debited',
  'currency',
  'phone_number',
  'recipient_name',
  'network',
  'reference',
  'narration',
  'failure_code',
  'created_at',
  'completed_at',
  'reversed_at',
  'approval',
  'approval_by',
  'waits_until',
  'warnings',
  'batch_id',
  'metadata',
] as const

/** A payout as a line of CSV: the same facts, with grouped values in separate columns. */
export function payoutToCells(payout: Payout): (string | number | null)[] {
  const { failure, warnings, metadata, under_review: _review, hold: _hold, ...fields } = payoutToJson(payout)
  const cells = {
    ...fields,
    failure_code: failure?.code ?? null,
    warnings: warnings.map(({ code }) => code).join('; '),
    metadata: JSON.stringify(metadata),
  }
  return payoutColumns.map((column) => cells[column])
}
