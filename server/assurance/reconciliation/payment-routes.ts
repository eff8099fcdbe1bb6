/** HTTP of payments for operators: list stuck payments, read everything about one, and query its provider now. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { accountKindSchema, transferKindSchema } from '../../domain/ledger.ts'
import { chargeStateSchema, paymentStatusSchema, shortCodeSchema } from '../../domain/payment.ts'
import { payoutStatusSchema } from '../../domain/payout.ts'
import { caseDecisionSchema, caseFindingSchema, caseStateSchema } from '../../domain/support-case.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networkSchema } from '../../domain/network.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { listBreaksOf } from '../../money/breaks/break.sql.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { listPaymentMessages } from '../../collect/payments/owner-payment.sql.ts'
import { paymentNamesSchema, paymentNamesToJson } from '../../collect/payments/payment-names.ts'
import { verdicts } from '../../collect/payments/settle.sql.ts'
import { listRefundsOf } from '../../pay-out/payouts/payout.sql.ts'
import { dataOf, listOf, listQuery, wholeNumber, type Http } from '../../platform/http/http.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { answerPage, toPage, type Cursors } from '../../platform/http/page.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { providerNamed } from '../../money/providers/provider.ts'
import { listCasesOf } from '../../collect/support-cases/support-case.sql.ts'
import { breakSchema, breakToJson } from './break-routes.ts'
import { findChargeFacts, listStuckCharges, listTransfersOf, type ChargeFacts } from './break-subject.sql.ts'
import { queryPayment, type QueryDeps } from './query-payment.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type PaymentOperatorDeps = OperatorRouteDeps & QueryDeps & { cursors: Cursors }

const mostMessages = 50
const mostRefunds = 50
const mostCases = 20

const moment = z.iso.datetime()

const operatorPaymentSchema = z
  .object({
    reference: z.string().meta({ example: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    short_code: shortCodeSchema,
    network_receipt: z
      .string()
      .nullable()
      .meta({ description: 'The number in the network’s message to the payer, if we know it.' }),
    environment: environmentSchema,
    ...paymentNamesSchema.shape,
    status: paymentStatusSchema,
    amount: z.int().meta({ description: 'TZS.' }),
    network: networkSchema.nullable(),
    under_review: z.boolean().meta({ description: 'Whether money with a different amount is held in suspense for it.' }),
    late: z.boolean(),
    failure_code: z.string().nullable(),
    created_at: moment,
    expires_at: moment,
    completed_at: moment.nullable(),
    age_seconds: z.int(),
    charge: z.object({
      provider: z.string(),
      provider_reference: z.string().nullable(),
      state: chargeStateSchema.meta({ description: '`unknown`: sent, but the outcome is not known.' }),
      checks: z.int().meta({ description: 'Number of queries to the provider so far.' }),
      next_check_at: moment
        .nullable()
        .meta({ description: 'When the provider is queried next. Null: no more automatic queries.' }),
      last_heard_at: moment,
      prompts_resent: z.int().meta({ description: 'How often the payer asked for the prompt again.' }),
      last_resent_at: moment.nullable(),
    }),
    cancel_requested_at: moment.nullable().meta({ description: 'When the payer asked to cancel it.' }),
    payment_request_id: z.string().nullable().meta({ description: 'The payment request that it was made for.' }),
    open_breaks: z.array(z.string()),
  })
  .meta({ id: 'OperatorPayment' })

const transferSchema = z.object({
  id: z.string(),
  kind: transferKindSchema,
  debit: accountKindSchema,
  credit: accountKindSchema,
  amount: z.int(),
  actor: z.string(),
  request_id: z.string(),
  created_at: moment,
})

const refundSchema = z.object({
  id: z.string().meta({ example: 'rf_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
  payout_id: z
    .string()
    .nullable()
    .meta({ description: 'The payout that sends it. Null: the merchant gave it back outside the wallet.' }),
  status: payoutStatusSchema,
  amount: z.int().meta({ description: 'TZS.' }),
  fee: z.int().meta({ description: 'TZS.' }),
  created_at: moment,
})

const caseSchema = z.object({
  id: z.string(),
  state: caseStateSchema,
  finding: caseFindingSchema.nullable(),
  decision: caseDecisionSchema.nullable(),
  decided_at: moment.nullable(),
  created_at: moment,
})

const knownPaymentSchema = operatorPaymentSchema
  .extend({
    messages: z.array(z.object({ received_at: moment, status: z.string().nullable(), amount: z.int().nullable() })),
    transfers: z.array(transferSchema),
    breaks: z.array(breakSchema),
    refunded_amount: z.int().meta({ description: 'TZS of its refunds that have not failed.' }),
    refunds: z.array(refundSchema).meta({ description: `The newest ${mostRefunds}.` }),
    support_cases: z
      .array(caseSchema)
      .meta({ description: `Reports of its payer that money was taken: the newest ${mostCases}.` }),
  })
  .meta({ id: 'OperatorPaymentWithHistory' })

const queriedSchema = z
  .object({
    answer: z
      .enum(['found', 'not_found', 'indeterminate'])
      .meta({ description: 'The answer of the provider. Only `found` changes anything.' }),
    reason: z.string().nullable(),
    provider_status: z.string().nullable(),
    amount: z.int().nullable(),
    currency: z.string().nullable(),
    outcome: z.enum(verdicts).nullable().meta({ description: 'Result of settling the answer; null without one.' }),
    status: paymentStatusSchema.meta({ description: 'The current status of the payment.' }),
  })
  .meta({ id: 'PaymentQuery' })

function toJson(charge: ChargeFacts): z.infer<typeof operatorPaymentSchema> {
  return answerOf(operatorPaymentSchema, charge, {
    reference: toWire('pay', charge.id),
    ...paymentNamesToJson(charge),
    under_review: charge.held,
    age_seconds: Math.floor(charge.ageSeconds),
    charge: {
      provider: charge.provider,
      provider_reference: charge.providerReference,
      state: charge.chargeState,
      checks: charge.attempts,
      next_check_at: charge.nextAttemptAt?.toISOString() ?? null,
      last_heard_at: charge.lastHeardAt.toISOString(),
      prompts_resent: charge.pushes,
      last_resent_at: charge.pushedAt?.toISOString() ?? null,
    },
    payment_request_id: charge.paymentRequestId && toWire('preq', charge.paymentRequestId),
  })
}

const byReference = z.object({ reference: z.string() })

export async function paymentOperatorRoutes(http: Http, deps: PaymentOperatorDeps): Promise<void> {
  const { db, cursors } = deps

  async function find(request: FastifyRequest): Promise<ChargeFacts> {
    const id = fromWire('pay', (request.params as z.infer<typeof byReference>).reference)
    return orNotFound(id === undefined ? undefined : await findChargeFacts(db, { home: homeOfId(id), id }))
  }

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/payments/stuck',
    operationId: 'listStuckPayments',
    summary: 'List unfinished payments',
    description:
      'Payments of all merchants that have not ended, oldest first, with the time of the next query and of the last answer from the provider.',
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      environment: environmentSchema.optional(),
      network: networkSchema.optional(),
      older_than_seconds: wholeNumber(0, 31_536_000).default(300),
      outcome: z.enum(['unknown']).optional().meta({
        description: 'Only payments whose outcome is unknown a minute after they were started, as in the overview.',
      }),
    }),
    answers: { 200: listOf(operatorPaymentSchema) },
    handler: async (request) => {
      const { limit, cursor, older_than_seconds: olderThanSeconds, ...filter } = request.query
      const wanted = {
        environment: filter.environment ?? null,
        network: filter.network ?? null,
        olderThanSeconds,
        isOutcomeUnknown: filter.outcome === 'unknown',
      }
      const scope = `stuck ${JSON.stringify(wanted)}`
      const [afterId = null] = cursors.decode(scope, cursor)
      const rows = await listStuckCharges(db, { ...wanted, afterId: afterId === null ? null : String(afterId), limit })
      const page = toPage(rows, limit, (last) => cursors.encode(scope, [last.id]))
      return answerPage(page, toJson)
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/payments/:reference',
    operationId: 'getAdminPayment',
    summary: 'Get a payment',
    description:
      'Includes its charge at the provider, the provider’s messages, the ledger transfers, the breaks, the refunds and the support cases. The payer’s phone number is masked.',
    answers: { 200: dataOf(knownPaymentSchema) },
    handler: async (request) => {
      const charge = await find(request)
      const key = { home: charge.home, id: charge.id }
      const [messages, transfers, breaks, refunds, cases] = await Promise.all([
        listPaymentMessages(db, key, mostMessages),
        listTransfersOf(db, key),
        listBreaksOf(db, { home: charge.home, paymentId: charge.id }),
        listRefundsOf(db, key, mostRefunds),
        listCasesOf(db, { home: charge.home, paymentId: charge.id }, mostCases),
      ])
      return {
        data: {
          ...toJson(charge),
          messages: messages.map(({ provider, body, receivedAt }) => {
            const read = providerNamed(deps.providers, charge.environment, provider).readStoredWebhook(body)
            const snapshot = read.kind === 'charge' ? read.snapshot : undefined
            return { received_at: receivedAt.toISOString(), status: snapshot?.status ?? null, amount: snapshot?.amount ?? null }
          }),
          transfers: transfers.map((line) =>
            answerOf(transferSchema, line, { id: toWire('txn', line.id), request_id: line.requestId }),
          ),
          breaks: breaks.map(breakToJson),
          refunded_amount: charge.refundedAmount,
          refunds: refunds.map((refund) =>
            answerOf(refundSchema, refund, {
              id: toWire('rf', refund.id),
              payout_id: refund.method === 'outside' ? null : toWire('po', refund.id),
            }),
          ),
          support_cases: cases.map((one) => answerOf(caseSchema, one, { id: toWire('case', one.id) })),
        },
      }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/payments/:reference/query',
    operationId: 'queryPayment',
    summary: 'Query a payment at the provider',
    description:
      'The answer is settled like a message from the provider: a success is credited, once. No answer and “not found” change nothing. If the reference of the charge is not known and the provider cannot be queried with ours: 409 `invalid_state`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(queriedSchema) },
    refuses: ['invalid_state'],
    before: (request) => find(request),
    handler: async (request) => {
      const { answer, reason, snapshot, verdict, status } = await queryPayment(deps, await find(request), originOf(request))
      const { amount = null, currency = null } = snapshot ?? {}
      return { data: { answer, reason, provider_status: snapshot?.status ?? null, amount, currency, outcome: verdict, status } }
    },
  })
}
