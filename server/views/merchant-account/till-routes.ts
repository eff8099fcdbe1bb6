/** HTTP route of the till, for signed-in members. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import type { Cursors } from '../../platform/http/page.ts'
import { readTill, tillSchema } from './till.ts'

export type TillRouteDeps = OwnerAuthDeps & { db: Db; cursors: Cursors }

export async function tillRoutes(http: Http, deps: TillRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)
  ownerRoute(http, deps, auth, {
    route: 'GET /till',
    permission: 'payments.read',
    operationId: 'getMerchantTill',
    summary: 'Get what the till shows',
    description: 'What was credited today, and the last payments, as the ledger has them.',
    answers: { 200: dataOf(tillSchema) },
    handler: async (request) => ({ data: await readTill(deps, auth.ownerOf(request)) }),
  })
}
