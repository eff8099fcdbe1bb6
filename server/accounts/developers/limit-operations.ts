/**
 * Counts each call of an operation that the table of limits counts by person or by merchant. Invariant: an operation that the table names
 * is counted without a line of its route, and a repeat that is answered from its idempotency key is not.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Http } from '../../platform/http/http.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { assert } from '../../platform/refusal.ts'
import { limitsOf, type Limits } from '../../config/limits.ts'
import type { KeyCaller } from './authenticate-key.ts'

/** Who is counted, after access was checked. */
function whoOf(per: string, { signedIn, keyCaller, access }: FastifyRequest): string {
  if (per === 'person') return signedIn.userId
  const owner = access?.owner ?? (keyCaller as KeyCaller | null)?.owner
  assert(per === 'merchant' && owner, 'the table counts persons and merchants')
  return `${owner.merchant.id} ${owner.environment}`
}

/** Must be called before `answerOnce`, whose repeats are answered first, and before the routes are added. */
export function limitOperations(http: Http, { limits }: { limits: Record<keyof Limits['policies'], Limit> }): void {
  http.addHook('onRoute', (route) => {
    for (const { name, row } of limitsOf(route.schema?.operationId ?? '')) {
      if (row.takenBy === 'route') continue
      const take = (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
        limits[name as keyof typeof limits].take(whoOf(row.per, request), reply)
      route.preHandler = [take, route.preHandler ?? []].flat()
    }
  })
}
