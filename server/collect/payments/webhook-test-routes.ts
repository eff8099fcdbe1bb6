/** HTTP routes for testing a webhook, for the owner of its app. */
import type { Owner } from '../../accounts/identity/merchant.ts'
import { personRoute, type SignedInRouteDeps } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { paymentStatusSchema } from '../../domain/payment.ts'
import type { App } from '../../accounts/developers/app.ts'
import { findOwnApp } from '../../accounts/developers/find-own.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { must } from '../../platform/refusal.ts'
import { requireTestable, testWebhook, type TestWebhookDeps } from './test-webhook.ts'

export type WebhookTestRouteDeps = TestWebhookDeps & SignedInRouteDeps & { limits: Record<'webhookTest', Limit> }

const testSchema = z
  .object({
    reference: z.string().meta({ description: 'The simulated payment.', example: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    status: paymentStatusSchema,
    amount: z.int().meta({ description: 'TZS.' }),
    event_type: z.literal('payment.completed'),
  })
  .meta({ id: 'WebhookTest' })

export async function webhookTestRoutes(http: Http, deps: WebhookTestRouteDeps): Promise<void> {
  async function appAndOwner(request: FastifyRequest): Promise<{ app: App; owner: Owner }> {
    const app = await findOwnApp(deps, request.signedIn.userId, (request.params as { app_id: string }).app_id)
    const merchant = must(await findMerchant(deps.db, app.merchantId), 'every app has a merchant')
    return { app, owner: { merchant, environment: app.environment } }
  }

  personRoute(http, deps, {
    route: 'POST /developers/apps/:app_id/webhook/test',
    permission: 'apps.write',
    operationId: 'testWebhook',
    summary: 'Test a webhook',
    description:
      'Creates a simulated payment in the test environment. It completes after a few seconds, and its `payment.completed` is sent like any other event, with retries. The list of delivery attempts shows it with the trigger `test`. It needs no verification. A live app: 403 `test_environment_only`, because it never gets simulated events.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(testSchema) },
    refuses: ['test_environment_only', 'invalid_state', 'page_inactive'],
    // Before the body is validated: an app of another owner is answered as not found, and a forbidden action as forbidden, for any
    // body.
    before: async (request) => requireTestable(deps, (await appAndOwner(request)).owner),
    handler: async (request, reply) => {
      const { app, owner } = await appAndOwner(request)
      await deps.limits.webhookTest.take(app.id, reply)
      const { reference, status, amount } = await testWebhook(deps, app, owner, request.id)
      return { data: { reference, status, amount, event_type: 'payment.completed' as const } }
    },
  })
}
