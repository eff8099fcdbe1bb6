/** HTTP of the search of the dashboard. */
import { z } from 'zod'
import { signedInDoor, type OwnerDoorDeps } from '../developers/owner-doors.ts'
import type { Db } from '../platform/db/db.ts'
import { dataOf, errors, type Http } from '../platform/http/http.ts'
import { search, searchedOfAKind, searchResultSchema } from './search.ts'

export async function searchRoutes(http: Http, deps: OwnerDoorDeps & { db: Db }): Promise<void> {
  const door = signedInDoor(deps)

  http.get(
    `${door.prefix}/search`,
    {
      onRequest: door.enter('transactions:read'),
      schema: {
        ...door.describe('Dashboard'),
        operationId: 'searchMerchant',
        summary: 'Find payments, pages, transactions and events',
        description: `By the id of one of them, a payer’s whole number or the whole slug of a page, wherever it is in the history (an event: of the last 30 days); else by a part of a name, e-mail, title or slug, among the newest ${searchedOfAKind.toLocaleString('en')} payments and as many pages. At most ten of a kind.`,
        querystring: z.strictObject({
          ...door.query,
          q: z
            .string()
            .trim()
            .min(2, 'Type at least two characters.')
            .max(200)
            // No column can hold a NUL, so a statement with one would be our fault.
            .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed here.')
            .meta({ example: '0754 123 789' }),
        }),
        response: { 200: dataOf(z.array(searchResultSchema)), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => ({ data: await search(deps, await door.ownerOf(request), request.query.q) }),
  )
}
