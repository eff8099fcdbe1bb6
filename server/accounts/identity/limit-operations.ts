/**
 * Counts each call of an operation that the table of limits counts by person or by merchant. Invariant: an operation that the table names
 * is counted without a line of its route, and a repeat that is answered from its idempotency key is not.
 */
import type { FastifyRequest } from 'fastify'
import type { Limit } from '../../platform/http/limits.ts'
import type { Step } from '../../platform/http/route.ts'
import { limitsOf, type Limits } from '../../config/limits.ts'

export type LimitDeps = { limits: Record<keyof Limits['policies'], Limit> }

/** `whoOf`: who is counted for `per` of the table, after access was checked. */
export function countCalls(
  { limits }: LimitDeps,
  operationId: string,
  whoOf: (per: string, request: FastifyRequest) => string,
): Step[] {
  return limitsOf(operationId)
    .filter(({ row }) => row.takenBy === 'table')
    .map(
      ({ name, row }) =>
        (request, reply) =>
          limits[name as keyof typeof limits].take(whoOf(row.per, request), reply),
    )
}
