/**
 * Limits on how often something may be done by somebody. Invariant: a try is counted before it is known how it ends, so that tries at
 * once cannot all pass; and who is counted stands in no store in clear, but as a HMAC.
 *
 * What all processes must count together is counted in PostgreSQL by the package's own statements, on the table of our migration: one
 * upsert that adds and answers, which is what ours would be. Its windows begin and end by the process's clock, never those of money.
 */
import { createHmac } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import ipaddr from 'ipaddr.js'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Db } from './db.ts'
import type { Log } from './log.ts'
import { Refusal } from './refusal.ts'

/** So many in one window, which begins with the first; counted by all processes together, or by each for itself. */
export type Policy = Readonly<{ quota: number; windowSeconds: number; countedBy: 'all_processes' | 'each_process' }>

export type Limit = {
  /**
   * Counts one of `who`, and says on the answer what is left. Refuses with 429 `rate_limited` what is too much, and with 503 `overloaded`
   * when it cannot be counted.
   */
  take(who: string, reply: FastifyReply): Promise<void>
  /** Uncounts one that turned out not to count. */
  giveBack(who: string, reply: FastifyReply): Promise<void>
  /** Forgets that anything was counted of `who`. */
  forget(who: string): Promise<void>
}

export type LimitsOptions<Name extends string> = {
  policies: Readonly<Record<Name, Policy>>
  /** False lets everything pass, uncounted. */
  areOn: boolean
  hashKey: Buffer
  db: Pick<Db, 'pool'>
  log: Log
}

const table = 'rate_limits'

/** A policy's name, as answers and settings have it. */
export function limitNameOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const uncounted: Limit = { take: async () => {}, giveBack: async () => {}, forget: async () => {} }

type Shown = Map<string, { policy: string; state: string }>

const shownOn = new WeakMap<FastifyReply, Shown>()

/** RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers; a request may fall under several policies. */
function show(reply: FastifyReply, name: string, policy: Policy, { remainingPoints, msBeforeNext }: RateLimiterRes): void {
  const shown: Shown = shownOn.get(reply) ?? new Map()
  shownOn.set(reply, shown)
  shown.set(name, {
    policy: `"${name}";q=${policy.quota};w=${policy.windowSeconds}`,
    state: `"${name}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`,
  })
  const all = [...shown.values()]
  void reply.header('ratelimit-policy', all.map((one) => one.policy).join(', '))
  void reply.header('ratelimit', all.map((one) => one.state).join(', '))
}

function createLimit<Name extends string>(name: Name, options: LimitsOptions<Name>, clearsTable: boolean): Limit {
  const { hashKey, db, log } = options
  const policy = options.policies[name]
  const { quota: points, windowSeconds: duration, countedBy } = policy
  const wireName = limitNameOf(name)
  const counter =
    countedBy === 'each_process'
      ? new RateLimiterMemory({ points, duration })
      : new RateLimiterPostgres({
          points,
          duration,
          storeClient: db.pool,
          storeType: 'pool',
          tableName: table,
          tableCreated: true,
          keyPrefix: wireName,
          clearExpiredByTimeout: clearsTable,
        })
  const keyOf = (who: string): string => createHmac('sha256', hashKey).update(`${name}|${who}`).digest('base64url')

  return {
    async take(who, reply) {
      try {
        show(reply, wireName, policy, await counter.consume(keyOf(who)))
      } catch (outcome) {
        if (!(outcome instanceof RateLimiterRes)) {
          log.error('a limit could not be counted', outcome, { limit: wireName })
          throw new Refusal(503, 'overloaded', 'The service cannot do this right now. Try again shortly.', {
            retryAfterSeconds: 2,
          })
        }
        show(reply, wireName, policy, outcome)
        throw new Refusal(429, 'rate_limited', 'Too many requests. Wait before the next one.', {
          retryAfterSeconds: Math.max(1, Math.ceil(outcome.msBeforeNext / 1000)),
          evidence: { limit: wireName },
        })
      }
    },
    async giveBack(who, reply) {
      try {
        show(reply, wireName, policy, await counter.reward(keyOf(who)))
      } catch (error) {
        // What was done stays done: the try counts until the window ends.
        log.error('a limit could not be given back', error, { limit: wireName })
      }
    },
    async forget(who) {
      await counter.delete(keyOf(who))
    },
  }
}

/** One limit for each policy. */
export function createLimits<Name extends string>(options: LimitsOptions<Name>): Record<Name, Limit> {
  const names = Object.keys(options.policies) as Name[]
  // One of them clears the table of what has expired, for all.
  const clearer = names.find((name) => options.policies[name].countedBy === 'all_processes')
  return Object.fromEntries(
    names.map((name) => [name, options.areOn ? createLimit(name, options, name === clearer) : uncounted]),
  ) as Record<Name, Limit>
}

/** Who an address is to a limit: one IPv4 address, or the /64 of an IPv6 address, which one customer has whole. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}/64` : address.toString()
}
