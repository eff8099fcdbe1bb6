/** HTTP of the public payment flow: checkout and status. No key; anyone who holds a reference may ask. */
import { networkSchema } from '../domain/network.ts'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { OpenPage } from '../pages/page.sql.ts'
import { dataOf, errors, wholeNumber, type Http } from '../platform/http/http.ts'
import { fromWire, toWire } from '../platform/ids.ts'
import { networkOf, type Limit } from '../platform/http/limits.ts'
import { notFound, Refusal } from '../platform/refusal.ts'
import { lineOfText } from '../platform/http/text.ts'
import { cancelPayment } from './cancel-payment.ts'
import { provenPayment } from './checkout-token.ts'
import { failures } from './failure.ts'
import { needsConfirmation, paymentStatuses, type PaymentStatus } from './payment.ts'
import type { PaymentView } from './payment.sql.ts'
import { languageOf, payerLanguages } from './payer-language.ts'
import { maskPhone } from '../domain/phone.ts'
import type { StatusReader } from './read-status.ts'
import { resendPrompt } from './resend-prompt.ts'
import { startCheckout, type Checkout, type CheckoutDeps } from './start-checkout.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The page that a checkout is for; there only on its route. */
    openPage: OpenPage
  }
}

export type PaymentRouteDeps = {
  checkout: CheckoutDeps
  readPage(slug: string): Promise<OpenPage | undefined>
  statuses: StatusReader
  limits: Record<'checkout' | 'status' | 'unknownReference', Limit>
  config: Pick<Config, 'urls' | 'http' | 'keys'>
}

