/** HTTP routes of payouts for operators: stuck payouts, payouts that wait for approval, and a query to the provider now. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { approvalSchema, payoutOrderStateSchema, payoutPurposeSchema, payoutStatusSchema } from '../../domain/payout.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networkSchema } from '../../domain/network.ts'
import { z } from 'zod'
import type { FastifyRequest } from 'fastify'
import { confirmOperator, originOf } from '../../accounts/identity/authenticate.ts'
import { wireIdOf } from '../../accounts/identity/merchant.ts'
import { isMember } from '../../accounts/members/access.sql.ts'
import type { Config } from '../../config/config.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { lineOfText, trueOrFalse } from '../../platform/http/text.ts'
import { decideOnPayout } from './cancel-payout.ts'
import { payoutSchema, payoutToJson } from './payout.ts'
import { checkPayoutSoon, findOrderedPayout, listOrderedPayouts, type NamedPayout } from './payout.sql.ts'
import { checkPayouts, type SendPayoutDeps } from './send-payout.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type PayoutOperatorDeps = OperatorRouteDeps & SendPayoutDeps & { config: Pick<Config, 'sessions'>; cursors: Cursors }

const operatorPayoutSchema = payoutSchema
  .extend({
    purpose: payoutPurposeSchema,
    merchant: z
      .object({ id: z.string().meta({ example: 'biz_06g2v1d1p5fz9b7q4w5w1y2k3m' }), name: z.string() })
      .nullable()
      .meta({ description: 'Null for a payout made by the service itself.' }),
    break_id: z.string().nullable().meta({ description: 'The break that this payout resolves by returning the money.' }),
    refund_id: z.string().nullable().meta({ description: 'The id of a refund, as its merchant has it.' }),
    refund_of: z.string().nullable().meta({ description: 'The payment that this payout refunds to the phone that paid.' }),
    provider: z.string(),
    provider_reference: z.string().nullable(),
    order_state: payoutOrderStateSchema.meta({
      description: '`unknown`: sent, but the outcome is not known. The money stays reserved.',
    }),
    requested_by: z.string(),
  })
  .meta({ id: 'OperatorPayout' })

function toJson(payout: NamedPayout): z.infer<typeof operatorPayoutSchema> {
  return answerOf(operatorPayoutSchema, payout, {
    ...payoutToJson(payout),
    merchant:
      payout.merchantId === null || payout.merchantKind === null || payout.merchantName === null
        ? null
        : { id: wireIdOf({ id: payout.merchantId, kind: payout.merchantKind }), name: payout.merchantName },
    break_id: payout.breakId && toWire('brk', payout.breakId),
    refund_id: payout.refundOf && toWire('rf', payout.id),
    refund_of: payout.refundOf && toWire('pay', payout.refundOf),
    order_state: payout.state,
  })
}

async function findPayout({ db }: PayoutOperatorDeps, request: FastifyRequest): Promise<NamedPayout> {
  const id = fromWire('po', (request.params as { id: string }).id)
  return orNotFound(id === undefined ? undefined : await findOrderedPayout(db, { home: homeOfId(id), id }))
}

export async function payoutOperatorRoutes(http: Http, deps: PayoutOperatorDeps): Promise<void> {
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/payouts',
    operationId: 'listAdminPayouts',
    summary: 'List payouts of all merchants',
    description: '`unfinished=true` returns only payouts that are queued, waiting or in flight, to find those that are stuck.',
    query: z.strictObject({
      ...listQuery,
      environment: environmentSchema.optional(),
      status: payoutStatusSchema.optional(),
      approval: approvalSchema.optional(),
      network: networkSchema.optional(),
      unfinished: trueOrFalse.default('false'),
    }),
    answers: { 200: listOf(operatorPayoutSchema) },
    handler: async (request) => {
      const { environment, status, approval, network, unfinished } = request.query
      const scope = `all payouts ${environment ?? ''}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const filter = { environment, status, approval, network, isUnfinished: unfinished === 'true' }
      const page = pageByTime(deps.cursors, scope, await listOrderedPayouts(deps.db, filter, range), range.limit)
      return answerPage(page, toJson)
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/payouts/:id',
    operationId: 'getAdminPayout',
    summary: 'Get a payout',
    answers: { 200: dataOf(operatorPayoutSchema) },
    handler: async (request) => ({ data: toJson(await findPayout(deps, request)) }),
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/payouts/:id/query',
    operationId: 'queryAdminPayout',
    summary: 'Query a payout at the provider',
    description:
      'The answer of the provider is applied like one that it sent itself. A payout that was never sent is not sent by this call.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(operatorPayoutSchema) },
    before: (request) => findPayout(deps, request),
    handler: async (request) => {
      const payout = await findPayout(deps, request)
      await checkPayoutSoon(deps.db, payout)
      if (payout.state === 'unknown' || payout.state === 'accepted') await checkPayouts(deps, 1, payout)
      return { data: toJson(await findPayout(deps, request)) }
    },
  })

  for (const [verb, approval] of [
    ['approve', 'approved'],
    ['refuse', 'refused'],
  ] as const) {
    operatorRoute(http, deps, {
      route: `POST /v1/admin/payouts/:id/${verb}`,
      operationId: `${verb}Payout`,
      summary: verb === 'approve' ? 'Approve a payout' : 'Refuse a payout',
      description:
        verb === 'approve'
          ? 'Only for a payout that waits for approval. Not allowed for the person who requested it or the person behind its merchant: 403 `self_approval_forbidden`.'
          : 'Only for a payout that waits for approval. Returns the money to the wallet. Not allowed for the person who requested it or the person behind its merchant: 403 `self_approval_forbidden`.',
      body: z.strictObject({ note: lineOfText(500).optional() }).prefault({}),
      answers: { 200: dataOf(operatorPayoutSchema) },
      refuses: ['self_approval_forbidden', 'invalid_state'],
      before: (request) => findPayout(deps, request),
      handler: async (request) => {
        const payout = await findPayout(deps, request)
        const { userId } = request.signedIn
        const decision = {
          approval,
          by: toWire('usr', userId),
          note: request.body.note ?? null,
          confirm: (tx: Tx) => confirmOperator(tx, request.signedIn),
          isBehindIt: (tx: Runner, merchantId: string) => isMember(tx, userId, merchantId),
        }
        await decideOnPayout(deps, payout, decision, originOf(request))
        if (approval === 'approved') await checkPayouts(deps, 1, payout)
        return { data: toJson(await findPayout(deps, request)) }
      },
    })
  }
}
