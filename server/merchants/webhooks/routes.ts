/** HTTP of an app's webhook, for the signed-in owner: configure, read, rotate, remove, and list attempts. */
import { personRoute } from '../../accounts/identity/route.ts'
import type {} from '@fastify/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { outcomeSchema } from '../../domain/outcome.ts'
import { eventTypes } from '../../domain/webhook.ts'
import type { OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { App } from '../../accounts/developers/app.ts'
import { findOwnApp, lockOwnApp } from '../../accounts/developers/find-own.ts'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import { isSteppedUp } from '../../accounts/identity/session.sql.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { must, orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { attemptSchema, attemptToJson } from './attempt.ts'
import { listAttempts } from './attempt.sql.ts'
import {
  endpointSchema,
  endpointStateSchema,
  endpointStateToJson,
  endpointToJson,
  newEndpointSchema,
  readableSecret,
  type Endpoint,
} from './endpoint.ts'
import { mailAboutEndpoint } from './endpoint-mail.ts'
import { deleteEndpoint, findEndpoint } from './endpoint.sql.ts'
import { eventRoutes } from './event-routes.ts'
import { attemptDetailSchema, readAttempt } from './read-attempt.ts'
import { maxReplayedEvents, replayEvents, replaySchema } from './replay-events.ts'
import { findAttemptedByApp, queuedDeliverySchema, resendDelivery } from './resend-delivery.ts'
import { rotateSecret } from './rotate-secret.ts'
import { refuseBadTarget, saveEndpoint } from './save-endpoint.ts'

export type WebhookDeps = OwnerAuthDeps & {
  config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'webhooks'>
  cursors: Cursors
  sealer: Sealer
  egress: Egress
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The app whose webhook is requested. Set only on webhook routes. */
    webhookApp: App
  }
}

