/** HTTP of the search of the dashboard. */
import { z } from 'zod'
import { signedInDoor, type OwnerDoorDeps } from '../apps/owner-doors.ts'
import type { Db } from '../platform/db.ts'
import { dataOf, errors, type Http } from '../platform/http.ts'
import { search, searchedPayments, searchResultSchema } from './search.ts'

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
        description: `By the id of one of them, wherever it is in the history; else by a payer’s number, a part of a name or e-mail among the newest ${searchedPayments.toLocaleString('en')} payments, or of the title or slug of a page. At most ten of a kind.`,
        querystring: z.strictObject({
          ...door.query,
          q: z.string().trim().min(2, 'Type at least two characters.').max(200).meta({ example: '0754 123 789' }),
        }),
        response: { 200: dataOf(z.array(searchResultSchema)), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => ({ data: await search(deps, await door.ownerOf(request), request.query.q) }),
  )
}
