/** HTTP of breaks, for operators: list the differences, and decide about them with two operators. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { breakKindSchema, breakStatusSchema, reportedBySchema } from '../../domain/break.ts'
import { accountKindSchema } from '../../domain/ledger.ts'
import { environmentSchema } from '../../domain/environment.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { findBreak, listBreaks } from '../../money/breaks/break.sql.ts'
import { resolutions, resolutionsFor, type Break, type Resolution } from '../../money/breaks/break.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { namesOfRows, paymentNamesSchema } from '../../collect/payments/payment-names.ts'
import type { ReturnDeps } from '../../pay-out/payouts/return-to-payer.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { answerPage, toPage, type Cursors } from '../../platform/http/page.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { lineOfText, moment } from '../../platform/http/text.ts'
import { amountsOf } from './break-amounts.ts'
import { rehearseResolutions } from './rehearse-resolution.ts'
import { confirmResolution, proposeResolution } from './resolve-break.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type BreakRouteDeps = OperatorRouteDeps & ReturnDeps & { cursors: Cursors }

const resolution = z.enum(Object.keys(resolutions) as [Resolution, ...Resolution[]])
const explained = Object.entries(resolutions)
  .map(([name, sentence]) => `\`${name}\`: ${sentence}`)
  .join(' ')

const parameters = z
  .strictObject({
    payment_reference: z.string().max(50).optional().meta({
      description: 'The payment to credit. It must be in the same environment and not completed.',
    }),
    payout_id: z.string().max(50).optional(),
    merchant_id: z.string().max(50).optional().meta({ description: '`usr_…` for a person, `biz_…` for a business.' }),
  })
  .meta({
    description:
      'The object that the resolution needs. `credit_to_payment`: the payment. `debit_wallet`: the payout or the merchant whose wallet is debited.',
  })

const shillings = z.int().nullable()

export const breakSchema = z
  .object({
    id: z.string().meta({ example: 'brk_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    kind: breakKindSchema,
    status: breakStatusSchema,
    environment: environmentSchema,
    payment_reference: z.string().nullable(),
    payout_id: z.string().nullable(),
    provider: z.string().nullable(),
    provider_reference: z.string().nullable(),
    amounts: z
      .object({
        expected: shillings.meta({ description: 'As ordered, or as our books have it.' }),
        reported: shillings.meta({ description: 'By the provider, or by a message that the provider has not confirmed.' }),
        reported_by: reportedBySchema.nullable(),
        booked: shillings.meta({ description: 'What our books show for it.' }),
        difference: shillings.meta({ description: 'Of `reported` from `expected`.' }),
      })
      .meta({ description: 'TZS. Null: not known, or not in TZS.' }),
    evidence: z.record(z.string(), z.unknown()).meta({
      description:
        'The known facts. For another amount (TZS): `ordered` or `our_amount`, what the message says (`message_amount`, `message_currency`), the provider’s own answer (`amount`, `currency`; null without one), what is `booked`, and the `difference` of the answer from the order.',
    }),
    resolutions: z.array(resolution).meta({ description: 'The possible resolutions for a break of this kind.' }),
    proposal: z
      .object({
        resolution,
        note: z.string(),
        parameters: parameters.nullable(),
        proposed_by: z.string(),
        proposed_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: 'The resolution that one operator proposed. Another operator must confirm it.' }),
    return: z
      .object({ payout_id: z.string(), status: z.string() })
      .nullable()
      .meta({ description: 'The last payout that was created to return the money to the payer.' }),
    resolution: resolution.nullable(),
    resolved_by: z
      .string()
      .nullable()
      .meta({ description: 'The second operator, or `system` if an answer of the provider resolved it.' }),
    opened_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Break' })

export function breakToJson(one: Break): z.infer<typeof breakSchema> {
  const { proposal, proposalNote, proposedBy, proposedAt } = one
  const { expected, reported, reportedBy, booked, difference } = amountsOf(one)
  const isProposed = proposal !== null && proposalNote !== null && proposedBy !== null && proposedAt !== null
  return answerOf(breakSchema, one, {
    id: toWire('brk', one.id),
    status: one.resolvedAt !== null ? 'resolved' : isProposed ? 'proposed' : 'open',
    payment_reference: one.paymentId && toWire('pay', one.paymentId),
    payout_id: one.payoutId && toWire('po', one.payoutId),
    amounts: { expected, reported, reported_by: reportedBy, booked, difference },
    evidence: one.details,
    resolutions: [...resolutionsFor(one)],
    proposal: isProposed
      ? {
          resolution: proposal,
          note: proposalNote,
          parameters: one.proposalParameters,
          proposed_by: proposedBy,
          proposed_at: proposedAt.toISOString(),
        }
      : null,
    return: one.lastReturn && { payout_id: toWire('po', one.lastReturn.id), status: one.lastReturn.status },
  })
}

const listedBreakSchema = breakSchema
  .extend({ payment: paymentNamesSchema.nullable().meta({ description: 'The names of its payment. Null: it is about none.' }) })
  .meta({ id: 'ListedBreak' })

const effectSchema = z
  .object({
    resolution,
    moves: z
      .array(z.object({ debit: accountKindSchema, credit: accountKindSchema, amount: z.int().meta({ description: 'TZS.' }) }))
      .meta({ description: 'The ledger transfers, in their order. Empty: no money moves.' }),
    refused: z.string().nullable().meta({ description: 'Why the resolution is not possible now.' }),
  })
  .meta({ id: 'BreakEffect' })

const byId = z.object({ break_id: z.string() })

async function findBreakIn({ db }: BreakRouteDeps, request: FastifyRequest): Promise<Break> {
  const id = fromWire('brk', (request.params as z.infer<typeof byId>).break_id)
  return orNotFound(id === undefined ? undefined : await findBreak(db, { home: homeOfId(id), id }))
}

const operatorIn = (request: FastifyRequest) => {
  const { userId, sessionId } = request.signedIn
  return { userId, sessionId, origin: originOf(request) }
}

export async function breakRoutes(http: Http, deps: BreakRouteDeps): Promise<void> {
  const { db, cursors } = deps

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/breaks',
    operationId: 'listBreaks',
    summary: 'List breaks',
    description: 'Differences between our books and a provider, newest first.',
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      kind: breakKindSchema.optional(),
      status: breakStatusSchema.optional().meta({ description: '`open`: not resolved, with or without a proposal.' }),
      environment: environmentSchema.optional(),
      provider: z.string().max(50).optional(),
      opened_from: moment.optional(),
      opened_to: moment.optional(),
    }),
    answers: { 200: listOf(listedBreakSchema) },
    handler: async (request) => {
      const { limit, cursor, kind = null, status, environment = null, provider = null } = request.query
      const { opened_from: openedFrom = null, opened_to: openedTo = null } = request.query
      const isOpen = status === undefined ? null : status !== 'resolved'
      const isProposed = status === 'proposed' ? true : null
      const wanted = { environment, kind, isOpen, isProposed, provider, openedFrom, openedTo }
      const scope = `breaks ${JSON.stringify(wanted)}`
      const [beforeId = null] = cursors.decode(scope, cursor)
      const position = beforeId === null ? null : String(beforeId)
      const rows = await listBreaks(db, { ...wanted, beforeId: position, limit })
      const page = toPage(rows, limit, (last) => cursors.encode(scope, [last.id]))
      const namesOf = await namesOfRows(db, page.items)
      return answerPage(page, (one) => ({ ...breakToJson(one), payment: namesOf(one) }))
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/breaks/:break_id',
    operationId: 'getBreak',
    summary: 'Get a break',
    answers: { 200: dataOf(breakSchema) },
    handler: async (request) => ({ data: breakToJson(await findBreakIn(deps, request)) }),
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/breaks/:break_id/effects',
    operationId: 'listBreakEffects',
    summary: 'List the effects of each resolution',
    description:
      'What each possible resolution would move if it were confirmed now, between which accounts. Nothing is moved. `credit_to_payment` and `debit_wallet` are left out: what they move depends on the payment or wallet that a proposal names. Empty for a resolved break.',
    answers: { 200: z.object({ data: z.array(effectSchema) }) },
    handler: async (request) => ({
      data: await rehearseResolutions(deps, await findBreakIn(deps, request), operatorIn(request)),
    }),
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/breaks/:break_id/propose',
    operationId: 'proposeResolution',
    summary: 'Propose a resolution',
    description: `Nothing happens until another operator confirms the proposal. It replaces an earlier proposal, and ends when new evidence arrives. ${explained} A break about your own money: 403 \`self_approval_forbidden\`. Requires a recent sign-in or step-up.`,
    body: z.strictObject({
      resolution,
      note: lineOfText(500).meta({ description: 'The evidence: the provider’s letter, statement or ticket.' }),
      parameters: parameters.optional(),
    }),
    answers: { 200: dataOf(breakSchema) },
    refuses: ['self_approval_forbidden', 'invalid_state', 'provider_unavailable'],
    before: (request) => findBreakIn(deps, request),
    handler: async (request) => {
      const { id, home } = await findBreakIn(deps, request)
      const proposal = { ...request.body, parameters: request.body.parameters ?? null }
      return { data: breakToJson(await proposeResolution(deps, { id, home }, proposal, operatorIn(request))) }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/breaks/:break_id/confirm',
    operationId: 'confirmResolution',
    summary: 'Confirm a proposed resolution',
    description:
      'The body names the proposal that you have read. If it has changed since, has ended, or was never made: 409 `proposal_changed`. Your own proposal: 403 `self_approval_forbidden`. One transaction moves the money, closes the break and writes the audit log. Requires a recent sign-in or step-up.',
    body: z.strictObject({ resolution, proposed_at: moment }),
    answers: { 200: dataOf(breakSchema) },
    refuses: ['self_approval_forbidden', 'invalid_state', 'proposal_changed', 'provider_unavailable'],
    before: (request) => findBreakIn(deps, request),
    handler: async (request) => {
      const { id, home } = await findBreakIn(deps, request)
      const { resolution: seen, proposed_at: proposedAt } = request.body
      await confirmResolution(deps, { id, home }, { resolution: seen, proposedAt }, operatorIn(request))
      return { data: breakToJson(await findBreakIn(deps, request)) }
    },
  })
}
