/**
 * How often somebody may register, so that the 409 of a known address does not list who has an account. Invariant: while too many register
 * over all, every network still registers a few, so that nobody can keep others out.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { networkOf, takeOrSlowly, type Limit } from '../platform/http/limits.ts'

export type RegistrationLimit = 'register' | 'registerOverall' | 'registerInRush'

type Deps = { limits: Record<RegistrationLimit, Limit>; config: Pick<Config, 'safeguards'> }

/** Counts one, whatever comes of it; refuses with 429 `rate_limited`. */
export async function countRegistration(deps: Deps, request: Pick<FastifyRequest, 'ip'>, reply: FastifyReply): Promise<void> {
  const { limits, config } = deps
  if (!config.safeguards.limitsRegistrations) return
  const network = networkOf(request.ip)
  await limits.register.take(network, reply)
  await takeOrSlowly({ limit: limits.registerOverall, who: 'all' }, { limit: limits.registerInRush, who: network }, reply)
}
