/** HTTP of webhooks for operators: read the attempts for a merchant, and resend an event for it. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { outcomeSchema } from '../../domain/outcome.ts'
import { listAppIdsOf } from '../../accounts/developers/app.sql.ts'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { findMerchant, findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import type { Merchant, Owner } from '../../accounts/identity/merchant.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { invalidFields, must, orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { attemptSchema, attemptToJson } from './attempt.ts'
import { findAppOfAttempt, listAttempts } from './attempt.sql.ts'
import { findOwnerOfEvent } from './event.sql.ts'
import { attemptDetailSchema, readAttempt } from './read-attempt.ts'
import { queuedDeliverySchema, resendEvent } from './resend-delivery.ts'

export type WebhookOperatorDeps = OperatorRouteDeps & {
  cursors: Cursors
  sealer: Sealer
  config: Pick<Config, 'webhooks'>
}

const listedAttemptSchema = attemptSchema.extend({ app_id: z.string() }).meta({ id: 'OperatorWebhookAttempt' })

const maxAttemptsOf = ({ config }: WebhookOperatorDeps): number => config.webhooks.retryDelaysSeconds.length + 1

async function findMerchantIn({ db }: WebhookOperatorDeps, request: FastifyRequest): Promise<Merchant> {
  return orNotFound(await findMerchantByWire(db, (request.params as { merchant_id: string }).merchant_id))
}

/** Finds the owner of the event in the path. Refuses with 404 an event that does not exist or is older than 30 days. */
async function findOwnerIn({ db }: WebhookOperatorDeps, request: FastifyRequest): Promise<Owner> {
  const id = fromWire('evt', (request.params as { event_id: string }).event_id)
  const found = orNotFound(id === undefined ? undefined : await findOwnerOfEvent(db, { home: homeOfId(id), id }))
  const merchant = must(await findMerchant(db, found.merchantId), 'an event has a merchant')
  return { merchant, environment: found.environment }
}

export async function webhookOperatorRoutes(http: Http, deps: WebhookOperatorDeps): Promise<void> {
  const { db, cursors } = deps
  const maxAttempts = maxAttemptsOf(deps)

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/merchants/:merchant_id/webhook-deliveries',
    operationId: 'listAdminWebhookDeliveries',
    summary: 'List delivery attempts of a merchant',
    description: 'Attempts of the last 30 days, newest first, of all apps of the merchant or of one app.',
    query: z.strictObject({
      ...listQuery,
      app_id: z.string().optional(),
      event_id: z.string().optional(),
      outcome: outcomeSchema.optional(),
    }),
    answers: { 200: listOf(listedAttemptSchema) },
    handler: async (request) => {
      const { query } = request
      const merchant = await findMerchantIn(deps, request)
      const wantedId = (prefix: 'app' | 'evt', field: string, wire: string | undefined): string | undefined => {
        const id = wire === undefined ? undefined : fromWire(prefix, wire)
        if (wire === undefined || id !== undefined) return id
        throw invalidFields([{ field, code: 'invalid', message: 'Not a valid id for this field.' }])
      }
      const [appId, eventId] = [wantedId('app', 'app_id', query.app_id), wantedId('evt', 'event_id', query.event_id)]
      const apps = await listAppIdsOf(db, merchant.id)
      const scope = `webhook attempts for operators ${merchant.id}`
      const range = rangeOf(cursors, scope, query)
      const filter = {
        home: merchant.home,
        appIds: appId === undefined ? apps : apps.filter((id) => id === appId),
        eventId,
        outcome: query.outcome,
      }
      const page = pageByTime(cursors, scope, await listAttempts(db, filter, range), range.limit)
      return answerPage(page, (attempt) => ({ ...attemptToJson(attempt, maxAttempts), app_id: toWire('app', attempt.appId) }))
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/webhook-deliveries/:delivery_id',
    operationId: 'getAdminWebhookDelivery',
    summary: 'Get a delivery attempt',
    answers: { 200: dataOf(attemptDetailSchema) },
    handler: async (request) => {
      const { delivery_id } = request.params
      const id = fromWire('whd', delivery_id)
      const app = orNotFound(id === undefined ? undefined : await findAppOfAttempt(deps.db, { home: homeOfId(id), id }))
      return { data: await readAttempt(deps, app, delivery_id, maxAttemptsOf(deps)) }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/events/:event_id/resend',
    operationId: 'resendAdminEvent',
    summary: 'Resend an event of a merchant',
    description:
      'Sends one attempt at once to every webhook of the merchant in that environment, or to the webhook of one app. Recorded in the audit log. No enabled webhook: 409 `invalid_state`.',
    body: z.strictObject({ app_id: z.string().optional() }).prefault({}),
    answers: { 200: dataOf(z.object({ event_id: z.string(), deliveries: z.array(queuedDeliverySchema) })) },
    refuses: ['invalid_state'],
    before: (request) => findOwnerIn(deps, request),
    handler: async (request) => {
      const { event_id } = request.params
      const { app_id: wireAppId } = request.body
      const owner = await findOwnerIn(deps, request)
      const appId = wireAppId === undefined ? undefined : fromWire('app', wireAppId)
      if (wireAppId !== undefined && appId === undefined) {
        throw invalidFields([{ field: 'app_id', code: 'invalid', message: 'Not a valid id for this field.' }])
      }
      const deliveries = await resendEvent(deps, owner, event_id, appId)
      await appendAudit(deps.db, originOf(request), {
        action: 'event.resent',
        object: event_id,
        merchantId: owner.merchant.id,
        after: { apps: deliveries.map(({ app_id }) => app_id) },
      })
      return { data: { event_id, deliveries } }
    },
  })
}
