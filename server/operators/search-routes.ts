/** HTTP of the search of operators. */
import { z } from 'zod'
import { requireAdmin, type AuthenticateDeps } from '../identity/authenticate.ts'
import { dataOf, errors, type Http } from '../platform/http/http.ts'
import { lineOfText } from '../platform/http/text.ts'
import { findAnything, foundOfAKind, foundSchema, type FindDeps } from './find-anything.ts'

export async function operatorSearchRoutes(http: Http, deps: AuthenticateDeps & FindDeps): Promise<void> {
  http.get(
    '/v1/admin/search',
    {
      onRequest: requireAdmin(deps),
      schema: {
        operationId: 'searchEverything',
        tags: ['Operators'],
        summary: 'Find merchants, payments, payouts and pages',
        description: `By any id (of a key, an app, an event, a transaction or a break: what it belongs to), a whole phone number, a provider’s reference, a slug, a registration number or TIN; people and businesses by how their name or e-mail begins. At most ${foundOfAKind} of a kind, the newest.`,
        security: [{ jwt: [] }],
        querystring: z.strictObject({
          q: lineOfText(200).min(2, 'Type at least two characters.').meta({ example: '0754 123 789' }),
        }),
        response: { 200: dataOf(z.array(foundSchema)), ...errors(400, 401, 403, 503) },
      },
    },
    async (request) => ({ data: await findAnything(deps, request.query.q) }),
  )
}
