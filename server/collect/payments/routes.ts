/** HTTP routes of the public payment flow: checkout and status. No API key; every caller with a reference may read. */
import { nameForPayers, nameForPayersText } from '../../domain/merchant.ts'
import { closedCodes } from '../../domain/page.ts'
import { publicRoute } from '../../accounts/identity/route.ts'
import { currencySchema, sentCurrency } from '../../domain/currency.ts'
import { findPublicPage } from '../pages/find-public-page.ts'
import { payerLanguageSchema } from '../../domain/language.ts'
import { paymentStatusSchema, shortCodeSchema, type PaymentStatus } from '../../domain/payment.ts'
import { networkSchema } from '../../domain/network.ts'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { customValuesBody } from '../pages/custom-field.ts'
import { ceilingAmount, minimumAmount } from '../pages/page.ts'
import { freshKey, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import type { OpenPage } from '../pages/page.sql.ts'
import { dataOf, wholeNumber, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { networkOf, type Limit } from '../../platform/http/limits.ts'
import { notFound, orNotFound, Refusal } from '../../platform/refusal.ts'
import { lineOfText, mailAddress } from '../../platform/http/text.ts'
import { cancelPayment } from './cancel-payment.ts'
import { provenPayment } from './checkout-token.ts'
import { failureInReview, failureSchema, paymentFailure } from '../../domain/failure.ts'
import { needsConfirmation } from './payment.ts'
import type { PaymentView } from './payment.sql.ts'
import { languageOf } from './payer-language.ts'
import { maskPhone } from '../../domain/phone.ts'
import type { StatusReader } from './read-status.ts'
import { resendPrompt } from './resend-prompt.ts'
import { startCheckout, type Checkout, type CheckoutDeps } from './start-checkout.ts'
import { answerOf } from '../../platform/http/answer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The page of a checkout; set only on the checkout route. */
    openPage: OpenPage
  }
}

export type PaymentRouteDeps = {
  checkout: CheckoutDeps
  readPage(slug: string): Promise<OpenPage | undefined>
  statuses: StatusReader
  limits: Record<'checkout' | 'status' | 'unknownReference' | 'unknownPage', Limit>
  config: Pick<Config, 'urls' | 'http' | 'keys'>
}

