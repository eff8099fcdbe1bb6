/** HTTP routes of the health of providers, for operators. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { circuitStateSchema, directionSchema } from '../../domain/provider.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networkSchema } from '../../domain/network.ts'
import { z } from 'zod'
import { dataOf, wholeNumber, type Http } from '../../platform/http/http.ts'
import type { CircuitHealth } from '../../money/providers/circuit.ts'
import { summariseRecentCharges } from './recent-charges.sql.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type ProviderHealthDeps = OperatorRouteDeps & { providerHealth(): CircuitHealth[] }

const recentChargesSchema = z.object({
  environment: environmentSchema,
  provider: z.string(),
  network: networkSchema.nullable(),
  begun: z.int(),
  completed: z.int(),
  failed: z.int(),
  unknown: z.int().meta({ description: 'Open charges whose outcome is not known.' }),
  success_rate: z.number().nullable().meta({ description: 'Share of ended charges that succeeded, 0 to 1.' }),
  median_seconds: z.number().nullable().meta({ description: 'Seconds from checkout to credit.' }),
  credited_by_message: z.int().meta({ description: 'Credits that followed from a message of the provider.' }),
  learned_by_asking: z.int(),
  last_message_at: z.iso.datetime().nullable(),
})

const circuitSchema = z.object({
  environment: environmentSchema,
  provider: z.string(),
  direction: directionSchema,
  state: circuitStateSchema,
  since: z.iso.datetime(),
  calls: z.int().meta({ description: 'Calls in the last five minutes.' }),
  success_rate: z.number().nullable(),
  latency_ms: z.object({ median: z.number(), p95: z.number() }).nullable(),
  last_trouble: z.object({ kind: z.string(), reason: z.string(), at: z.iso.datetime() }).nullable(),
  last_webhook_at: z.iso.datetime().nullable(),
  other_signature: z
    .object({ form: z.string(), at: z.iso.datetime() })
    .nullable()
    .meta({ description: 'The last refused webhook whose signature is right in another form than the configured one.' }),
})

const healthSchema = z
  .object({
    networks: z.array(recentChargesSchema).meta({ description: 'Charges started in the window.' }),
    circuits: z
      .array(circuitSchema)
      .meta({ description: 'The circuit breakers of the process that answers. Each process has its own.' }),
  })
  .meta({ id: 'ProviderHealth' })

const perHome = 200

export async function providerHealthRoutes(http: Http, deps: ProviderHealthDeps): Promise<void> {
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/providers',
    operationId: 'getProviderHealth',
    summary: 'Get provider and network health',
    query: z.strictObject({ minutes: wholeNumber(1, 1440).default(60) }),
    answers: { 200: dataOf(healthSchema) },
    handler: async (request) => {
      const recent = await summariseRecentCharges(deps.db, { windowSeconds: request.query.minutes * 60, perHome })
      return {
        data: {
          networks: recent.map((one) =>
            answerOf(recentChargesSchema, one, {
              success_rate: one.completed + one.failed === 0 ? null : one.completed / (one.completed + one.failed),
              credited_by_message: one.reported,
              learned_by_asking: one.queried,
              last_message_at: one.lastReportAt?.toISOString() ?? null,
            }),
          ),
          circuits: deps.providerHealth().map((circuit) =>
            answerOf(circuitSchema, circuit, {
              latency_ms: circuit.latencyMs,
              last_trouble: circuit.lastTrouble && { ...circuit.lastTrouble, at: circuit.lastTrouble.at.toISOString() },
              other_signature: circuit.otherSignature && {
                ...circuit.otherSignature,
                at: circuit.otherSignature.at.toISOString(),
              },
            }),
          ),
        },
      }
    },
  })
}
