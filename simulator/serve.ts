/**
 * The entry of every /v1 route. Invariant: rate limit, key and scope come before the route, and every error thrown by the route is
 * sent in the provider's own error envelope.
 */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Admission } from './admission.ts'
import type { AccountName } from './config.ts'
import { drifted } from './drift.ts'
import type { Scope, Switches } from './switches.ts'
import { ConnectionCut, ProviderRefusal, refused, Spoiled, type Answer } from './wire.ts'

export type Call = {
  account: AccountName
  query: URLSearchParams
  params: Record<string, string>
  body: Buffer
  idempotencyKey: string | null
}

export type Serve = (scope: Scope, route: (call: Call) => Answer | Promise<Answer>) => RouteHandlerMethod

export function createServe(deps: { admission: Admission; switches: Switches }): Serve {
  return (scope, route) => async (request, reply) => {
    const answer = await answered(deps, scope, route, request, reply)
    return answer === null ? cut(reply) : await send(reply, { ...answer, body: drifted(answer.body, deps.switches.drift) })
  }
}

/** Ends a request with a reset, as a broken connection does. */
export function cut(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.socket?.resetAndDestroy()
  return reply
}

async function answered(
  deps: { admission: Admission; switches: Switches },
  scope: Scope,
  route: (call: Call) => Answer | Promise<Answer>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer | null> {
  try {
    const account = deps.admission.account(request.headers.authorization)
    const { allowed, headers } = deps.admission.count(account)
    void reply.headers(headers)
    if (!allowed) throw new ProviderRefusal('rateLimit', 'Too many requests')
    deps.admission.requireScope(scope)
    return await route(readCall(account, request))
  } catch (error) {
    if (error instanceof ConnectionCut) return null
    if (error instanceof Spoiled) return error.answer
    if (!(error instanceof ProviderRefusal)) throw error
    if (error.kind === 'rateLimit') void reply.header('x-ratelimit-remaining', '0')
    return refused(error, deps.switches)
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
  const contentType = answer.contentType ?? 'application/json'
  return await reply.code(answer.status).header('content-type', `${contentType}; charset=utf-8`).send(answer.body)
}
