/** HTTP routes of payments for their merchant, by key or signed in: the list, and one payment with its history. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { csvQuery, sheetOf } from '../../domain/sheet.ts'
import { ownerAuthMethods, signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import { daysOf, jsonOrCsv, mapPages, sendCsv, wantsCsv } from '../../platform/http/csv.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { totalsQuery, totalsSchema } from '../../platform/http/list-totals.ts'
import { fromWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { answerPage, type Cursors } from '../../platform/http/page.ts'
import { orNotFound } from '../../platform/refusal.ts'
import type { Providers } from '../../money/providers/provider.ts'
import { exportPayments, listPayments, maxSearchedPayments, paymentFilters, totalPayments } from './list-payments.ts'
import {
  historyOf,
  ownerPaymentSchema,
  ownerPaymentToCells,
  ownerPaymentToJson,
  paymentColumns,
  paymentWithTimelineSchema,
} from './owner-payment.ts'
import { findOwnerPayment } from './owner-payment.sql.ts'

export type OwnerPaymentRouteDeps = OwnerAuthDeps & { db: Db; clock: Clock; log: Log; cursors: Cursors; providers: Providers }

export async function ownerPaymentRoutes(http: Http, deps: OwnerPaymentRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    ownerRoute(http, deps, auth, {
      route: 'GET /payments',
      permission: 'payments.read',
      operationId: `list${auth.name}Payments`,
      summary: 'List payments',
      description: `All payments in every status, newest first. Credits to the wallet are in the transactions. Filters without an index (status, network, amount, metadata, part of a name) search at most ${maxSearchedPayments.toLocaleString('en')} payments for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor. With \`Accept: text/csv\` the answer is the whole filtered list as a file. Its columns: ${paymentColumns.join(', ')}.`,
      query: z.strictObject({ ...listQuery, ...paymentFilters, ...csvQuery, ...auth.query }),
      answers: { 200: jsonOrCsv(listOf(ownerPaymentSchema)) },
      handler: async (request, reply) => {
        const { query } = request
        const owner = auth.ownerOf(request)
        if (wantsCsv(request)) {
          auth.requireAlso(request, 'statements.read')
          return sendCsv(deps, request, reply, {
            name: `payments-${owner.environment}-${daysOf({ createdFrom: query.created_from, createdTo: query.created_to }, new Date(deps.clock.now()))}`,
            header: [...paymentColumns],
            sheet: sheetOf(paymentColumns, query.csv_language, { isOfPayments: true }),
            pages: mapPages(await exportPayments(deps, owner, query), ownerPaymentToCells),
            mayStill: auth.mayStill(request, 'statements.read'),
          })
        }
        void reply.header('vary', 'Accept')
        const page = await listPayments(deps, owner, query)
        return answerPage(page, ownerPaymentToJson)
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payments/:reference',
      permission: 'payments.read',
      operationId: `get${auth.name}Payment`,
      summary: 'Get a payment with its history',
      description:
        'The history contains status changes, messages of the provider, wallet transactions, the event and its deliveries.',
      answers: { 200: dataOf(paymentWithTimelineSchema) },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const id = fromWire('pay', request.params.reference)
        const payment = orNotFound(id === undefined ? undefined : await findOwnerPayment(deps.db, owner, id))
        return { data: { ...ownerPaymentToJson(payment), ...(await historyOf(deps, owner, auth.sightOf(request), payment)) } }
      },
    })
  }

  const auth = signedInAuth(deps)
  const { created_from, created_to } = listQuery
  ownerRoute(http, deps, auth, {
    route: 'GET /payments/totals',
    permission: 'payments.read',
    operationId: 'totalMerchantPayments',
    summary: 'Get the totals of payments',
    description: `What the whole list with this filter adds up to, not one page of it. Completed: the credit stands; with the amount that was received, and without refunds and fees. At most the newest ${maxSearchedPayments.toLocaleString('en')} payments are counted: \`counted_after\` says if there are more.`,
    query: z.strictObject({ created_from, created_to, ...totalsQuery, ...paymentFilters, ...auth.query }),
    answers: { 200: dataOf(totalsSchema) },
    handler: async (request) => ({ data: await totalPayments(deps, auth.ownerOf(request), request.query) }),
  })
}