const reference = z.string().meta({ description: 'The payment reference.', example: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m' })

export const checkoutBody = z.strictObject({
  slug: z.string().max(200).meta({ example: 'k7m2q9xa' }),
  phone_number: z
    .string()
    .max(40)
    .meta({ description: 'The payer’s mobile money number, in any common format.', example: '+255754123789' }),
  customer_name: lineOfText(120).meta({ example: 'Juma Ali' }),
  customer_email: mailAddress.meta({
    format: 'email',
    maxLength: 254,
    description: 'Where the receipt is sent. Always required here; only our own hosted page may leave it out.',
    example: 'juma@example.com',
  }),
  idempotency_key: idempotencyKey.meta({
    description:
      'Your own key for one payment. Sending the same key again returns that payment. Use a random value such as a UUID: the checkout is public, and someone else could use a key that can be guessed before you.',
    example: freshKey,
  }),
  amount: z.unknown().optional().meta({
    type: 'integer',
    minimum: minimumAmount,
    maximum: ceilingAmount,
    format: 'int64',
    description: 'A whole number of TZS. Required if the payer chooses the amount on this page.',
    example: 2500,
  }),
  currency: sentCurrency,
  network: networkSchema.nullish(),
  custom_fields: customValuesBody.nullish().meta({
    description:
      'The payer’s values for the `custom_fields` of the page, by `key`. A missing required value is refused with `custom_field_required`.',
    example: { table: '7' },
  }),
  language: payerLanguageSchema.nullish().meta({
    description:
      'Language of the payer’s receipt. Default: the language of the page, else the one preferred in `Accept-Language`, else Swahili. A repeat with the same `idempotency_key` may send a different language; the first one is kept.',
  }),
})

const nextStepSchema = z
  .object({ type: z.literal('confirm'), url: z.string() })
  .optional()
  .meta({
    description:
      'Present while the payer must confirm before a payment request is sent: redirect the payer to `url`, a page of ours with one button. If the payer does not confirm within ten minutes, the payment becomes `expired`.',
  })

export const checkoutSchema = z
  .object({
    reference,
    short_code: shortCodeSchema,
    status: paymentStatusSchema,
    amount: z.int().meta({ description: 'TZS.' }),
    currency: currencySchema,
    network: networkSchema.nullable().meta({ description: 'Guessed from the number until the provider reports it.' }),
    phone_masked: z.string().meta({ example: '0754 ••• 789' }),
    expires_at: z.iso.datetime(),
    poll_after_ms: z.int(),
    status_url: z.string(),
    checkout_token: z.string().meta({ description: 'Proves that you started this checkout. Keep it secret.' }),
    next_step: nextStepSchema,
  })
  .meta({ id: 'Checkout' })

const statusViewSchema = z
  .object({
    reference,
    short_code: shortCodeSchema,
    status: paymentStatusSchema,
    amount: z.int(),
    currency: currencySchema,
    page: z.object({ title: z.string(), slug: z.string() }),
    merchant_name: z.string().meta({ description: nameForPayersText }),
    network: networkSchema.nullable(),
    phone_masked: z.string(),
    can_resend: z.boolean().meta({ description: 'Whether the payment request can be sent to the phone again now.' }),
    resend_at: z.iso.datetime().nullable().meta({ description: 'When the payment request can be sent again. Null: never.' }),
    cancel_requested: z
      .boolean()
      .meta({ description: 'The payer has cancelled. The payment ends as `voided`, unless it was paid anyway.' }),
    expires_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    late: z.boolean().meta({ description: 'The payment succeeded after it had already ended as failed, voided or expired.' }),
    receipt_url: z.string().nullable(),
    failure: failureSchema.nullable(),
    next_step: nextStepSchema,
  })
  .meta({ id: 'PaymentStatus' })

export const pollAfterMs = 3_000

/** Where a payer confirms a payment that waits for confirmation: the payment's own page on the checkout host. */
function nextStep(
  payment: { reference: string; slug: string; status: PaymentStatus; isUnconfirmed: boolean },
  urls: Pick<Config['urls'], 'checkout'>,
): { next_step?: { type: 'confirm'; url: string } } {
  if (!needsConfirmation(payment)) return {}
  return { next_step: { type: 'confirm', url: `${urls.checkout}/pay/${payment.slug}/${payment.reference}` } }
}

export function statusToJson(payment: PaymentView, urls: Pick<Config['urls'], 'checkout'>): z.infer<typeof statusViewSchema> {
  const wireReference = toWire('pay', payment.id)
  return answerOf(statusViewSchema, payment, {
    reference: wireReference,
    page: { title: payment.pageTitle, slug: payment.pageSlug },
    merchant_name: nameForPayers(payment.merchantName, 'en'),
    phone_masked: maskPhone(payment.phoneNumber),
    cancel_requested: payment.isCancelRequested,
    receipt_url: payment.status === 'completed' ? `${urls.checkout}/r/${wireReference}` : null,
    failure:
      payment.status !== 'failed' || payment.failureCode === null
        ? null
        : payment.heldMoney === 'under_review'
          ? failureInReview(payment.failureCode)
          : paymentFailure(payment.failureCode),
    ...nextStep({ ...payment, slug: payment.pageSlug, reference: wireReference }, urls),
  })
}

export function checkoutToJson(
  checkout: Checkout,
  slug: string,
  urls: Pick<Config['urls'], 'api' | 'checkout'>,
): z.infer<typeof checkoutSchema> {
  return answerOf(checkoutSchema, checkout, {
    currency: 'TZS',
    poll_after_ms: pollAfterMs,
    status_url: `${urls.api}/v1/payments/${checkout.reference}/status`,
    ...nextStep({ ...checkout, slug }, urls),
  })
}

const tokenBody = z.strictObject({
  checkout_token: z.string().max(200).meta({ description: 'The token from the answer to the checkout.' }),
})

export async function paymentRoutes(http: Http, deps: PaymentRouteDeps): Promise<void> {
  // The property is declared once, so that every request object has the same shape.
  http.decorateRequest('openPage', null as unknown as OpenPage)
  /**
   * Reads a payment within its rate limit. A caller of unknown references is counted only once the reference is known not to exist:
   * payers behind the same address of a carrier must not lose access to their own payments.
   */
  async function readLimited(
    request: { params: { reference: string }; ip: string },
    reply: FastifyReply,
    read: (wireReference: string) => Promise<PaymentView>,
  ): Promise<PaymentView> {
    const wireReference = request.params.reference
    const id = fromWire('pay', wireReference)
    if (id !== undefined) await deps.limits.status.take(id, reply)
    try {
      return await read(wireReference)
    } catch (error) {
      if (!(error instanceof Refusal) || error.httpStatus !== 404) throw error
      // Random references must not fill the memory.
      if (id !== undefined) await deps.limits.status.forget(id)
      await deps.limits.unknownReference.take(networkOf(request.ip), reply)
      throw error
    }
  }

  /** The payment id for the holder of its token. All other callers get 404 without a lookup. */
  async function provenBy(
    request: { params: { reference: string }; body: z.infer<typeof tokenBody>; ip: string },
    reply: FastifyReply,
  ): Promise<string> {
    const id = provenPayment(deps, request.params.reference, request.body.checkout_token)
    if (id === undefined) {
      await deps.limits.unknownReference.take(networkOf(request.ip), reply)
      throw notFound()
    }
    await deps.limits.status.take(id, reply)
    return id
  }
  publicRoute(http, {
    route: 'POST /v1/payments/:reference/resend',
    operationId: 'resendPrompt',
    summary: 'Resend the payment request',
    description:
      'Sends the same charge to the same phone again and never creates a new one. Allowed 60 seconds after the last request, at most 3 times, and only while the charge is open at the provider (`can_resend`, `resend_at`). If the charge is no longer open, the answer has its current status. Too early or too often: 429. The payment is cancelled or ends before a prompt would, or its provider cannot send again: 409 `invalid_state`.',
    params: z.object({ reference }),
    body: tokenBody,
    answers: { 200: dataOf(statusViewSchema) },
    refuses: ['invalid_state', 'phone_busy', 'provider_unavailable', 'network_unavailable'],
    handler: async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      await resendPrompt(deps.checkout, await provenBy(request, reply))
      return { data: statusToJson(await deps.statuses.read(request.params.reference), deps.config.urls) }
    },
  })

  publicRoute(http, {
    route: 'POST /v1/payments/:reference/cancel',
    operationId: 'cancelPayment',
    summary: 'Cancel a payment',
    description:
      'A payment that was not sent to the phone yet becomes `voided` at once. Otherwise `cancel_requested` is set, and the payment becomes `voided` when the provider ends the charge without success. A payer who enters the PIN anyway has paid. The payment has already ended: 409 `invalid_state`.',
    params: z.object({ reference }),
    body: tokenBody,
    answers: { 200: dataOf(statusViewSchema) },
    refuses: ['invalid_state'],
    handler: async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      await cancelPayment(deps.checkout, await provenBy(request, reply), request.id)
      return { data: statusToJson(await deps.statuses.read(request.params.reference), deps.config.urls) }
    },
  })

  publicRoute(http, {
    route: 'POST /v1/payments/checkout',
    operationId: 'startCheckout',
    summary: 'Start a checkout',
    description:
      'Creates a payment, then sends a payment request to the payer’s phone, which asks for the PIN. 201 means that the payment exists, not that it is paid: poll its status, or wait for `payment.completed`. A repeat with the same `idempotency_key` and body answers 200 with the same payment and `Idempotency-Replayed: true`.',
    body: checkoutBody,
    answers: { 200: dataOf(checkoutSchema), 201: dataOf(checkoutSchema) },
    refuses: [
      'amount_required',
      'amount_too_small',
      'amount_too_large',
      'amount_invalid',
      'amount_mismatch',
      'currency_unsupported',
      'phone_invalid',
      'network_unsupported',
      'custom_field_required',
      'custom_field_invalid',
      'custom_field_unknown',
      ...closedCodes,
      'idempotency_in_progress',
      'idempotency_key_reused',
      'phone_busy',
      'provider_unavailable',
      'network_unavailable',
      'not_found',
    ],
    admit: async (request, reply) => deps.limits.checkout.take(networkOf(request.ip), reply),
    // An unknown page is reported before any other check of the request.
    async before(request) {
      const { slug } = (request.body ?? {}) as { slug?: unknown }
      if (typeof slug !== 'string') return
      const page = orNotFound(await findPublicPage(deps, slug, request.ip))
      request.openPage = page
    },
    handler: async (request, reply) => {
      const { body } = request
      const checkout = await startCheckout(
        deps.checkout,
        request.openPage,
        {
          phoneNumber: body.phone_number,
          customerName: body.customer_name,
          customerEmail: body.customer_email,
          idempotencyKey: body.idempotency_key,
          amount: body.amount,
          currency: body.currency,
          network: body.network ?? undefined,
          customFields: body.custom_fields ?? undefined,
          address: request.ip,
          language: languageOf({
            chosen: body.language ?? undefined,
            page: request.openPage.language,
            acceptLanguage: request.headers['accept-language'],
          }),
        },
        request.id,
      )
      void reply.header('cache-control', 'no-store')
      if (checkout.isReplay) void reply.header('idempotency-replayed', 'true')
      return reply
        .code(checkout.isReplay ? 200 : 201)
        .send({ data: checkoutToJson(checkout, request.openPage.slug, deps.config.urls) })
    },
  })

  publicRoute(http, {
    route: 'GET /v1/payments/:reference/status',
    operationId: 'getPaymentStatus',
    summary: 'Get a payment status',
    description: 'With `?wait=`, the answer is delayed until the status changes, for at most that many seconds.',
    params: z.object({ reference }),
    query: z.strictObject({ wait: wholeNumber(1, 25).optional() }),
    answers: { 200: dataOf(statusViewSchema) },
    handler: async (request, reply) => {
      const { wait } = request.query
      void reply.header('cache-control', 'no-store')
      const payment = await readLimited(request, reply, (wireReference) => {
        if (wait === undefined) return deps.statuses.read(wireReference)
        const gone = new AbortController()
        // Stop waiting when the payer has disconnected.
        reply.raw.once('close', () => gone.abort())
        return deps.statuses.readWhenChanged(wireReference, wait * 1000, gone.signal)
      })
      return { data: statusToJson(payment, deps.config.urls) }
    },
  })
}
