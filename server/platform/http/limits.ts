/**
 * Rate limits by caller. Invariant: a try is counted before its result is known, so that parallel tries cannot all pass; and no
 * store contains a caller's identity in clear, only as an HMAC.
 */
import { isIPv4 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import ipaddr from 'ipaddr.js'
import { count, resetCount, type Counted, type CountedIn } from '../db/counts.sql.ts'
import type { Runner } from '../db/db.ts'
import { steadyClock } from '../clock.ts'
import { hmacSha256 } from '../crypto/keyed.ts'
import type { Log } from '../process/log.ts'
import { Refusal } from '../refusal.ts'

/** A quota in one window, which begins with the first call; counted by all processes together, or by each process separately. */
export type Policy = Readonly<{ quota: number; windowSeconds: number; countedBy: 'all_processes' | 'each_process' }>

export type Limit = {
  /**
   * Counts one call of `who`, and sets the headers with the remaining quota unless `reply` is null. Refuses with 429
   * `rate_limited` above the quota, and with 503 `overloaded` when the call cannot be counted. Calls `onCounted` with the window as soon
   * as the call is counted, also if it is then refused.
   */
  take(who: string, reply: FastifyReply | null, onCounted?: (window: number) => void): Promise<void>
  /** Counts one call of `who`, and refuses nothing. */
  note(who: string): Promise<void>
  /** Returns later the more calls of `who` were counted above the quota. Refuses with 429 while too many of its calls wait. */
  delay(who: string): Promise<void>
  /** Subtracts one call that must not count, unless the window in which it was counted is over. */
  refund(who: string, reply: FastifyReply | null, window: number): Promise<void>
  forget(who: string): Promise<void>
}

export type LimitsOptions<Name extends string> = {
  policies: Readonly<Record<Name, Policy>>
  /** False lets every call pass uncounted. */
  areOn: boolean
  hashKey: Buffer
  db: Runner
  log: Log
}

/** The name of a policy in answers and settings. */
export function limitNameOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const delayStepMs = 100
/** Shorter than the time that the service waits for its last answers when it stops. */
const longestDelayMs = 2_000
/** Calls of one caller that may wait in this process: each holds a connection. */
const mostDelayed = 100

const uncounted: Limit = {
  take: async () => {},
  note: async () => {},
  delay: async () => {},
  refund: async () => {},
  forget: async () => {},
}

type Shown = Map<string, { policy: string; state: string }>

const shownOn = new WeakMap<FastifyReply, Shown>()

/** RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers; a request may fall under several policies. */
function show(reply: FastifyReply | null, name: string, policy: Policy, { count: counted, msLeft }: Counted): void {
  if (!reply) return
  const shown: Shown = shownOn.get(reply) ?? new Map()
  shownOn.set(reply, shown)
  shown.set(name, {
    policy: `"${name}";q=${policy.quota};w=${policy.windowSeconds}`,
    state: `"${name}";r=${Math.max(0, policy.quota - counted)};t=${Math.ceil(msLeft / 1000)}`,
  })
  const all = [...shown.values()]
  void reply.header('ratelimit-policy', all.map((one) => one.policy).join(', '))
  void reply.header('ratelimit', all.map((one) => one.state).join(', '))
}

/** Counts points in windows that begin with the first call; negative points are a refund. */
type Counter = {
  add(key: string, points: number, ofWindow?: number): Promise<CountedIn>
  forget(key: string): Promise<void>
}

function countTogether(db: Runner, name: string, windowMs: number): Counter {
  return {
    add: (key, points, ofWindow) => count(db, `${name}:${key}`, points, windowMs, ofWindow),
    forget: (key) => resetCount(db, `${name}:${key}`),
  }
}

function countAlone(windowMs: number): Counter {
  const windows = new Map<string, { count: number; endsAt: number }>()
  let pruneAt = 0
  return {
    async add(key, points, ofWindow) {
      const now = steadyClock.now()
      if (now >= pruneAt) {
        for (const [old, { endsAt }] of windows) if (endsAt <= now) windows.delete(old)
        pruneAt = now + windowMs
      }
      const open = windows.get(key)
      if (points === 0 && !(open && open.endsAt > now)) return { count: 0, msLeft: windowMs, window: now + windowMs }
      const window = open && open.endsAt > now ? open : { count: 0, endsAt: now + windowMs }
      if (ofWindow === undefined || ofWindow === window.endsAt) window.count = Math.max(0, window.count + points)
      windows.set(key, window)
      return { count: window.count, msLeft: window.endsAt - now, window: window.endsAt }
    },
    async forget(key) {
      windows.delete(key)
    },
  }
}

function createLimit<Name extends string>(name: Name, options: LimitsOptions<Name>): Limit {
  const { hashKey, db, log } = options
  const policy = options.policies[name]
  const wireName = limitNameOf(name)
  const windowMs = policy.windowSeconds * 1000
  const counter = policy.countedBy === 'each_process' ? countAlone(windowMs) : countTogether(db, wireName, windowMs)
  const delayed = new Map<string, number>()
  const refusal = (msLeft: number): Refusal =>
    new Refusal(429, 'rate_limited', 'Too many requests. Wait for the seconds in Retry-After.', {
      retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1000)),
      evidence: { limit: wireName },
    })
  const keyOf = (who: string): string => hmacSha256(hashKey).update(`${name}|${who}`).digest('base64url')

  return {
    async take(who, reply, onCounted) {
      const taken = await counter.add(keyOf(who), 1).catch((error: unknown) => {
        if (error instanceof Refusal) throw error
        log.error('limit.count_failed', error, { limit: wireName })
        throw new Refusal(503, 'overloaded', 'The service is temporarily unavailable. Try again shortly.', {
          retryAfterSeconds: 2,
        })
      })
      onCounted?.(taken.window)
      show(reply, wireName, policy, taken)
      if (taken.count <= policy.quota) return
      throw refusal(taken.msLeft)
    },
    async note(who) {
      await counter.add(keyOf(who), 1)
    },
    async delay(who) {
      const key = keyOf(who)
      const { count: calls, msLeft } = await counter.add(key, 0)
      const above = calls - policy.quota
      if (above <= 0) return
      const waiting = delayed.get(key) ?? 0
      if (waiting >= mostDelayed) throw refusal(msLeft)
      delayed.set(key, waiting + 1)
      await sleep(Math.min(longestDelayMs, above * delayStepMs))
      const left = delayed.get(key)! - 1
      if (left > 0) delayed.set(key, left)
      else delayed.delete(key)
    },
    async refund(who, reply, window) {
      try {
        show(reply, wireName, policy, await counter.add(keyOf(who), -1, window))
      } catch (error) {
        // The call stays counted until the window ends.
        log.error('limit.return_failed', error, { limit: wireName })
      }
    },
    forget: (who) => counter.forget(keyOf(who)),
  }
}

