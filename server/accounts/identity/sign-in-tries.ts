/**
 * The limits that a sign-in try counts against. Invariant: an attacker's guesses slow down an account, or a shared address, but
 * never close it: when a limit is used up, one try passes every few seconds, and the limit does not apply to a network that the
 * account knows. The answers to a wrong password name the same limits from everywhere, and count an unknown name like a known one, so they
 * reveal neither which networks an account knows nor which names have an account.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Runner } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { networkOf, takeOrSlowly, type Limit } from '../../platform/http/limits.ts'
import { isKnownNetwork, rememberNetwork } from './known-networks.ts'
import type { Tries } from './sign-in.ts'

export type SignInLimit = 'signIn' | 'signInAccount' | 'signInAccountSlow' | 'signInAddress' | 'signInAddressSlow'

export type TriesDeps = {
  db: Runner
  log: Log
  limits: Record<SignInLimit, Limit>
  config: { keys: Pick<Config['keys'], 'limits'> }
}

/** The tries of one request. An account is identified by its id, or by the given name when it does not exist. */
export function triesOf(deps: TriesDeps, request: Pick<FastifyRequest, 'ip'>, reply: FastifyReply): Tries {
  const { limits } = deps
  const from = networkOf(request.ip)
  /** Take back what this try has counted. */
  let refunds: (() => Promise<void>)[] = []
  const counted =
    (limit: Limit, who: string, shownOn: FastifyReply | null) =>
    (window: number): void =>
      void refunds.push(() => limit.refund(who, shownOn, window))
  const takeShared = async (name: 'signInAccount' | 'signInAddress', who: string): Promise<void> => {
    // Not shown in headers: only tries from an unknown network are counted here.
    const usual = { limit: limits[name], who, onCounted: counted(limits[name], who, null) }
    await takeOrSlowly(usual, { limit: limits[`${name}Slow`], who }, null)
  }
  const refund = async (): Promise<void> => {
    for (const takeBack of refunds) await takeBack()
    refunds = []
  }
  return {
    from,
    async begin(name, account) {
      // By name, not by account: the headers would say which names have an account, and which belong to the same one.
      const who = `${name} ${from}`
      await limits.signIn.take(who, reply, counted(limits.signIn, who, reply))
      if (await isKnownNetwork(deps, account, from)) return true
      try {
        await takeShared('signInAccount', account)
        await takeShared('signInAddress', from)
        return false
      } catch (error) {
        // The password is not checked: a client that repeats its request as instructed must not use up its own tries.
        await refund()
        throw error
      }
    },
    refund,
    remember: (account) => rememberNetwork(deps, account, from),
  }
}
