/** HTTP of payments for their merchant: the list, and one with its history. */
import { z } from 'zod'
import { signedInDoor, type OwnerDoorDeps } from '../apps/owner-doors.ts'
import type { Db } from '../platform/db.ts'
import { dataOf, errors, listOf, listQuery, wholeNumber, type Http } from '../platform/http.ts'
import { fromWire } from '../platform/ids.ts'
import { pageByTime, rangeOf, type Cursors } from '../platform/page.ts'
import { invalidFields, notFound } from '../platform/refusal.ts'
import type { Providers } from '../providers/provider.ts'
import { ownerPaymentSchema, ownerPaymentToJson, paymentWithTimelineSchema, timelineOf } from './owner-payment.ts'
import { findOwnerPayment, listOwnerPayments } from './owner-payment.sql.ts'
import { paymentStatuses } from './payment.ts'

export type OwnerPaymentRouteDeps = OwnerDoorDeps & { db: Db; cursors: Cursors; providers: Providers }

const amount = wholeNumber(0, Number.MAX_SAFE_INTEGER)

export async function ownerPaymentRoutes(http: Http, deps: OwnerPaymentRouteDeps): Promise<void> {
  const door = signedInDoor(deps)

  http.get(
    `${door.prefix}/payments`,
    {
      onRequest: door.enter('transactions:read'),
      schema: {
        ...door.describe('Dashboard'),
        operationId: 'listMerchantPayments',
        summary: 'List payments, newest first',
        description: 'Every payment that was begun, whatever became of it. What reached the wallet stands in the transactions.',
        querystring: z.strictObject({
          ...listQuery,
          ...door.query,
          status: z.enum(paymentStatuses).optional(),
          payment_page_id: z.string().max(60).optional(),
          min_amount: amount.optional(),
          max_amount: amount.optional(),
        }),
        response: { 200: listOf(ownerPaymentSchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const { query } = request
      const owner = await door.ownerOf(request)
      const pageId = query.payment_page_id === undefined ? undefined : fromWire('page', query.payment_page_id)
      if (query.payment_page_id !== undefined && pageId === undefined) {
        throw invalidFields([{ field: 'payment_page_id', code: 'invalid', message: 'This is not a payment page id.' }])
      }
      const scope = `payments ${owner.merchant.id} ${owner.environment}`
      const range = rangeOf(deps.cursors, scope, query)
      const filter = { status: query.status, pageId, minAmount: query.min_amount, maxAmount: query.max_amount }
      const page = pageByTime(deps.cursors, scope, await listOwnerPayments(deps.db, owner, filter, range), range.limit)
      return { data: page.items.map(ownerPaymentToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
    },
  )

  http.get(
    `${door.prefix}/payments/:reference`,
    {
      onRequest: door.enter('transactions:read'),
      schema: {
        ...door.describe('Dashboard'),
        operationId: 'getMerchantPayment',
        summary: 'Read a payment and its history',
        description: 'The history merges states, messages of the provider, lines of the wallet, the event and its deliveries.',
        params: z.object({ reference: z.string() }),
        querystring: z.strictObject(door.query),
        response: { 200: dataOf(paymentWithTimelineSchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const owner = await door.ownerOf(request)
      const id = fromWire('pay', request.params.reference)
      const payment = id === undefined ? undefined : await findOwnerPayment(deps.db, owner, id)
      if (!payment) throw notFound()
      return { data: { ...ownerPaymentToJson(payment), timeline: await timelineOf(deps, owner, payment) } }
    },
  )
}
