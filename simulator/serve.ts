/** The door of every /v1 route. Invariant: rate limit, key and scope come before the route, and whatever the route throws leaves in the provider's own error envelope. */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Admission } from './admission.ts'
import type { AccountName } from './config.ts'
import type { Scope, Switches } from './switches.ts'
import { ProviderRefusal, refused } from './wire.ts'
import type { Answer } from './wire.ts'

export type Call = {
  account: AccountName
  query: URLSearchParams
  params: Record<string, string>
  body: Buffer
  idempotencyKey: string | null
}

export type Serve = (scope: Scope, route: (call: Call) => Answer | Promise<Answer>) => RouteHandlerMethod

export function doorOf(deps: { admission: Admission; switches: Switches }): Serve {
  return (scope, route) => async (request, reply) => {
    const answer = await answered(deps, scope, route, request, reply)
    return await send(reply, answer)
  }
}

async function answered(
  deps: { admission: Admission; switches: Switches },
  scope: Scope,
  route: (call: Call) => Answer | Promise<Answer>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  try {
    const account = deps.admission.account(request.headers.authorization)
    const { allowed, headers } = deps.admission.count(account)
    void reply.headers(headers)
    if (!allowed) throw new ProviderRefusal('rateLimit', 'Too many requests')
    deps.admission.requireScope(scope)
    return await route(readCall(account, request))
  } catch (error) {
    if (error instanceof ProviderRefusal) return refused(error, deps.switches)
    throw error
  }
}

function readCall(account: AccountName, request: FastifyRequest): Call {
  const key = request.headers['idempotency-key']
  return {
    account,
    query: queryOf(request),
    params: request.params as Record<string, string>,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    idempotencyKey: typeof key === 'string' && key !== '' ? key : null,
  }
}

export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://simulator.invalid').searchParams
}

export async function send(reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  return await reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(answer.body)
}
