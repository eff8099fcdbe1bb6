/** HTTP route of payments that a merchant's server makes with a key: a checkout on the hidden page of the wallet, with the same rules. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { amountWarnings, amountWarningSchema, amountWarningsText } from '../../domain/currency.ts'
import { payerLanguageSchema } from '../../domain/language.ts'
import { keyAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { requireGoodStanding, type Owner, standingRefusals } from '../../accounts/identity/merchant.ts'
import type { Config } from '../../config/config.ts'
import { ensureDirectPage } from '../pages/direct-page.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { idempotencyHeader, idempotencyKeyOf } from '../../platform/http/idempotency-key.ts'
import { merchantReference, metadata } from '../../platform/http/own-data.ts'
import { lineOfText } from '../../platform/http/text.ts'
import { ceilingAmount, minimumAmount } from '../pages/page.ts'
import { checkoutBody, checkoutSchema, checkoutToJson } from './routes.ts'
import { startCheckout, type CheckoutDeps } from './start-checkout.ts'
import { storeConfirmed } from './store-payment.ts'

export type CreatePaymentRouteDeps = OwnerAuthDeps & {
  db: Db
  checkout: CheckoutDeps
  config: Pick<Config, 'urls' | 'testWritesBeforeVerification' | 'cell'>
}

const { phone_number, customer_name, customer_email, amount, currency, network } = checkoutBody.shape

const paymentBody = z
  .strictObject({
    amount: amount.meta({
      type: 'integer',
      description: 'A whole number of TZS, at least 500.',
      example: 5000,
      maximum: ceilingAmount,
      minimum: minimumAmount,
      format: 'int64',
    }),
    currency,
    phone_number,
    description: lineOfText(120).meta({
      description: 'What the payer pays for. The payer sees it on the receipt and while the payment is open.',
      example: 'Order 1001',
    }),
    customer_name: customer_name.nullish(),
    customer_email: customer_email
      .nullish()
      .meta({ format: 'email', maxLength: 254, description: 'Where the receipt is sent. Without it, none is sent.' }),
    network: network.meta({ description: 'The mobile network of the payer, if you know it.' }),
    merchant_reference: merchantReference.nullish().meta({
      description: 'Your own order number. It need not be unique, and the payer does not see it.',
    }),
    metadata: metadata.nullish().meta({ description: 'Your own data, up to 20 entries. The payer does not see it.' }),
    language: payerLanguageSchema.nullish().meta({ description: 'Language of the messages to the payer. Default: Swahili.' }),
  })
  // A missing amount is a broken rule (`amount_required`), so the schema lets it pass.
  .meta({ required: ['amount', 'phone_number', 'description'] })

const createdPaymentSchema = checkoutSchema
  .extend({
    payment_page_id: z.string().nullable().meta({ description: 'Null: it has no page.' }),
    description: z.string(),
    merchant_reference: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    warnings: z.array(amountWarningSchema).meta({ description: amountWarningsText }),
  })
  .meta({ id: 'CreatedPayment' })

/** Refuses in live a merchant that may not receive money. In test, payments work before the verification. */
function requireMayReceive(owner: Owner, config: CreatePaymentRouteDeps['config']): void {
  if (owner.environment === 'live') requireGoodStanding(owner, config)
}

export async function createPaymentRoutes(http: Http, deps: CreatePaymentRouteDeps): Promise<void> {
  const auth = keyAuth(deps)
  ownerRoute(http, deps, auth, {
    route: 'POST /payments',
    permission: 'payments.write',
    operationId: 'createPayment',
    summary: 'Create a payment',
    description:
      'Sends a payment request to the payer’s phone, which asks for the PIN. It needs no payment page. 201 means that the payment exists, not that it is paid: wait for `payment.completed`, or read the payment. A repeat with the same `Idempotency-Key` and body answers 200 with the same payment and `Idempotency-Replayed: true`. In live the merchant must be verified; in test no verification is needed.',
    headers: idempotencyHeader(),
    body: paymentBody,
    answers: { 200: dataOf(createdPaymentSchema), 201: dataOf(createdPaymentSchema) },
    refuses: [
      'idempotency_key_required',
      'amount_required',
      'amount_too_small',
      'amount_too_large',
      'amount_invalid',
      'currency_unsupported',
      'phone_invalid',
      'network_unsupported',
      ...standingRefusals,
      'page_inactive',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'phone_busy',
      'provider_unavailable',
      'network_unavailable',
    ],
    before: async (request) => requireMayReceive(auth.ownerOf(request), deps.config),
    handler: async (request, reply) => {
      const { body } = request
      const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
      const owner = auth.ownerOf(request)
      const page = await ensureDirectPage(deps, owner)
      const merchantFields = {
        merchantReference: body.merchant_reference ?? null,
        metadata: body.metadata ?? {},
        description: body.description,
      }
      const insertPayment = storeConfirmed(deps.db, async (tx) =>
        requireMayReceive(await auth.confirm(tx, request, owner), deps.config),
      )
      const checkout = await startCheckout(
        { ...deps.checkout, insertPayment },
        page,
        {
          phoneNumber: body.phone_number,
          customerName: body.customer_name ?? null,
          customerEmail: body.customer_email ?? null,
          merchantFields,
          idempotencyKey,
          amount: body.amount,
          currency: body.currency,
          network: body.network ?? undefined,
          address: request.ip,
          language: body.language ?? 'sw',
        },
        request.id,
      )
      void reply.header('cache-control', 'no-store')
      if (checkout.isReplay) void reply.header('idempotency-replayed', 'true')
      return reply.code(checkout.isReplay ? 200 : 201).send({
        data: {
          ...checkoutToJson(checkout, page.slug, deps.config.urls),
          payment_page_id: null,
          description: merchantFields.description,
          merchant_reference: merchantFields.merchantReference,
          metadata: merchantFields.metadata,
          warnings: amountWarnings(page.environment, checkout.amount),
        },
      })
    },
  })
}
