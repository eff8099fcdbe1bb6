/** HTTP route that sends a payment request to a phone: the customer stands at the counter, and their number is typed there. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { requireGoodStanding, standingRefusals, type Owner } from '../../accounts/identity/merchant.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { idempotencyHeader, idempotencyKeyOf } from '../../platform/http/idempotency-key.ts'
import { fromWire } from '../../platform/ids.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findRequestPage, type OpenPage } from '../pages/page.sql.ts'
import { checkoutBody, checkoutSchema, checkoutToJson } from './routes.ts'
import { startCheckout, type CheckoutDeps } from './start-checkout.ts'
import { storeConfirmed } from './store-payment.ts'

export type PromptRouteDeps = OwnerAuthDeps & { db: Db; checkout: CheckoutDeps; config: Pick<Config, 'urls'> }

/** As for making a request: in test every account may. */
function requireMaySend(owner: Owner): void {
  requireGoodStanding(owner, { testWritesBeforeVerification: true })
}

export async function requestPromptRoutes(http: Http, deps: PromptRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)

  async function pageOf(request: FastifyRequest): Promise<OpenPage> {
    const id = fromWire('preq', (request.params as { id: string }).id)
    return orNotFound(id === undefined ? undefined : await findRequestPage(deps.db, auth.ownerOf(request), id))
  }

  ownerRoute(http, deps, auth, {
    route: 'POST /payment-requests/:id/prompt',
    permission: 'requests.write',
    operationId: 'sendMerchantPaymentRequest',
    summary: 'Prompt a phone for a request',
    description:
      'Starts the checkout of the request for this number: the phone asks for the PIN. 201 means that the payment exists, not that it is paid: read the request or the payment. While a payment of the request is in progress, no second one starts (409 `request_busy`). A repeat with the same `Idempotency-Key` and body answers 200 with the same payment and `Idempotency-Replayed: true`.',
    headers: idempotencyHeader(),
    body: z.strictObject({ phone_number: checkoutBody.shape.phone_number }),
    answers: { 200: dataOf(checkoutSchema), 201: dataOf(checkoutSchema) },
    refuses: [
      'idempotency_key_required',
      'phone_invalid',
      'network_unsupported',
      ...standingRefusals,
      'page_inactive',
      'page_expired',
      'request_busy',
      'request_paid',
      'request_cancelled',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'phone_busy',
      'provider_unavailable',
      'network_unavailable',
    ],
    before: async (request) => {
      requireMaySend(auth.ownerOf(request))
      await pageOf(request)
    },
    handler: async (request, reply) => {
      const page = await pageOf(request)
      const owner = auth.ownerOf(request)
      const store = storeConfirmed(deps.db, async (tx) => requireMaySend(await auth.confirm(tx, request, owner)))
      const insertPayment: CheckoutDeps['insertPayment'] = async (payment) => {
        // Here, and not before: a repeat that finds its payment prompts no phone.
        await deps.limits.requestPrompt.take(`${owner.merchant.id} ${owner.environment}`, reply)
        return store(payment)
      }
      const checkout = await startCheckout(
        { ...deps.checkout, insertPayment },
        page,
        {
          phoneNumber: request.body.phone_number,
          // Another person than the customer of the request may stand there.
          customerName: null,
          customerEmail: null,
          idempotencyKey: idempotencyKeyOf(request.headers['idempotency-key']),
          address: request.ip,
          language: page.language === 'auto' ? 'sw' : page.language,
        },
        request.id,
      )
      void reply.header('cache-control', 'no-store')
      if (checkout.isReplay) void reply.header('idempotency-replayed', 'true')
      return reply.code(checkout.isReplay ? 200 : 201).send({ data: checkoutToJson(checkout, page.slug, deps.config.urls) })
    },
  })
}
