/** HTTP route of the till, for signed-in members. */
import { z } from 'zod'
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { readTill, tillDescription, tillSchema } from './till.ts'

export type TillRouteDeps = OwnerAuthDeps & { db: Db }

export async function tillRoutes(http: Http, deps: TillRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)
  ownerRoute(http, deps, auth, {
    route: 'GET /till',
    permission: 'payments.read',
    operationId: 'getMerchantTill',
    summary: 'Get what the till shows',
    description: tillDescription,
    query: z.strictObject({
      ...auth.query,
      payment_page_id: z.string().max(60).optional().meta({ description: 'The page whose code the till shows.' }),
    }),
    answers: { 200: dataOf(tillSchema) },
    handler: async (request) => ({ data: await readTill(deps, auth.ownerOf(request), request.query.payment_page_id) }),
  })
}
