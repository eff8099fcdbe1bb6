/** HTTP routes of frozen payouts by merchant, for operators who have just authenticated. */
import { answerAll } from '../../platform/http/page.ts'
import { environmentSchema } from '../../domain/environment.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { originOf, requireAdmin, type AuthenticateDeps } from '../../accounts/identity/authenticate.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, errors, listOf, type Http } from '../../platform/http/http.ts'
import { notFound } from '../../platform/refusal.ts'
import { lineOfText } from '../../platform/http/text.ts'
import { liftPayoutFreeze } from './freeze-merchant.ts'
import { readPayoutFreezes } from './payout-freeze.sql.ts'

export type FreezeRouteDeps = AuthenticateDeps & { db: Db }

const shownAtMost = 1000

const byMerchant = z.object({ merchant_id: z.string() })

const freezeSchema = z
  .object({
    merchant_id: z.string().meta({ description: '`usr_…` for a person, `biz_…` for a business.' }),
    environment: environmentSchema,
    reason: z.string(),
    since: z.iso.datetime(),
  })
  .meta({ id: 'PayoutFreeze' })

export async function freezeRoutes(http: Http, deps: FreezeRouteDeps): Promise<void> {
  const shared = { tags: ['Operators'], security: [{ jwt: [] }] }

  async function find(request: FastifyRequest): Promise<Merchant> {
    const merchant = await findMerchantByWire(deps.db, (request.params as z.infer<typeof byMerchant>).merchant_id)
    if (!merchant) throw notFound()
    return merchant
  }

  http.get(
    '/v1/admin/payout-freezes',
    {
      onRequest: requireAdmin(deps),
      schema: {
        ...shared,
        operationId: 'listPayoutFreezes',
        summary: 'List payout freezes',
        description: `Merchants whose payouts are frozen, oldest first, at most ${shownAtMost}. The service freezes the payouts of a merchant when a check of that merchant’s money fails.`,
        response: { 200: listOf(freezeSchema), ...errors(401, 403, 503) },
      },
    },
    async () => {
      const data = (await readPayoutFreezes(deps.db, shownAtMost)).map((one) => ({
        merchant_id: wireIdOf({ kind: one.kind, id: one.merchantId }),
        environment: one.environment,
        reason: one.reason,
        since: one.since.toISOString(),
      }))
      return answerAll(data)
    },
  )

  http.post(
    '/v1/admin/merchants/:merchant_id/lift-payout-freeze',
    {
      onRequest: requireAdmin(deps),
      preValidation: async (request) => void (await find(request)),
      schema: {
        ...shared,
        operationId: 'liftPayoutFreeze',
        summary: 'Lift a payout freeze',
        description:
          'Waiting payouts are sent. Not frozen: 409 `invalid_state`. If the check of the books still fails, the next run freezes the payouts again. Requires a recent sign-in or step-up.',
        params: byMerchant,
        body: z.strictObject({
          environment: environmentSchema,
          reason: lineOfText(300).meta({ description: 'One sentence for the other operators.' }),
        }),
        response: {
          200: dataOf(z.object({ merchant_id: z.string(), environment: environmentSchema }).meta({ id: 'LiftedPayoutFreeze' })),
          ...errors(400, 401, 403, 404, 409, 413, 415, 503),
        },
      },
    },
    async (request) => {
      await liftPayoutFreeze(deps.db, await find(request), request.body.environment, request.body.reason, originOf(request))
      return { data: { merchant_id: request.params.merchant_id, environment: request.body.environment } }
    },
  )
}
