/** HTTP routes of the log of an owner's API calls. */
import { ownerRoute } from './owner-route.ts'
import { z } from 'zod'
import { outcomeSchema } from '../../domain/outcome.ts'
import type { Db } from '../../platform/db/db.ts'
import { listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { signedInAuth, type OwnerAuthDeps } from './owner-auth.ts'
import { keptRequests, requestSchema, requestToJson } from './request-log.ts'
import { listRequests } from './request-log.sql.ts'

export async function requestLogRoutes(http: Http, deps: OwnerAuthDeps & { db: Db; cursors: Cursors }): Promise<void> {
  const auth = signedInAuth(deps)

  ownerRoute(http, deps, auth, {
    route: 'GET /requests',
    permission: 'apps.write',
    operationId: 'listMerchantRequests',
    summary: 'List API requests',
    description: `The requests made with your API keys, newest first: the last ${keptRequests.toLocaleString('en')} of the last seven days. A request appears about a second after its answer. Bodies and query strings are not kept.`,
    query: z.strictObject({
      ...listQuery,
      ...auth.query,
      app_id: z.string().max(60).optional(),
      key_id: z.string().max(60).optional(),
      outcome: outcomeSchema.optional().meta({ description: '`failed`: a status of 400 or above.' }),
    }),
    answers: { 200: listOf(requestSchema) },
    handler: async (request) => {
      const { query } = request
      const { merchant, environment } = auth.ownerOf(request)
      const idOf = (prefix: 'app' | 'key', field: 'app_id' | 'key_id'): string | undefined => {
        const wire = query[field]
        const id = wire === undefined ? undefined : fromWire(prefix, wire)
        if (wire === undefined || id !== undefined) return id
        throw invalidFields([{ field, code: 'invalid', message: 'Not a valid id for this field.' }])
      }
      const scope = `requests ${merchant.id} ${environment}`
      const range = rangeOf(deps.cursors, scope, query)
      const wanted = {
        merchantId: merchant.id,
        environment,
        appId: idOf('app', 'app_id'),
        keyId: idOf('key', 'key_id'),
        outcome: query.outcome,
      }
      const page = pageByTime(deps.cursors, scope, await listRequests(deps.db, wanted, range), range.limit)
      return answerPage(page, requestToJson)
    },
  })
}
