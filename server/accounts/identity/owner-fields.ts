/** How a signed-in person names the merchant that they act for: an environment and a business, in the query or in the body. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { environmentSchema } from '../../domain/environment.ts'
import type { AnyRoute, Step } from '../../platform/http/route.ts'
import { invalidFields } from '../../platform/refusal.ts'

export const ownerQuery = {
  environment: environmentSchema.default('live').meta({ description: 'May be sent in the body instead.' }),
  business_id: z.string().optional().meta({
    description: 'A business that you are a member of. Without it: your personal account. May be sent in the body instead.',
  }),
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a schema of a request's part has this field. */
function hasField(schema: unknown, name: string): boolean {
  if (schema instanceof z.ZodPrefault) return hasField(schema.unwrap(), name)
  return schema instanceof z.ZodObject && name in schema.shape
}

/**
 * For a route with a body, before it is validated: moves each of the fields to the part of the request whose schema has it. Two different
 * values: 400. Undefined for a route that needs no such step.
 */
export function joinOwnerFields({ query, body }: Pick<AnyRoute, 'query' | 'body'>): Step | undefined {
  const isElsewhere = (name: string): boolean => hasField(query, name) !== hasField(body, name)
  const named = body ? Object.keys(ownerQuery).filter(isElsewhere) : []
  if (named.length === 0) return undefined
  return async (request) => {
    for (const name of named) moveField(request, name, hasField(query, name))
  }
}

function moveField(request: FastifyRequest, name: string, isForQuery: boolean): void {
  const body = request.body ?? {}
  const query = request.query as Fields
  // A body that is no object is refused by its schema.
  if (!isFields(body)) return
  const [inQuery, inBody] = [query[name], body[name]]
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidFields([{ field: name, code: 'invalid', message: 'The query and the body have different values. Send one.' }])
  }
  const value = inQuery ?? inBody
  if (value === undefined) return
  const { [name]: _query, ...queryWithout } = query
  const { [name]: _body, ...bodyWithout } = body
  request.query = isForQuery ? { ...query, [name]: value } : queryWithout
  request.body = isForQuery ? bodyWithout : { ...body, [name]: value }
}

/** The business and the environment that a request names, wherever it does. */
export function ownerNamedIn({ query, body }: FastifyRequest): unknown[] {
  const named = (field: string): unknown => (query as Fields)[field] ?? (isFields(body) ? body[field] : undefined) ?? null
  return [named('business_id'), named('environment')]
}
