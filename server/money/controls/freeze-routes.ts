/** HTTP routes of frozen payouts by merchant, for operators who have just authenticated. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { answerAll } from '../../platform/http/page.ts'
import { environmentSchema } from '../../domain/environment.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { confirmOperator, originOf } from '../../accounts/identity/authenticate.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { dataOf, listOf, type Http } from '../../platform/http/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { lineOfText } from '../../platform/http/text.ts'
import { liftPayoutFreeze } from './freeze-merchant.ts'
import { readPayoutFreezes } from './payout-freeze.sql.ts'

export type FreezeRouteDeps = OperatorRouteDeps & { db: Db }

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
  async function find(request: FastifyRequest): Promise<Merchant> {
    return orNotFound(await findMerchantByWire(deps.db, (request.params as z.infer<typeof byMerchant>).merchant_id))
  }

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/payout-freezes',
    operationId: 'listPayoutFreezes',
    summary: 'List payout freezes',
    description: `Merchants whose payouts are frozen, oldest first, at most ${shownAtMost}. The service freezes the payouts of a merchant when a check of that merchant’s money fails.`,
    answers: { 200: listOf(freezeSchema) },
    handler: async () => {
      const data = (await readPayoutFreezes(deps.db, shownAtMost)).map((one) => ({
        merchant_id: wireIdOf({ kind: one.kind, id: one.merchantId }),
        environment: one.environment,
        reason: one.reason,
        since: one.since.toISOString(),
      }))
      return answerAll(data)
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/merchants/:merchant_id/lift-payout-freeze',
    operationId: 'liftPayoutFreeze',
    summary: 'Lift a payout freeze',
    description:
      'Waiting payouts are sent. Not frozen: 409 `invalid_state`. If the check of the books still fails, the next run freezes the payouts again. Requires a recent sign-in or step-up.',
    body: z.strictObject({
      environment: environmentSchema,
      reason: lineOfText(300).meta({ description: 'One sentence for the other operators.' }),
    }),
    answers: {
      200: dataOf(z.object({ merchant_id: z.string(), environment: environmentSchema }).meta({ id: 'LiftedPayoutFreeze' })),
    },
    refuses: ['self_approval_forbidden', 'invalid_state'],
    before: (request) => find(request),
    handler: async (request) => {
      const by = { origin: originOf(request), confirm: (tx: Tx) => confirmOperator(tx, request.signedIn) }
      await liftPayoutFreeze(deps.db, await find(request), request.body.environment, request.body.reason, by)
      return { data: { merchant_id: request.params.merchant_id, environment: request.body.environment } }
    },
  })
}
