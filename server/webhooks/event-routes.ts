/** HTTP of events, read by whoever would rather ask than listen: with an API key, or signed in. */
import { z } from 'zod'
import { ownerDoors, type OwnerDoorDeps } from '../apps/owner-doors.ts'
import { errors, listOf, listQuery, type Http } from '../platform/http.ts'
import { pageByTime, rangeOf, type Cursors } from '../platform/page.ts'
import { eventSchema, eventToJson } from './event.ts'
import { listEvents } from './event.sql.ts'

export type EventRouteDeps = OwnerDoorDeps & { cursors: Cursors }

export async function eventRoutes(http: Http, deps: EventRouteDeps): Promise<void> {
  for (const door of ownerDoors(deps)) {
    http.get(
      `${door.prefix}/events`,
      {
        onRequest: door.enter('transactions:read'),
        schema: {
          ...door.describe('Webhooks'),
          operationId: `list${door.name}Events`,
          summary: 'List events',
          description:
            'Those of the last 30 days, newest first, each exactly as a webhook of it says it. The way to catch up on what your server missed.',
          querystring: z.strictObject({ ...listQuery, ...door.query }),
          response: { 200: listOf(eventSchema), ...errors(400, 401, 403, 404, 503) },
        },
      },
      async (request) => {
        const owner = await door.ownerOf(request)
        const scope = `events ${owner.merchant.id} ${owner.environment}`
        const range = rangeOf(deps.cursors, scope, request.query)
        const page = pageByTime(deps.cursors, scope, await listEvents(deps.db, owner, range), range.limit)
        return { data: page.items.map(eventToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
      },
    )
  }
}
