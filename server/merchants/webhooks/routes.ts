/** HTTP of an app's webhook, for the signed-in owner: configure, read, rotate, remove, and list attempts. */
import type {} from '@fastify/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { outcomeSchema } from '../../domain/outcome.ts'
import { eventTypes } from '../../domain/webhook.ts'
import type { KeyFinder } from '../../accounts/developers/authenticate-key.ts'
import type { App } from '../../accounts/developers/app.ts'
import { findOwnApp, lockOwnApp } from '../../accounts/developers/find-own.ts'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { originOf, requireUser } from '../../accounts/identity/authenticate.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import { isSteppedUp } from '../../accounts/identity/session.sql.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import type { Limit } from '../../platform/http/limits.ts'
import type { Log } from '../../platform/process/log.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { assert, notFound } from '../../platform/refusal.ts'
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

export type WebhookDeps = {
  db: Db
  findKey: KeyFinder
  log: Log
  clock: Clock
  config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'webhooks' | 'testWritesBeforeVerification'>
  cursors: Cursors
  limits: Record<'key' | 'webhookSecret', Limit>
  sealer: Sealer
  egress: Egress
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The app whose webhook is requested. Set only on webhook routes. */
    webhookApp: App
  }
}

const byApp = z.object({ app_id: z.string() })
/** A body that may be left out, because it has no fields. */
const nothing = z.strictObject({}).prefault({})
const eventId = z
  .string()
  .refine((wire) => fromWire('evt', wire) !== undefined, 'Not a valid event id.')
  .meta({ example: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab' })

const tags = ['Webhooks']
const security = [{ jwt: [] }]

/** Shared by the routes of this file. */
type Shared = ReturnType<typeof createShared>

function createShared(deps: WebhookDeps) {
  const maxAttempts = deps.config.webhooks.retryDelaysSeconds.length + 1

  const hooks = {
    onRequest: requireUser(deps),
    config: { permission: 'apps.write' as const },
    // Runs before the body is validated: a caller gets 404 for an app of another user, whatever the body is.
    preValidation: async (request: FastifyRequest) => {
      const { app_id } = request.params as { app_id: string }
      request.webhookApp = await findOwnApp(deps, request.signedIn.userId, app_id)
      request.actsIn = request.webhookApp.environment
    },
  }

  /** For routes that return a secret: a stolen session can read only a few. */
  const showsSecret = {
    ...hooks,
    preHandler: async (request: FastifyRequest, reply: FastifyReply) =>
      deps.limits.webhookSecret.take(request.signedIn.userId, reply),
  }

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

  return { showSecret, showsSecret, mailStaleRead, hooks, maxAttempts }
}

export async function webhookRoutes(http: Http, deps: WebhookDeps): Promise<void> {
  await eventRoutes(http, deps)
  // Declared once, so that every request object has the same shape.
  http.decorateRequest('webhookApp', null as unknown as App)
  const shared = createShared(deps)
  saveWebhookRoute(http, deps, shared)
  getWebhookRoute(http, deps, shared)
  getWebhookStateRoute(http, deps, shared)
  rotateWebhookSecretRoute(http, deps, shared)
  deleteWebhookRoute(http, deps, shared)
  listWebhookDeliveriesRoute(http, deps, shared)
  getWebhookDeliveryRoute(http, deps, shared)
  resendWebhookDeliveryRoute(http, deps, shared)
  replayWebhookEventsRoute(http, deps, shared)
}

function saveWebhookRoute(http: Http, deps: WebhookDeps, { showsSecret, showSecret }: Shared): void {
  http.post(
    '/developers/apps/:app_id/webhook',
    {
      ...showsSecret,
      preHandler: [
        showsSecret.preHandler,
        (request: FastifyRequest) => refuseBadTarget(deps.egress, (request.body as z.infer<typeof newEndpointSchema>).url),
      ],
      config: { ...showsSecret.config, idempotencyKey: 'name_object' },
      schema: {
        operationId: 'saveWebhook',
        tags,
        summary: 'Set the webhook URL',
        description:
          'Creates the webhook with a new secret (201). If there already is one, changes its URL and its choice of events, keeps its secret and enables it again if it was disabled (200). One owner can have at most 20 webhooks in an environment: 409 `webhook_limit_reached`. For a live app, a recent sign-in or step-up is required, and the owner is notified by mail.',
        security,
        params: byApp,
        body: newEndpointSchema,
        response: {
          200: dataOf(endpointSchema),
          201: dataOf(endpointSchema),
          ...errors(400, 401, 403, 404, 409, 413, 415, 429, 503),
        },
      },
    },
    async (request, reply) => {
      const { webhookApp, body, signedIn } = request
      const { isNew, ...endpoint } = await saveEndpoint(deps, webhookApp, body, signedIn, originOf(request))
      void reply.code(isNew ? 201 : 200)
      return showSecret(request, reply, endpoint)
    },
  )
}

function getWebhookRoute(http: Http, deps: WebhookDeps, { showsSecret, mailStaleRead, showSecret }: Shared): void {
  http.get(
    '/developers/apps/:app_id/webhook',
    {
      ...showsSecret,
      schema: {
        operationId: 'getWebhook',
        tags,
        summary: 'Get the webhook and its secret',
        description:
          'For a live app, the owner is notified by mail if the last sign-in or step-up was more than a few minutes ago.',
        security,
        params: byApp,
        response: { 200: dataOf(endpointSchema), ...errors(401, 403, 404, 429, 503) },
      },
    },
    async (request, reply) => {
      const endpoint = await findEndpoint(deps.db, request.webhookApp.id)
      if (!endpoint) throw notFound()
      await mailStaleRead(request)
      return showSecret(request, reply, endpoint)
    },
  )
}

function getWebhookStateRoute(http: Http, deps: WebhookDeps, { hooks }: Shared): void {
  http.get(
    '/developers/apps/:app_id/webhook/state',
    {
      ...hooks,
      schema: {
        operationId: 'getWebhookState',
        tags,
        summary: 'Get the webhook without its secret',
        security,
        params: byApp,
        response: { 200: dataOf(endpointStateSchema), ...errors(401, 403, 404, 503) },
      },
    },
    async (request) => {
      const endpoint = await findEndpoint(deps.db, request.webhookApp.id)
      if (!endpoint) throw notFound()
      return { data: endpointStateToJson(endpoint) }
    },
  )
}

function rotateWebhookSecretRoute(http: Http, deps: WebhookDeps, { showsSecret, showSecret }: Shared): void {
  http.post(
    '/developers/apps/:app_id/webhook/rotate',
    {
      ...showsSecret,
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Rotate the webhook secret',
        description:
          'The answer contains the new secret. For 24 hours, deliveries are also signed with the previous one in `X-Service-Signature-Previous`. For a live app, a recent sign-in or step-up is required, and the owner is notified by mail.',
        security,
        params: byApp,
        body: nothing,
        response: { 200: dataOf(endpointSchema), ...errors(400, 401, 403, 404, 413, 415, 429, 503) },
      },
    },
    async (request, reply) => {
      const { webhookApp, signedIn } = request
      return showSecret(request, reply, await rotateSecret(deps, webhookApp, signedIn, originOf(request)))
    },
  )
}

function deleteWebhookRoute(http: Http, deps: WebhookDeps, { hooks }: Shared): void {
  http.delete(
    '/developers/apps/:app_id/webhook',
    {
      ...hooks,
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete the webhook',
        description: 'Nothing more is sent, and scheduled retries are cancelled. Past attempts stay readable.',
        security,
        params: byApp,
        response: {
          200: dataOf(z.object({ id: z.string(), app_id: z.string(), deleted: z.literal(true) })),
          ...errors(401, 403, 404, 503),
        },
      },
    },
    async (request) => {
      const id = await deps.db.tx(async (tx) => {
        await lockOwnApp(tx, request.signedIn, request.webhookApp.id)
        const removed = await deleteEndpoint(tx, request.webhookApp.id)
        if (removed === undefined) throw notFound()
        await mailAboutEndpoint(deps, tx, request.webhookApp, 'webhook_deleted')
        const { merchantId } = request.webhookApp
        await appendAudit(tx, originOf(request), { action: 'webhook.deleted', object: toWire('wh', removed), merchantId })
        return removed
      })
      return { data: { id: toWire('wh', id), app_id: toWire('app', request.webhookApp.id), deleted: true as const } }
    },
  )
}

