/** HTTP of payment requests, by API key and by the owner's sign-in. */
import { textTyped } from '../../domain/typed.ts'
import { standingRefusals, type Owner } from '../../accounts/identity/merchant.ts'
import { pageRefusals, settingFields } from '../pages/page.ts'
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { changedBy, ownerAuthMethods, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { amountWarnings, amountWarningSchema, amountWarningsText } from '../../domain/currency.ts'
import { requestStatusSchema } from '../../domain/payment-request.ts'
import { readPhone } from '../../domain/phone.ts'
import { settingsOf } from '../pages/routes.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { merchantReference, metadata } from '../../platform/http/own-data.ts'
import { lineOfText, mailAddress } from '../../platform/http/text.ts'
import { fromWire } from '../../platform/ids.ts'
import { invalidFields, orNotFound } from '../../platform/refusal.ts'
import { cancelRequest } from './cancel-request.ts'
import { createRequest, requireMayRequest } from './create-request.ts'
import { requestSchema, requestToJson, type PaymentRequest } from './payment-request.ts'
import { findRequest, listRequests } from './payment-request.sql.ts'

export type RequestRouteDeps = OwnerAuthDeps & {
  db: Db
  config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'testWritesBeforeVerification' | 'mode' | 'pages'>
  cursors: Cursors
}

/** How many requests one answer searches for those of a status. */
const maxSearchedRequests = 100_000

const createBody = z.strictObject({
  amount: settingFields.min_amount.meta({ description: 'TZS. The customer cannot change it.', example: 25_000 }),
  title: settingFields.title.meta({ description: 'What the customer pays for.', example: 'Order 1043' }),
  description: settingFields.description.optional(),
  merchant_reference: merchantReference.nullish().meta({ description: 'Your own order number; it need not be unique.' }),
  metadata: metadata.nullish().meta({ description: 'Your own data: at most 20 values.' }),
  customer: z
    .strictObject({
      name: lineOfText(120).nullish(),
      email: mailAddress.nullish(),
      phone_number: z.string().max(40).nullish().meta({ example: '+255754123789' }),
    })
    .nullish()
    .meta({
      description: 'Fills the form. The customer can change it, and everyone with the link can read it until it is paid.',
    }),
  expires_at: settingFields.expires_at.optional(),
  redirect_url: settingFields.redirect_url.optional(),
  success_message: settingFields.success_message.optional(),
  language: settingFields.language.optional(),
})

const createdRequestSchema = requestSchema
  .extend({ warnings: z.array(amountWarningSchema).meta({ description: `${amountWarningsText} Only for an API key.` }) })
  .meta({ id: 'CreatedPaymentRequest' })

export async function paymentRequestRoutes(http: Http, deps: RequestRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    const toJson = (made: PaymentRequest, request: FastifyRequest): z.infer<typeof requestSchema> =>
      requestToJson(made, auth.sightOf(request), deps.config.urls)

    async function idOf(request: FastifyRequest): Promise<{ owner: Owner; id: string }> {
      const owner = auth.ownerOf(request)
      const id = orNotFound(fromWire('preq', (request.params as { id: string }).id))
      return { owner, id }
    }

    ownerRoute(http, deps, auth, {
      route: 'POST /payment-requests',
      permission: 'requests.write',
      operationId: `create${auth.name}PaymentRequest`,
      summary: 'Create a payment request',
      description:
        'Makes a link on which one customer pays one order. The customer can try again until a payment completes; while one is in progress, no second one can start. Its payments carry `merchant_reference` and `metadata`. In the test environment no verification is needed.',
      body: createBody,
      answers: { 201: dataOf(createdRequestSchema) },
      refuses: [...pageRefusals, 'phone_invalid', ...standingRefusals, 'slug_taken'],
      idempotencyKey: 'replay_answer',
      before: async (request) => requireMayRequest(auth.ownerOf(request)),
      handler: async (request, reply) => {
        const owner = auth.ownerOf(request)
        const { amount, title, customer, metadata, merchant_reference: merchantReference = null, ...settings } = request.body
        const wanted = {
          ...settingsOf(settings),
          metadata: metadata ?? {},
          amount,
          title,
          merchantReference,
          customerName: customer?.name ?? null,
          customerEmail: customer?.email ?? null,
          customerPhone: customerPhoneOf(customer?.phone_number),
        }
        const made = await createRequest(deps, owner, wanted, changedBy(auth, request, owner))
        void reply.code(201)
        const warnings = auth.callers === 'keys' ? amountWarnings(owner.environment, amount) : []
        return { data: { ...toJson(made, request), warnings } }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payment-requests',
      permission: 'requests.read',
      operationId: `list${auth.name}PaymentRequests`,
      summary: 'List payment requests',
      description: `Newest first. The filter for a status searches at most ${maxSearchedRequests.toLocaleString('en')} requests for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor.`,
      query: z.strictObject({
        ...listQuery,
        ...auth.query,
        status: requestStatusSchema.optional(),
        merchant_reference: merchantReference.optional(),
      }),
      answers: { 200: listOf(requestSchema) },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const { status, merchant_reference } = request.query
        const scope = `payment requests ${owner.merchant.id} ${owner.environment}`
        const range = { ...rangeOf(deps.cursors, scope, request.query), among: maxSearchedRequests }
        const { requests, hasMore, last } = await listRequests(
          deps.db,
          owner,
          { status, merchantReference: merchant_reference },
          range,
        )
        const nextCursor = hasMore && last ? deps.cursors.encode(scope, [last.createdAt.toISOString(), last.id]) : null
        return answerPage({ items: requests, hasMore, nextCursor }, (one) => toJson(one, request))
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payment-requests/:id',
      permission: 'requests.read',
      operationId: `get${auth.name}PaymentRequest`,
      summary: 'Get a payment request',
      answers: { 200: dataOf(requestSchema) },
      handler: async (request) => {
        const { owner, id } = await idOf(request)
        const found = orNotFound(await findRequest(deps.db, owner, id))
        return { data: toJson(found, request) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'POST /payment-requests/:id/cancel',
      permission: 'requests.write',
      operationId: `cancel${auth.name}PaymentRequest`,
      summary: 'Cancel a payment request',
      description:
        'No payment starts on it afterwards. A payment that is in progress may still complete; then the request becomes `paid`. Paid or expired: 409 `invalid_state`. A cancelled request stays as it is.',
      body: z.strictObject({}).prefault({}),
      answers: { 200: dataOf(requestSchema) },
      refuses: ['invalid_state'],
      handler: async (request) => {
        const { owner, id } = await idOf(request)
        return { data: toJson(await cancelRequest(deps, owner, id, changedBy(auth, request, owner)), request) }
      },
    })
  }
}

/** The number of the customer in E.164; null without one. */
function customerPhoneOf(sent: string | null | undefined): string | null {
  if (sent === null || sent === undefined || textTyped(sent) === '') return null
  const phone = readPhone(sent)
  if (phone.kind === 'mobile') return phone.e164
  const message = 'Use a Tanzanian mobile number, such as +255754123789.'
  throw invalidFields([{ field: 'customer.phone_number', code: 'phone_invalid', message }])
}
