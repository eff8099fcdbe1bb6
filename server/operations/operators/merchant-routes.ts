/** HTTP routes of merchants for operators: all data of one merchant, and suspending and unsuspending it or one of its pages. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { suspensionSchema, suspensionToJson, type Merchant } from '../../accounts/identity/merchant.ts'
import { liftSuspension, suspendMerchant, type Operator } from '../../money/controls/suspend-merchant.ts'
import { findAnyPage } from '../../collect/pages/page.sql.ts'
import { setSuspensionOfPage } from '../../collect/pages/suspend-page.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { notFound, orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { lineOfText, paragraphOfText } from '../../platform/http/text.ts'
import { knownMerchantSchema, readMerchant, type ReadMerchantDeps } from './read-merchant.ts'

export type MerchantConsoleDeps = OperatorRouteDeps & ReadMerchantDeps & { sealer: Sealer }

const byMerchant = z.object({ merchant_id: z.string().meta({ description: '`usr_…` for a person, `biz_…` for a business.' }) })
const byPage = z.object({ page_id: z.string() })

const reasonBody = z.strictObject({
  reason: paragraphOfText(2000)
    .min(1, 'Enter the reason. The owner reads this text.')
    .meta({ description: 'The owner reads it in the mail and in the dashboard.' }),
})
const noteBody = z.strictObject({ note: lineOfText(500).meta({ description: 'For the other operators.' }) })

const suspendedMerchantSchema = z.object({ id: z.string(), suspension: suspensionSchema }).meta({ id: 'MerchantSuspension' })

async function findMerchant({ db }: MerchantConsoleDeps, request: FastifyRequest): Promise<Merchant> {
  return orNotFound(await findMerchantByWire(db, (request.params as z.infer<typeof byMerchant>).merchant_id))
}

async function findPageKey({ db }: MerchantConsoleDeps, request: FastifyRequest): Promise<{ home: number; id: string }> {
  const id = fromWire('page', (request.params as z.infer<typeof byPage>).page_id)
  const key = id === undefined ? undefined : { home: homeOfId(id), id }
  if (!key || !(await findAnyPage(db, key))) throw notFound()
  return key
}

const operatorIn = (request: FastifyRequest): Operator => ({ ...request.signedIn, origin: originOf(request) })

export async function merchantConsoleRoutes(http: Http, deps: MerchantConsoleDeps): Promise<void> {
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/merchants/:merchant_id',
    operationId: 'getAdminMerchant',
    summary: 'Get a merchant',
    description:
      'Identity, permissions, balances and volume in both environments, keys, webhooks, latest payments and payouts, and open breaks.',
    params: byMerchant,
    answers: { 200: dataOf(knownMerchantSchema) },
    handler: async (request) => ({ data: await readMerchant(deps, await findMerchant(deps, request)) }),
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/merchants/:merchant_id/suspend',
    operationId: 'suspendMerchant',
    summary: 'Suspend a merchant',
    description:
      'Suspends the live business of a merchant. New checkouts on its live pages get 409 `page_inactive`. Live page writes, payouts and new keys get 403 `merchant_suspended`. Payouts that were not sent are cancelled and their money is returned. Live keys can still read. Payments and payouts in flight settle, webhooks are sent, and the test environment is not affected. The owner gets the reason by mail. Your own account or business: 403 `self_review_forbidden`. Requires a recent sign-in or step-up.',
    params: byMerchant,
    body: reasonBody,
    answers: { 200: dataOf(suspendedMerchantSchema) },
    refuses: ['self_review_forbidden', 'invalid_state'],
    before: (request) => findMerchant(deps, request),
    handler: async (request) => {
      const merchant = await suspendMerchant(
        deps,
        (await findMerchant(deps, request)).id,
        request.body.reason,
        operatorIn(request),
      )
      return { data: { id: request.params.merchant_id, suspension: suspensionToJson(merchant) } }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/merchants/:merchant_id/unsuspend',
    operationId: 'unsuspendMerchant',
    summary: 'Unsuspend a merchant',
    description:
      'Not suspended: 409 `invalid_state`. Your own account or business: 403 `self_review_forbidden`. Requires a recent sign-in or step-up.',
    params: byMerchant,
    body: noteBody,
    answers: { 200: dataOf(suspendedMerchantSchema) },
    refuses: ['self_review_forbidden', 'invalid_state'],
    before: (request) => findMerchant(deps, request),
    handler: async (request) => {
      const merchant = await liftSuspension(deps, (await findMerchant(deps, request)).id, request.body.note, operatorIn(request))
      return { data: { id: request.params.merchant_id, suspension: suspensionToJson(merchant) } }
    },
  })

  for (const [verb, summary] of [
    ['suspend', 'Suspend a payment page'],
    ['unsuspend', 'Unsuspend a payment page'],
  ] as const) {
    const isStop = verb === 'suspend'
    operatorRoute(http, deps, {
      route: `POST /v1/admin/payment-pages/:page_id/${verb}`,
      operationId: `${verb}PaymentPage`,
      summary,
      description: `${isStop ? 'New checkouts get 409 `page_inactive`. Payments in flight settle. The owner gets the reason by mail.' : 'Not suspended: 409 `invalid_state`.'} Your own page: 403 \`self_review_forbidden\`. Requires a recent sign-in or step-up.`,
      body: (isStop ? reasonBody : noteBody) as z.ZodType<{ reason?: string; note?: string }>,
      answers: { 200: dataOf(z.object({ id: z.string(), suspension: suspensionSchema }).meta({ id: 'PaymentPageSuspension' })) },
      refuses: ['self_review_forbidden', 'invalid_state'],
      before: (request) => findPageKey(deps, request),
      handler: async (request) => {
        const { reason, note = '' } = request.body
        const wanted = reason === undefined ? ({ reason: null, note } as const) : { reason }
        const page = await setSuspensionOfPage(deps, await findPageKey(deps, request), wanted, operatorIn(request))
        return { data: { id: toWire('page', page.id), suspension: suspensionToJson(page) } }
      },
    })
  }
}
