/** HTTP routes of refunds, by API key and by the owner's sign-in. The rules of payouts hold: scopes, step-up, waits, limits. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { actorOf, ownerAuthMethods, personOf, type OwnerAuth } from '../../accounts/developers/owner-auth.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { findRefundSource } from '../../collect/payments/refund-source.sql.ts'
import type { Tx } from '../../platform/db/db.ts'
import { payoutMethodSchema } from '../../domain/payout.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { idempotencyHeader, idempotencyKeyOf } from '../../platform/http/idempotency-key.ts'
import { answerPage, pageByTime, rangeOf } from '../../platform/http/page.ts'
import { lineOfText } from '../../platform/http/text.ts'
import { fromWire } from '../../platform/ids.ts'
import { invalidFields, notFound, orNotFound, Refusal } from '../../platform/refusal.ts'
import { cancelPayout } from './cancel-payout.ts'
import { listOwnRefunds, maxSearchedPayouts, refundFilters } from './list-payouts.ts'
import { findPayout, listRefunds } from './payout.sql.ts'
import { payoutBounds } from '../../money/providers/provider.ts'
import type { Payout } from './payout.ts'
import { refundSchema, refundToJson } from './refund.ts'
import { requestRefund } from './request-refund.ts'
import { mayPayRefusals, payoutCallerOf, requireStandingToPay, type PayoutRouteDeps } from './routes.ts'
import { checkPayouts } from './send-payout.ts'

const refundBodyOf = ({ callers }: OwnerAuth) =>
  z
    .strictObject({
      amount: z
        .int({ error: 'amount_invalid: The amount must be a whole number of TZS, without decimals or quotes.' })
        .optional()
        .meta({
          description: 'TZS that the payer receives. Without it: what is left of the payment.',
          example: 5_000,
          ...payoutBounds,
          // Coins can be given back, too.
          ...(callers === 'people' && { minimum: 1 }),
        }),
      reason: lineOfText(140)
        .nullish()
        .meta({ description: 'Your own note. The payer does not see it. Required with `outside`.' }),
      method: payoutMethodSchema.default('provider').meta({
        description: '`outside`: you gave the money back by your own means (cash, your own phone). Not with an API key.',
      }),
      merchant_reference: lineOfText(64).nullish().meta({ description: 'Your own reference.' }),
    })
    .prefault({})

/** Refuses to record what cannot be proved: with 403 by a key, because a person answers for it, and with 400 without a reason. */
function refuseOutside({ callers }: OwnerAuth, reason: string | null | undefined): void {
  if (callers === 'keys') {
    throw new Refusal(
      403,
      'sign_in_required',
      'An API key cannot record a refund that you gave by your own means: a signed-in member does, in the dashboard or with POST /v1/merchant/payments/{reference}/refunds.',
    )
  }
  if (reason) return
  const message = 'Say how the money was given back.'
  throw invalidFields([{ field: 'reason', code: 'required', message }], 'validation_error', message)
}

/** The payment of the path, whose owner calls; refuses another one with 404. */
async function paymentOf(
  deps: PayoutRouteDeps,
  auth: OwnerAuth,
  request: FastifyRequest,
): Promise<{ owner: Owner; paymentId: string }> {
  const owner = auth.ownerOf(request)
  const paymentId = fromWire('pay', (request.params as { reference: string }).reference)
  if (paymentId === undefined || !(await findRefundSource(deps.db, owner, paymentId))) throw notFound()
  return { owner, paymentId }
}

async function refundOf(
  deps: PayoutRouteDeps,
  auth: OwnerAuth,
  request: FastifyRequest,
): Promise<{ owner: Owner; refund: Payout }> {
  const owner = auth.ownerOf(request)
  const id = fromWire('rf', (request.params as { id: string }).id)
  const refund = orNotFound(id === undefined ? undefined : await findPayout(deps.db, owner, id, 'refund'))
  return { owner, refund }
}

