/** HTTP route of the till, for signed-in members. */
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, errors, type Http } from '../../platform/http/http.ts'
import type { Cursors } from '../../platform/http/page.ts'
import { readTill, tillSchema } from './till.ts'

export type TillRouteDeps = OwnerAuthDeps & { db: Db; cursors: Cursors }

export async function tillRoutes(http: Http, deps: TillRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)
  http.get(
    `${auth.prefix}/till`,
    {
      onRequest: auth.require('payments.read'),
      schema: {
        ...auth.describe('Dashboard'),
        operationId: 'getMerchantTill',
        summary: 'Get what the till shows',
        description: 'What was credited today, and the last payments, as the ledger has them.',
        querystring: z.strictObject(auth.query),
        response: { 200: dataOf(tillSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => ({ data: await readTill(deps, auth.ownerOf(request)) }),
  )
}
