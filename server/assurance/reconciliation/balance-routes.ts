/** HTTP of the balances of our accounts with providers, for operators: the last comparisons, and the movements that they record. */
import { z } from 'zod'
import { operatorRoute } from '../../accounts/identity/route.ts'
import { confirmOperator, originOf } from '../../accounts/identity/authenticate.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { movementKindSchema } from '../../domain/reconciliation.ts'
import { answerOf } from '../../platform/http/answer.ts'
import type { Tx } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { listBalances, listMovements, type RecordedMovement } from './balance.sql.ts'
import { movementFields, recordMovement } from './record-movement.ts'
import type { RunRouteDeps } from './run-routes.ts'

const tzs = z.int().meta({ description: 'TZS.' })

const balanceSchema = z
  .object({
    provider: z.string(),
    environment: environmentSchema,
    read_at: z.iso.datetime(),
    reported: tzs.meta({ description: 'TZS according to the provider.' }),
    booked: tzs.meta({ description: 'TZS that our transfers left with it.' }),
    moved: tzs.meta({ description: 'TZS that operators recorded, with the opening balance.' }),
    has_opening: z.boolean().meta({ description: 'Without an opening balance nothing is concluded.' }),
    fees_low: tzs.meta({
      description: 'Fees that no record names, which the provider has taken: between `fees_low` and `fees_high`.',
    }),
    fees_high: tzs,
    low: tzs.meta({ description: 'The balance may lie between `low` and `high`, because of what has not ended.' }),
    high: tzs,
    difference: tzs.meta({ description: 'TZS that nothing explains.' }),
  })
  .meta({ id: 'ProviderBalance' })

const movementSchema = z
  .object({
    id: z.string(),
    provider: z.string(),
    environment: environmentSchema,
    kind: movementKindSchema,
    amount: tzs.meta({ description: 'TZS; negative for money that left.' }),
    reference: z.string(),
    note: z.string(),
    recorded_by: z.string(),
    recorded_at: z.iso.datetime(),
  })
  .meta({ id: 'ProviderMovement' })

const movementToJson = (one: RecordedMovement): z.infer<typeof movementSchema> =>
  answerOf(movementSchema, one, { id: toWire('pmv', one.id) })

const shown = 50

export async function balanceRoutes(http: Http, deps: RunRouteDeps): Promise<void> {
  const { db, providers } = deps

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/provider-balances',
    operationId: 'listProviderBalances',
    summary: 'List provider balances',
    description: `The last ${shown} comparisons of our accounts with providers, and the last ${shown} recorded movements, newest first.`,
    answers: { 200: dataOf(z.object({ balances: z.array(balanceSchema), movements: z.array(movementSchema) })) },
    handler: async () => {
      const balances = (await listBalances(db, null, shown)).map((one) => answerOf(balanceSchema, one, {}))
      return { data: { balances, movements: (await listMovements(db, shown)).map(movementToJson) } }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/provider-movements',
    operationId: 'recordProviderMovement',
    summary: 'Record a provider movement',
    description:
      'Money in our account with a provider that no charge or payout moved. `opening`: what lay there before the first one. The same movement again changes nothing; another one under its reference: 409 `invalid_state`. The balance is compared again at once. Requires a recent sign-in or step-up.',
    body: z.strictObject({
      provider: z.string().max(50),
      environment: environmentSchema,
      kind: movementKindSchema,
      ...movementFields,
    }),
    answers: { 200: dataOf(movementSchema) },
    refuses: ['invalid_state'],
    handler: async (request) => {
      const { provider, environment } = request.body
      if (!providers[environment].byName.has(provider))
        throw invalidFields([{ field: 'provider', code: 'invalid', message: 'There is no such provider in this environment.' }])
      const confirm = (tx: Tx) => confirmOperator(tx, request.signedIn)
      return { data: movementToJson(await recordMovement(db, request.body, originOf(request), confirm)) }
    },
  })
}