export async function refundRoutes(http: Http, deps: PayoutRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    const requireStanding = requireStandingToPay(deps, auth, 'refund')
    ownerRoute(http, deps, auth, {
      route: 'POST /payments/:reference/refunds',
      permission: 'payouts.write',
      operationId: `create${auth.name}Refund`,
      summary: 'Refund a payment',
      description:
        'Debits the amount and the fee from the wallet, then sends the money to the phone that paid. 201 does not mean that the money arrived: wait for the event `refund.completed` or `refund.failed`, or read the refund until it has ended. `method: "outside"` sends nothing and changes no wallet: a signed-in person records, with a `reason`, that the payer has the money; `completed` at once or after its approval. A repeat with the same key and body answers 200 with the same refund and `Idempotency-Replayed: true`; a key belongs to one payment. Not completed, under review, or its credit was taken back: 409 `invalid_state`. More than what is left: 409 `refund_exceeds_payment` with `details.refundable`. In live, the rules of payouts hold (verification, approval, waits, holds, limits); in test no verification is needed.',
      headers: idempotencyHeader(),
      body: refundBodyOf(auth),
      answers: { 200: dataOf(refundSchema), 201: dataOf(refundSchema) },
      refuses: [
        'idempotency_key_required',
        'amount_invalid',
        'amount_too_small',
        'amount_too_large',
        'network_unsupported',
        'insufficient_balance',
        ...mayPayRefusals(auth),
        ...(auth.callers === 'keys' ? ['sign_in_required'] : []),
        'insufficient_role',
        'invalid_state',
        'refund_exceeds_payment',
        'payouts_on_hold',
        'payout_must_wait',
        'idempotency_in_progress',
        'idempotency_key_reused',
        'provider_unavailable',
        'network_unavailable',
      ],
      before: async (request) => {
        await paymentOf(deps, auth, request)
        await requireStanding(request)
      },
      handler: async (request, reply) => {
        const { owner, paymentId } = await paymentOf(deps, auth, request)
        const { amount, reason, method, merchant_reference } = request.body
        if (method === 'outside') refuseOutside(auth, reason)
        const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
        const caller = await payoutCallerOf(deps, auth, owner, request, reply, 'refund')
        const { payout, isReplay } = await requestRefund(deps, caller, {
          paymentId,
          method,
          amount: amount ?? null,
          reason: reason ?? null,
          merchantReference: merchant_reference ?? null,
          idempotencyKey,
        })
        if (isReplay) void reply.header('idempotency-replayed', 'true')
        else if (method === 'provider') deps.inBackground(checkPayouts(deps, 1, payout))
        return reply.code(isReplay ? 200 : 201).send({ data: refundToJson(payout) })
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payments/:reference/refunds',
      permission: 'payouts.read',
      operationId: `list${auth.name}Refunds`,
      summary: 'List refunds of a payment',
      query: z.strictObject({ ...listQuery, ...auth.query }),
      answers: { 200: listOf(refundSchema) },
      handler: async (request) => {
        const { owner, paymentId } = await paymentOf(deps, auth, request)
        const scope = `refunds ${paymentId}`
        const range = rangeOf(deps.cursors, scope, request.query)
        const page = pageByTime(deps.cursors, scope, await listRefunds(deps.db, owner, paymentId, range), range.limit)
        return answerPage(page, refundToJson)
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /refunds',
      permission: 'payouts.read',
      operationId: `list${auth.name}AllRefunds`,
      summary: 'List refunds',
      description: `The refunds of all payments, newest first. The search with \`q\` covers at most ${maxSearchedPayouts.toLocaleString('en')} refunds for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor.`,
      query: z.strictObject({ ...listQuery, ...auth.query, ...refundFilters }),
      answers: { 200: listOf(refundSchema) },
      handler: async (request) => answerPage(await listOwnRefunds(deps, auth.ownerOf(request), request.query), refundToJson),
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /refunds/:id',
      permission: 'payouts.read',
      operationId: `get${auth.name}Refund`,
      summary: 'Get a refund',
      answers: { 200: dataOf(refundSchema) },
      handler: async (request) => ({ data: refundToJson((await refundOf(deps, auth, request)).refund) }),
    })

    ownerRoute(http, deps, auth, {
      route: 'POST /refunds/:id/cancel',
      permission: 'payouts.write',
      operationId: `cancel${auth.name}Refund`,
      summary: 'Cancel a refund',
      description:
        'Only before the refund is sent. Returns the amount and the fee to the wallet. Already sent or ended: 409 `invalid_state`.',
      body: z.strictObject({}).prefault({}),
      answers: { 200: dataOf(refundSchema) },
      refuses: ['invalid_state'],
      before: (request) => refundOf(deps, auth, request),
      handler: async (request) => {
        const { owner, refund } = await refundOf(deps, auth, request)
        const cause = { actor: actorOf(request), requestId: request.id }
        const confirm = async (tx: Tx) => void (await auth.confirm(tx, request, owner))
        return { data: refundToJson(await cancelPayout(deps, refund, cause, confirm, personOf(request))) }
      },
    })
  }
}
