/**
 * Limits registrations, so that the 409 for a known address cannot be used to list accounts. Invariant: while the total exceeds
 * its limit, every network can still register a few accounts, so that one attacker cannot block others.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { networkOf, takeOrSlowly, type Limit } from '../../platform/http/limits.ts'

export type RegistrationLimit = 'register' | 'registerOverall' | 'registerInRush'

export type CountRegistrationDeps = { limits: Record<RegistrationLimit, Limit>; config: Pick<Config, 'safeguards'> }

/** Counts one registration or change of an address or number, successful or not; refuses with 429 `rate_limited`. */
export async function countRegistration(
  deps: CountRegistrationDeps,
  request: Pick<FastifyRequest, 'ip'>,
  reply: FastifyReply,
): Promise<void> {
  const { limits, config } = deps
  if (!config.safeguards.limitsRegistrations) return
  const network = networkOf(request.ip)
  await limits.register.take(network, reply)
  await takeOrSlowly({ limit: limits.registerOverall, who: 'all' }, { limit: limits.registerInRush, who: network }, reply)
}
