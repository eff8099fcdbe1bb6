/** HTTP routes to read events instead of receiving them, and to send them again, with an API key or signed in. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { eventTypes } from '../../domain/webhook.ts'
import type { KeyCaller } from '../../accounts/developers/authenticate-key.ts'
import { ownerAuthMethods, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { eventSchema, eventToJson } from './event.ts'
import { listEvents } from './event.sql.ts'
import { findEventToResend, queuedDeliverySchema, resendEvent } from './resend-delivery.ts'

export type EventRouteDeps = OwnerAuthDeps & { cursors: Cursors }

export async function eventRoutes(http: Http, deps: EventRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    ownerRoute(http, deps, auth, {
      route: 'GET /events',
      permission: 'events.read',
      operationId: `list${auth.name}Events`,
      summary: 'List events',
      description:
        'Events of the last 30 days, newest first, with the content that webhooks send. All types are listed, whatever the webhooks of your apps have chosen; `type` filters. Use it to catch up on events that your server missed.',
      query: z.strictObject({ type: z.enum(eventTypes).optional(), ...listQuery, ...auth.query }),
      answers: { 200: listOf(eventSchema) },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const { type } = request.query
        const scope = `events ${owner.merchant.id} ${owner.environment}${type ? ` ${type}` : ''}`
        const range = rangeOf(deps.cursors, scope, request.query)
        const page = pageByTime(deps.cursors, scope, await listEvents(deps.db, owner, { type }, range), range.limit)
        return answerPage(page, eventToJson)
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'POST /events/:event_id/resend',
      permission: 'events.read',
      operationId: `resend${auth.name}Event`,
      summary: 'Resend an event',
      description:
        'Sends one attempt at once. With an API key it goes to the webhook of its app; from a signed-in user, to every webhook of the owner in that environment. Scheduled retries of the event continue. If you repeat the request before the attempt is sent, it is sent only once. No enabled webhook: 409 `invalid_state`.',
      body: z.strictObject({}).prefault({}),
      answers: { 200: dataOf(z.object({ event_id: z.string(), deliveries: z.array(queuedDeliverySchema) })) },
      refuses: ['invalid_state'],
      // Runs before the body is validated: a caller gets 404 for an event of another owner, whatever the body is.
      before: async (request) => {
        const { event_id } = request.params as { event_id: string }
        await findEventToResend(deps, auth.ownerOf(request), event_id)
      },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        // Set only for requests with a key.
        const appId = (request.keyCaller as KeyCaller | null)?.appId
        const { event_id } = request.params
        return { data: { event_id, deliveries: await resendEvent(deps, owner, event_id, appId) } }
      },
    })
  }
}