/** A body that may be left out, because it has no fields. */
const nothing = z.strictObject({}).prefault({})
const eventId = z
  .string()
  .refine((wire) => fromWire('evt', wire) !== undefined, 'Not a valid event id.')
  .meta({ example: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab' })

export async function webhookRoutes(http: Http, deps: WebhookDeps): Promise<void> {
  await eventRoutes(http, deps)
  // Declared once, so that every request object has the same shape.
  http.decorateRequest('webhookApp', null as unknown as App)
  const maxAttempts = deps.config.webhooks.retryDelaysSeconds.length + 1

  /** Before the body is validated: a caller gets 404 for an app of another user, whatever the body is. */
  async function findApp(request: FastifyRequest): Promise<void> {
    const { app_id } = request.params as { app_id: string }
    request.webhookApp = await findOwnApp(deps, request.signedIn.userId, app_id)
    request.actsIn = request.webhookApp.environment
  }

  /** For routes that return a secret: a stolen session can read only a few. */
  const countSecret = async (request: FastifyRequest, reply: FastifyReply) =>
    deps.limits.webhookSecret.take(request.signedIn.userId, reply)

  /** Mails the owner of a live app whose secret is read by a session without a recent sign-in or step-up. */
  async function mailStaleRead(request: FastifyRequest): Promise<void> {
    const { webhookApp: app, signedIn } = request
    if (app.environment === 'test') return
    const { userId, sessionId } = signedIn
    if (await isSteppedUp(deps.db, { userId, id: sessionId, seconds: deps.config.sessions.stepUpSeconds })) return
    await deps.db.tx((tx) => mailAboutEndpoint(deps, tx, app, 'webhook_secret_read'))
  }

  async function showSecret(
    request: FastifyRequest,
    reply: FastifyReply,
    endpoint: Endpoint,
  ): Promise<{ data: z.infer<typeof endpointSchema> }> {
    const secret = readableSecret(deps.sealer, endpoint)
    await appendAudit(deps.db, originOf(request), {
      action: 'webhook.secret_read',
      object: toWire('wh', endpoint.id),
      merchantId: request.webhookApp.merchantId,
      after: { by: `${request.method} ${request.routeOptions.url}` },
    })
    void reply.header('cache-control', 'no-store')
    return { data: endpointToJson(endpoint, secret) }
  }
  personRoute(http, deps, {
    route: 'POST /developers/apps/:app_id/webhook',
    permission: 'apps.write',
    operationId: 'saveWebhook',
    summary: 'Set the webhook URL',
    description:
      'Creates the webhook with a new secret (201). If there already is one, changes its URL and its choice of events, keeps its secret and enables it again if it was disabled (200). One owner can have at most 20 webhooks in an environment: 409 `webhook_limit_reached`. For a live app, a recent sign-in or step-up is required, and the owner is notified by mail.',
    body: newEndpointSchema,
    answers: { 200: dataOf(endpointSchema), 201: dataOf(endpointSchema) },
    refuses: [
      'url_malformed',
      'url_too_long',
      'url_not_https',
      'url_has_credentials',
      'url_has_fragment',
      'url_ip_literal',
      'url_port_forbidden',
      'url_own_host',
      'url_not_resolvable',
      'url_private_target',
      'webhook_limit_reached',
    ],
    idempotencyKey: 'name_object',
    before: findApp,
    afterwards: [countSecret, (request) => refuseBadTarget(deps.egress, request.body.url)],
    handler: async (request, reply) => {
      const { webhookApp, body, signedIn } = request
      const { isNew, ...endpoint } = await saveEndpoint(deps, webhookApp, body, signedIn, originOf(request))
      void reply.code(isNew ? 201 : 200)
      return showSecret(request, reply, endpoint)
    },
  })

  personRoute(http, deps, {
    route: 'GET /developers/apps/:app_id/webhook',
    permission: 'apps.write',
    operationId: 'getWebhook',
    summary: 'Get the webhook and its secret',
    description: 'For a live app, the owner is notified by mail if the last sign-in or step-up was more than a few minutes ago.',
    answers: { 200: dataOf(endpointSchema) },
    before: findApp,
    afterwards: [countSecret],
    handler: async (request, reply) => {
      const endpoint = orNotFound(await findEndpoint(deps.db, request.webhookApp.id))
      await mailStaleRead(request)
      return showSecret(request, reply, endpoint)
    },
  })

  personRoute(http, deps, {
    route: 'GET /developers/apps/:app_id/webhook/state',
    permission: 'apps.write',
    operationId: 'getWebhookState',
    summary: 'Get the webhook without its secret',
    answers: { 200: dataOf(endpointStateSchema) },
    before: findApp,
    handler: async (request) => {
      const endpoint = orNotFound(await findEndpoint(deps.db, request.webhookApp.id))
      return { data: endpointStateToJson(endpoint) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /developers/apps/:app_id/webhook/rotate',
    permission: 'apps.write',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the webhook secret',
    description:
      'The answer contains the new secret. For 24 hours, deliveries are also signed with the previous one in `X-Service-Signature-Previous`. For a live app, a recent sign-in or step-up is required, and the owner is notified by mail.',
    body: nothing,
    answers: { 200: dataOf(endpointSchema) },
    before: findApp,
    afterwards: [countSecret],
    handler: async (request, reply) => {
      const { webhookApp, signedIn } = request
      return showSecret(request, reply, await rotateSecret(deps, webhookApp, signedIn, originOf(request)))
    },
  })

  personRoute(http, deps, {
    route: 'DELETE /developers/apps/:app_id/webhook',
    permission: 'apps.write',
    operationId: 'deleteWebhook',
    summary: 'Delete the webhook',
    description: 'Nothing more is sent, and scheduled retries are cancelled. Past attempts stay readable.',
    answers: { 200: dataOf(z.object({ id: z.string(), app_id: z.string(), deleted: z.literal(true) })) },
    before: findApp,
    handler: async (request) => {
      const id = await deps.db.tx(async (tx) => {
        await lockOwnApp(tx, request.signedIn, request.webhookApp.id)
        const removed = orNotFound(await deleteEndpoint(tx, request.webhookApp.id))
        await mailAboutEndpoint(deps, tx, request.webhookApp, 'webhook_deleted')
        const { merchantId } = request.webhookApp
        await appendAudit(tx, originOf(request), { action: 'webhook.deleted', object: toWire('wh', removed), merchantId })
        return removed
      })
      return { data: { id: toWire('wh', id), app_id: toWire('app', request.webhookApp.id), deleted: true as const } }
    },
  })

  personRoute(http, deps, {
    route: 'GET /developers/apps/:app_id/webhook/deliveries',
    permission: 'apps.write',
    operationId: 'listWebhookDeliveries',
    summary: 'List delivery attempts',
    description: 'Attempts of the last 30 days, newest first, including those of deleted webhooks.',
    query: z.strictObject({
      event_id: eventId.optional(),
      event_type: z.enum(eventTypes).optional(),
      outcome: outcomeSchema.optional(),
      ...listQuery,
    }),
    answers: { 200: listOf(attemptSchema) },
    before: findApp,
    handler: async (request) => {
      const { webhookApp: app, query } = request
      const merchant = must(await findMerchant(deps.db, app.merchantId), 'every app has a merchant')
      const scope = `webhook attempts of ${app.id}`
      const range = rangeOf(deps.cursors, scope, query)
      const filter = {
        home: merchant.home,
        appIds: [app.id],
        eventId: query.event_id && fromWire('evt', query.event_id),
        eventType: query.event_type,
        outcome: query.outcome,
      }
      const page = pageByTime(deps.cursors, scope, await listAttempts(deps.db, filter, range), range.limit)
      return answerPage(page, (attempt) => attemptToJson(attempt, maxAttempts))
    },
  })

  personRoute(http, deps, {
    route: 'GET /developers/apps/:app_id/webhook/deliveries/:id',
    permission: 'apps.write',
    operationId: 'getWebhookDelivery',
    summary: 'Get a delivery attempt',
    description: 'Includes the request that was sent. Available for 30 days.',
    answers: { 200: dataOf(attemptDetailSchema) },
    before: findApp,
    handler: async (request) => ({ data: await readAttempt(deps, request.webhookApp, request.params.id, maxAttempts) }),
  })

  personRoute(http, deps, {
    route: 'POST /developers/apps/:app_id/webhook/deliveries/:id/resend',
    permission: 'apps.write',
    operationId: 'resendWebhookDelivery',
    summary: 'Resend a delivery',
    description:
      'Sends the event of an attempt again, in one attempt at once, to the webhook as it is now. Scheduled retries of the event continue. If you repeat the request before the attempt is sent, it is sent only once. The webhook is disabled or deleted: 409 `invalid_state`.',
    body: nothing,
    answers: { 200: dataOf(queuedDeliverySchema) },
    refuses: ['invalid_state'],
    before: async (request) => {
      await findApp(request)
      await findAttemptedByApp(deps, request.webhookApp, (request.params as { id: string }).id)
    },
    handler: async (request) => ({ data: await resendDelivery(deps, request.webhookApp, request.params.id) }),
  })

  personRoute(http, deps, {
    route: 'POST /developers/apps/:app_id/webhook/replay',
    permission: 'apps.write',
    operationId: 'replayWebhookEvents',
    summary: 'Replay events of a period',
    description: `Sends each event from \`from\` up to but not including \`to\` in one attempt, oldest first, twenty per second. Events that were already delivered are included, unless \`undelivered_only\` is set. At most ${maxReplayedEvents} events, at most 30 days back. An event that is already queued for a resend is neither queued nor counted twice. The webhook is disabled or deleted: 409 \`invalid_state\`.`,
    body: replaySchema,
    answers: { 200: dataOf(z.object({ queued: z.int().meta({ description: 'Number of events that this call queued.' }) })) },
    refuses: ['invalid_state'],
    before: findApp,
    handler: async (request) => ({ data: { queued: await replayEvents(deps, request.webhookApp, request.body) } }),
  })
}
