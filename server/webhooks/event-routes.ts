/** HTTP of events, read by whoever would rather ask than listen: with an API key, or signed in. */
import { z } from 'zod'
import { requireKey, type AuthenticateKeyDeps } from '../apps/authenticate-key.ts'
import { environmentSchema } from '../apps/app.ts'
import { ownerOf, requireUser, type AuthenticateDeps } from '../identity/authenticate.ts'
import type { Owner } from '../identity/merchant.ts'
import { errors, listOf, listQuery, type Http } from '../platform/http.ts'
import { pageByTime, rangeOf, type Cursors } from '../platform/page.ts'
import { eventSchema, eventToJson } from './event.ts'
import { listEvents } from './event.sql.ts'

export type EventRouteDeps = AuthenticateDeps & AuthenticateKeyDeps & { cursors: Cursors }

const summary = 'List events'
const description =
  'Those of the last 30 days, newest first, each exactly as a webhook of it says it. The way to catch up on what your server missed.'

type Query = { limit: number; cursor?: string; created_from?: string; created_to?: string }

export async function eventRoutes(http: Http, deps: EventRouteDeps): Promise<void> {
  async function answer(owner: Owner, query: Query): Promise<z.infer<ReturnType<typeof listOf<typeof eventSchema>>>> {
    const scope = `events ${owner.merchant.id} ${owner.environment}`
    const range = rangeOf(deps.cursors, scope, query)
    const page = pageByTime(deps.cursors, scope, await listEvents(deps.db, owner, range), range.limit)
    return { data: page.items.map(eventToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
  }

  http.get(
    '/v1/events',
    {
      onRequest: requireKey(deps, 'transactions:read'),
      schema: {
        operationId: 'listEvents',
        tags: ['Webhooks'],
        summary,
        description: `${description} Those of the key’s owner, in its environment.`,
        security: [{ apiKey: [] }],
        querystring: z.strictObject(listQuery),
        response: { 200: listOf(eventSchema), ...errors(400, 401, 403, 503) },
      },
    },
    (request) => answer(request.keyCaller.owner, request.query),
  )

  http.get(
    '/v1/merchant/events',
    {
      onRequest: requireUser(deps),
      schema: {
        operationId: 'listMerchantEvents',
        tags: ['Dashboard'],
        summary,
        description,
        security: [{ jwt: [] }],
        querystring: z.strictObject({
          ...listQuery,
          environment: environmentSchema.default('live'),
          business_id: z.string().optional().meta({ description: 'A business that you represent. Without it: your own events.' }),
        }),
        response: { 200: listOf(eventSchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const { environment, business_id } = request.query
      return answer(await ownerOf(deps, request, environment, business_id), request.query)
    },
  )
}