const statusSchema = z.enum(paymentStatuses)
const reference = z.string().meta({ description: 'The payment reference.', example: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m' })

export const checkoutBody = z.strictObject({
  slug: z.string().max(200).meta({ example: 'k7m2q9xa' }),
  phone_number: z
    .string()
    .max(40)
    .meta({ description: 'The payer’s mobile money number, in any usual form.', example: '+255754123789' }),
  customer_name: lineOfText(120),
  customer_email: z.string().trim().pipe(z.email().max(254)),
  idempotency_key: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, 'Use 1 to 255 printable ASCII characters.')
    .meta({
      description:
        'Made once for one payment; sending it again finds that payment. Use a random value such as a UUID: the checkout is public, and a key that can be guessed (an order number) can be used first by a stranger.',
    }),
  amount: z
    .unknown()
    .optional()
    .meta({ type: 'integer', description: 'TZS, whole. Required where the page lets the payer choose.', example: 5000 }),
  currency: z.unknown().optional().meta({ type: 'string', description: '`TZS`, if sent at all.' }),
  network: networkSchema.optional(),
  language: z.enum(payerLanguages).optional().meta({
    description:
      'In which the payer gets the receipt. Left out: the page’s language, else the one that `Accept-Language` prefers, else Swahili. The same `idempotency_key` may be sent again with another one: the first stays.',
  }),
})

const nextStepSchema = z
  .object({ type: z.literal('confirm'), url: z.string() })
  .optional()
  .meta({
    description:
      'There while nothing has been sent yet and the payer must confirm first: lead the payer to `url`, a page of ours with one button. Unconfirmed after ten minutes, the payment is `expired`.',
  })

const checkoutSchema = z
  .object({
    reference,
    status: statusSchema,
    amount: z.int().meta({ description: 'TZS.' }),
    currency: z.literal('TZS'),
    network: networkSchema.nullable().meta({ description: 'A guess from the number until the provider says.' }),
    phone_masked: z.string().meta({ example: '0754 ••• 789' }),
    expires_at: z.string(),
    poll_after_ms: z.int(),
    status_url: z.string(),
    checkout_token: z.string().meta({ description: 'Proves that you started this checkout. Keep it to yourself.' }),
    next_step: nextStepSchema,
  })
  .meta({ id: 'Checkout' })

const statusViewSchema = z
  .object({
    reference,
    status: statusSchema,
    amount: z.int(),
    currency: z.literal('TZS'),
    page: z.object({ title: z.string(), slug: z.string() }),
    merchant_name: z.string(),
    network: networkSchema.nullable(),
    phone_masked: z.string(),
    can_resend: z.boolean().meta({ description: 'The payment request may be shown on the phone again now.' }),
    resend_at: z.string().nullable().meta({ description: 'From when it may be; null: not at all.' }),
    cancel_requested: z
      .boolean()
      .meta({ description: 'The payer has cancelled: it ends as `voided`, unless it was paid all the same.' }),
    expires_at: z.string(),
    completed_at: z.string().nullable(),
    late: z.boolean().meta({ description: 'The success came after the payment had ended otherwise.' }),
    receipt_url: z.string().nullable(),
    failure: z.object({ code: z.string(), message: z.string(), message_sw: z.string(), retryable: z.boolean() }).nullable(),
    next_step: nextStepSchema,
  })
  .meta({ id: 'PaymentStatus' })

export const pollAfterMs = 3_000

/** Where a payer confirms a payment that waits for it: the payment's own page on the checkout host. */
function nextStep(
  payment: { reference: string; slug: string; status: PaymentStatus; isUnconfirmed: boolean },
  urls: Pick<Config['urls'], 'checkout'>,
): { next_step?: { type: 'confirm'; url: string } } {
  if (!needsConfirmation(payment)) return {}
  return { next_step: { type: 'confirm', url: `${urls.checkout}/pay/${payment.slug}/${payment.reference}` } }
}

export function statusToJson(payment: PaymentView, urls: Pick<Config['urls'], 'checkout'>): z.infer<typeof statusViewSchema> {
  const failure = payment.status === 'failed' && payment.failureCode !== null ? failures[payment.failureCode] : undefined
  const wireReference = toWire('pay', payment.id)
  return {
    reference: wireReference,
    status: payment.status,
    amount: payment.amount,
    currency: payment.currency,
    page: { title: payment.pageTitle, slug: payment.pageSlug },
    merchant_name: payment.merchantName,
    network: payment.network,
    phone_masked: maskPhone(payment.phoneNumber),
    can_resend: payment.canResend,
    resend_at: payment.resendAt?.toISOString() ?? null,
    cancel_requested: payment.isCancelRequested,
    expires_at: payment.expiresAt.toISOString(),
    completed_at: payment.completedAt?.toISOString() ?? null,
    late: payment.late,
    receipt_url: payment.status === 'completed' ? `${urls.checkout}/r/${wireReference}` : null,
    failure: failure
      ? { code: payment.failureCode!, message: failure.message, message_sw: failure.messageSw, retryable: failure.retryable }
      : null,
    ...nextStep({ ...payment, slug: payment.pageSlug, reference: wireReference }, urls),
  }
}

function checkoutToJson(
  checkout: Checkout,
  slug: string,
  urls: Pick<Config['urls'], 'api' | 'checkout'>,
): z.infer<typeof checkoutSchema> {
  return {
    reference: checkout.reference,
    status: checkout.status,
    amount: checkout.amount,
    currency: 'TZS',
    network: checkout.network,
    phone_masked: checkout.phoneMasked,
    expires_at: checkout.expiresAt.toISOString(),
    poll_after_ms: pollAfterMs,
    status_url: `${urls.api}/v1/payments/${checkout.reference}/status`,
    checkout_token: checkout.checkoutToken,
    ...nextStep({ ...checkout, slug }, urls),
  }
}

export async function paymentRoutes(http: Http, deps: PaymentRouteDeps): Promise<void> {
  // The place is made once, so that every request object has the same shape.
  http.decorateRequest('openPage', null as unknown as OpenPage)

  /**
   * Reads a payment as often as one may be asked for. Who asks for ones that there are not is counted only once that is known: payers
   * behind the same address of a carrier must not lose sight of their own.
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
      // Made-up references must not fill the memory.
      if (id !== undefined) await deps.limits.status.forget(id)
      await deps.limits.unknownReference.take(networkOf(request.ip), reply)
      throw error
    }
  }

  const tokenBody = z.strictObject({
    checkout_token: z.string().max(200).meta({ description: 'From the answer to the checkout.' }),
  })

  /** The payment of who holds its token. For everybody else there is none, and no time is spent on looking. */
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

  http.post(
    '/v1/payments/:reference/resend',
    {
      schema: {
        operationId: 'resendPrompt',
        tags: ['Payments'],
        summary: 'Show the payment request on the phone again',
        description:
          'The same charge on the same phone, never a new one: 60 seconds after the one before, at most 3 times, and only while the provider has it open (`can_resend`, `resend_at`). If it is not open any more, the answer says what has become of it. Too early or too often: 429. A payment that was cancelled, or whose provider cannot do it: 409 `invalid_state`.',
        params: z.object({ reference }),
        body: tokenBody,
        response: { 200: dataOf(statusViewSchema), ...errors(400, 404, 409, 413, 415, 429, 503) },
      },
    },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      await resendPrompt(deps.checkout, await provenBy(request, reply))
      return { data: statusToJson(await deps.statuses.read(request.params.reference), deps.config.urls) }
    },
  )

  http.post(
    '/v1/payments/:reference/cancel',
    {
      schema: {
        operationId: 'cancelPayment',
        tags: ['Payments'],
        summary: 'Cancel a payment',
        description:
          'What was not sent yet is `voided` at once. What the phone may already show is `cancel_requested`, and `voided` when the provider has come to an end without a success; a payer who enters the PIN all the same has paid. After the end: 409 `invalid_state`.',
        params: z.object({ reference }),
        body: tokenBody,
        response: { 200: dataOf(statusViewSchema), ...errors(400, 404, 409, 413, 415, 429, 503) },
      },
    },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      await cancelPayment(deps.checkout, await provenBy(request, reply), request.id)
      return { data: statusToJson(await deps.statuses.read(request.params.reference), deps.config.urls) }
    },
  )

  http.post(
    '/v1/payments/checkout',
    {
      onRequest: async (request, reply) => deps.limits.checkout.take(networkOf(request.ip), reply),
      // A page that is not there is said before anything else of the request is looked at.
      async preValidation(request) {
        const { slug } = (request.body ?? {}) as { slug?: unknown }
        if (typeof slug !== 'string') return
        const page = await deps.readPage(slug)
        if (!page) throw notFound()
        request.openPage = page
      },
      schema: {
        operationId: 'startCheckout',
        tags: ['Payments'],
        summary: 'Start a mobile money charge',
        description:
          'Stores the payment, then asks the payer’s phone for a PIN. 201 means that the payment exists, not that it is paid: poll its status, or wait for `payment.completed`. The same `idempotency_key` and body answer 200 with the same payment and `Idempotency-Replayed: true`.',
        body: checkoutBody,
        response: {
          200: dataOf(checkoutSchema),
          201: dataOf(checkoutSchema),
          ...errors(400, 404, 409, 413, 415, 422, 429),
        },
      },
    },
    async (request, reply) => {
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
          network: body.network,
          address: request.ip,
          language: languageOf({
            chosen: body.language,
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
  )

  http.get(
    '/v1/payments/:reference/status',
    {
      schema: {
        operationId: 'getPaymentStatus',
        tags: ['Payments'],
        summary: 'The status of a payment',
        description: '`?wait=` holds the answer back until the status changes, at most so many seconds.',
        params: z.object({ reference }),
        querystring: z.object({ wait: wholeNumber(1, 25).optional() }),
        response: { 200: dataOf(statusViewSchema), ...errors(400, 404, 429) },
      },
    },
    async (request, reply) => {
      const { wait } = request.query
      void reply.header('cache-control', 'no-store')
      const payment = await readLimited(request, reply, (wireReference) => {
        if (wait === undefined) return deps.statuses.read(wireReference)
        const gone = new AbortController()
        // A payer who has left needs no place in the waiting room.
        reply.raw.once('close', () => gone.abort())
        return deps.statuses.readWhenChanged(wireReference, wait * 1000, gone.signal)
      })
      return { data: statusToJson(payment, deps.config.urls) }
    },
  )
}