export function createLimits<Name extends string>(options: LimitsOptions<Name>): Record<Name, Limit> {
  const names = Object.keys(options.policies) as Name[]
  return Object.fromEntries(names.map((name) => [name, options.areOn ? createLimit(name, options) : uncounted])) as Record<
    Name,
    Limit
  >
}

type Turn = { limit: Limit; who: string; onCounted?: (window: number) => void }

/**
 * Takes one of `usual`, or one of `slow` when `usual` is used up: callers that use it up slow down the counted caller but do not
 * lock it out. Refuses with 429 when both are used up.
 */
export async function takeOrSlowly(usual: Turn, slow: Turn, reply: FastifyReply | null): Promise<void> {
  try {
    await usual.limit.take(usual.who, reply, usual.onCounted)
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'rate_limited')) throw error
    await slow.limit.take(slow.who, reply)
  }
}

/** The unit that a limit counts for an address: one IPv4 address, or the /64 of an IPv6 address, because one customer has a whole /64. */
export function networkOf(ip: string): string {
  if (isIPv4(ip)) return ip
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}/64` : address.toString()
}

/** The wider network of an address, because one owner may have many networks: the /24 of an IPv4 address, the /56 of an IPv6 address. */
export function wideNetworkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const prefix = address instanceof ipaddr.IPv6 ? 56 : 24
  return `${address
    .toByteArray()
    .slice(0, prefix / 8)
    .join('.')}/${prefix}`
}
