/** HTTP routes of the dashboard's search. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { searchWords } from '../../platform/http/text.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { search, searchedPerKind, searchResultSchema } from './search.ts'

export async function searchRoutes(http: Http, deps: OwnerAuthDeps & { db: Db }): Promise<void> {
  const auth = signedInAuth(deps)

  ownerRoute(http, deps, auth, {
    route: 'GET /search',
    permission: 'statements.read',
    operationId: 'searchMerchant',
    summary: 'Search your account',
    description: `Finds payments, refunds, payouts, pages, and transactions and events by their id. An id, a short code or a network receipt (five characters of one are enough), the complete number of a payer or recipient or the complete slug of a page is found in the whole history (an event: in the last 30 days). Part of a name, e-mail address, your own reference, title or slug is searched in the newest ${searchedPerKind.toLocaleString('en')} payments, and the same number of refunds, payouts and pages. At most ten results of each kind.`,
    query: z.strictObject({
      ...auth.query,
      q: searchWords.meta({ example: '0754 123 789' }),
    }),
    answers: { 200: dataOf(z.array(searchResultSchema)) },
    handler: async (request) => ({ data: await search(deps, auth.ownerOf(request), request.query.q) }),
  })
}