function listWebhookDeliveriesRoute(http: Http, deps: WebhookDeps, { maxAttempts, hooks }: Shared): void {
  http.get(
    '/developers/apps/:app_id/webhook/deliveries',
    {
      ...hooks,
      schema: {
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'List delivery attempts',
        description: 'Attempts of the last 30 days, newest first, including those of deleted webhooks.',
        security,
        params: byApp,
        querystring: z.strictObject({
          event_id: eventId.optional(),
          event_type: z.enum(eventTypes).optional(),
          outcome: outcomeSchema.optional(),
          ...listQuery,
        }),
        response: { 200: listOf(attemptSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
      const { webhookApp: app, query } = request
      const merchant = await findMerchant(deps.db, app.merchantId)
      assert(merchant, 'every app has a merchant')
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
  )
}

function getWebhookDeliveryRoute(http: Http, deps: WebhookDeps, { maxAttempts, hooks }: Shared): void {
  http.get(
    '/developers/apps/:app_id/webhook/deliveries/:id',
    {
      ...hooks,
      schema: {
        operationId: 'getWebhookDelivery',
        tags,
        summary: 'Get a delivery attempt',
        description: 'Includes the request that was sent. Available for 30 days.',
        security,
        params: z.object({ app_id: z.string(), id: z.string() }),
        response: { 200: dataOf(attemptDetailSchema), ...errors(401, 403, 404, 503) },
      },
    },
    async (request) => ({ data: await readAttempt(deps, request.webhookApp, request.params.id, maxAttempts) }),
  )
}

function resendWebhookDeliveryRoute(http: Http, deps: WebhookDeps, { hooks }: Shared): void {
  http.post(
    '/developers/apps/:app_id/webhook/deliveries/:id/resend',
    {
      onRequest: hooks.onRequest,
      config: hooks.config,
      preValidation: async (request) => {
        await hooks.preValidation(request)
        await findAttemptedByApp(deps, request.webhookApp, (request.params as { id: string }).id)
      },
      schema: {
        operationId: 'resendWebhookDelivery',
        tags,
        summary: 'Resend a delivery',
        description:
          'Sends the event of an attempt again, in one attempt at once, to the webhook as it is now. Scheduled retries of the event continue. If you repeat the request before the attempt is sent, it is sent only once. The webhook is disabled or deleted: 409 `invalid_state`.',
        security,
        params: z.object({ app_id: z.string(), id: z.string() }),
        body: nothing,
        response: { 200: dataOf(queuedDeliverySchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request) => ({ data: await resendDelivery(deps, request.webhookApp, request.params.id) }),
  )
}

function replayWebhookEventsRoute(http: Http, deps: WebhookDeps, { hooks }: Shared): void {
  http.post(
    '/developers/apps/:app_id/webhook/replay',
    {
      ...hooks,
      schema: {
        operationId: 'replayWebhookEvents',
        tags,
        summary: 'Replay events of a period',
        description: `Sends each event from \`from\` up to but not including \`to\` in one attempt, oldest first, twenty per second. Events that were already delivered are included, unless \`undelivered_only\` is set. At most ${maxReplayedEvents} events, at most 30 days back. An event that is already queued for a resend is neither queued nor counted twice. The webhook is disabled or deleted: 409 \`invalid_state\`.`,
        security,
        params: byApp,
        body: replaySchema,
        response: {
          200: dataOf(z.object({ queued: z.int().meta({ description: 'Number of events that this call queued.' }) })),
          ...errors(400, 401, 403, 404, 409, 413, 415, 503),
        },
      },
    },
    async (request) => ({ data: { queued: await replayEvents(deps, request.webhookApp, request.body) } }),
  )
}
