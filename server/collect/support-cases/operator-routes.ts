/** HTTP routes of support cases for operators: the queue, one case with all evidence, and the decision. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { maskPhone } from '../../domain/phone.ts'
import {
  caseAnswerSchema,
  caseDecisionSchema,
  caseFindingSchema,
  caseReasonSchema,
  caseStateSchema,
} from '../../domain/support-case.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, toPage, type Cursors } from '../../platform/http/page.ts'
import { lineOfText, paragraphOfText } from '../../platform/http/text.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { notFound, orNotFound } from '../../platform/refusal.ts'
import type { AskProvidersDeps } from './ask-providers.ts'
import { namesOfRows, paymentNamesSchema } from '../payments/payment-names.ts'
import { decideCase } from './decide-case.ts'
import { findCase, listAnswers, listCases } from './support-case.sql.ts'
import type { SupportCase } from './support-case.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type CaseOperatorDeps = OperatorRouteDeps & AskProvidersDeps & { config: Pick<Config, 'sessions'>; cursors: Cursors }

const time = z.iso.datetime()

const caseSchema = z
  .object({
    id: z.string().meta({ example: 'case_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    state: caseStateSchema,
    environment: environmentSchema,
    payment_reference: z.string(),
    sms_number: z
      .string()
      .nullable()
      .meta({ description: 'The number in the network’s message, as letters and digits. Null: erased.' }),
    finding: caseFindingSchema.nullable().meta({ description: 'What is proven about the payment.' }),
    proven_at: time.nullable(),
    escalated_because: caseReasonSchema.nullable(),
    escalated_at: time.nullable(),
    decision: caseDecisionSchema.nullable(),
    decided_by: z.string().nullable(),
    decided_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'SupportCase' })

const listedCaseSchema = caseSchema
  .extend({
    payment: paymentNamesSchema.nullable().meta({ description: 'The names of its payment.' }),
    alike: z.int().meta({
      description:
        'With `state=with_operators`: how many cases without proof wait for the same merchant and reason. This one, the oldest, stands for all of them.',
    }),
  })
  .meta({ id: 'ListedSupportCase' })

const answerSchema = z.object({
  at: time,
  answer: caseAnswerSchema,
  reason: z.string().nullable(),
  provider: z.string(),
  provider_reference: z.string().nullable(),
  provider_status: z.string().nullable(),
  amount: z.int().nullable(),
  network_receipt: z.string().nullable(),
})

const wholeCaseSchema = caseSchema
  .extend({
    claim: z.object({
      amount: z.int().nullable().meta({ description: 'TZS that the payer says were taken.' }),
      phone: z.string().nullable().meta({ description: 'The number that the payer says they paid from, masked.' }),
      time: z.string().nullable(),
      words: z.string().nullable(),
      has_email: z.boolean().meta({ description: 'The answer is mailed to the payer.' }),
    }),
    number_owner: z
      .string()
      .nullable()
      .meta({ description: 'Another payment whose receipt has the number. Never tell the payer of this case.' }),
    answers: z
      .array(answerSchema)
      .meta({ description: 'What the provider answered about this case, oldest first. `not_asked`: our own books were enough.' }),
    decision_note: z.string().nullable(),
    decision_message: z.string().nullable(),
  })
  .meta({ id: 'WholeSupportCase' })

function toJson(one: SupportCase): z.infer<typeof caseSchema> {
  return answerOf(caseSchema, one, {
    id: toWire('case', one.id),
    payment_reference: toWire('pay', one.paymentId),
  })
}

const byId = z.object({ case_id: z.string() })

async function findIn({ db }: CaseOperatorDeps, request: FastifyRequest): Promise<SupportCase> {
  const id = fromWire('case', (request.params as z.infer<typeof byId>).case_id)
  return orNotFound(id === undefined ? undefined : await findCase(db, { home: homeOfId(id), id }))
}

async function wholeToJson({ db }: CaseOperatorDeps, one: SupportCase): Promise<z.infer<typeof wholeCaseSchema>> {
  const answers = await listAnswers(db, one)
  return {
    ...toJson(one),
    claim: {
      amount: one.claimedAmount,
      phone: one.claimedPhone && maskPhone(one.claimedPhone),
      time: one.claimedTime,
      words: one.words,
      has_email: one.email !== null,
    },
    number_owner: one.numberOwnerId && toWire('pay', one.numberOwnerId),
    answers: answers.map((answer) => answerOf(answerSchema, answer, { at: answer.answeredAt.toISOString() })),
    decision_note: one.decisionNote,
    decision_message: one.decisionMessage,
  }
}

export async function caseOperatorRoutes(http: Http, deps: CaseOperatorDeps): Promise<void> {
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/support-cases',
    operationId: 'listSupportCases',
    summary: 'List support cases',
    description: 'Payers who say that money was taken, newest first. `state=with_operators`: the cases that wait for a decision.',
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      state: caseStateSchema.optional(),
      environment: environmentSchema.optional(),
      reason: caseReasonSchema.optional(),
      like: z.string().optional().meta({ description: 'The id of a case that stands for others: these cases.' }),
    }),
    answers: { 200: listOf(listedCaseSchema) },
    refuses: ['not_found'],
    handler: async (request) => {
      const { limit, cursor, state = null, environment = null, reason = null, like } = request.query
      const scope = `support cases ${JSON.stringify({ state, environment, reason, like })}`
      const [beforeId = null] = deps.cursors.decode(scope, cursor)
      const position = beforeId === null ? null : String(beforeId)
      const likeId = like === undefined ? undefined : fromWire('case', like)
      if (like !== undefined && likeId === undefined) throw notFound()
      const group = likeId === undefined ? null : { home: homeOfId(likeId), id: likeId }
      const rows = await listCases(deps.db, { state, environment, because: reason, like: group, beforeId: position, limit })
      const page = toPage(rows, limit, (last) => deps.cursors.encode(scope, [last.id]))
      const namesOf = await namesOfRows(deps.db, page.items)
      return answerPage(page, (one) => ({ ...toJson(one), payment: namesOf(one), alike: one.alike }))
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/support-cases/:case_id',
    operationId: 'getSupportCase',
    summary: 'Get a support case',
    answers: { 200: dataOf(wholeCaseSchema) },
    handler: async (request) => ({ data: await wholeToJson(deps, await findIn(deps, request)) }),
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/support-cases/:case_id/close',
    operationId: 'closeSupportCase',
    summary: 'Decide a support case',
    description:
      'The payer sees the decision and the message, never the note. `received` needs a completed payment, `no_money` one that ended without money: 409 `invalid_state`. A case of your own merchant: 403 `self_approval_forbidden`. Requires a recent sign-in or step-up.',
    body: z.strictObject({
      decision: caseDecisionSchema,
      note: lineOfText(500).meta({ description: 'The evidence: the provider’s letter, statement or ticket.' }),
      message: paragraphOfText(1000)
        .nullish()
        .meta({ description: 'For the payer, in their language. Write nothing about other payments.' }),
    }),
    answers: { 200: dataOf(wholeCaseSchema) },
    refuses: ['self_approval_forbidden', 'invalid_state'],
    before: (request) => findIn(deps, request),
    handler: async (request) => {
      const one = await findIn(deps, request)
      const { decision, note, message } = request.body
      const { userId, sessionId } = request.signedIn
      const operator = { userId, sessionId, origin: originOf(request) }
      await decideCase(deps, one, { decision, note, message: message || null }, operator)
      return { data: await wholeToJson(deps, await findIn(deps, request)) }
    },
  })
}
