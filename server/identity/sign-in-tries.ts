/**
 * What a try to sign in counts against. Invariant: guesses of others slow down an account, or an address that many share, but never close
 * it: when a limit is used up one try passes every few seconds, and from a network that the account knows it does not hold at all.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Runner } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { networkOf, takeOrSlowly, type Limit } from '../platform/limits.ts'
import { isKnownNetwork, rememberNetwork } from './known-networks.ts'
import type { Tries } from './sign-in.ts'

export type SignInLimit = 'signIn' | 'signInAccount' | 'signInAccountSlow' | 'signInAddress' | 'signInAddressSlow'

export type TriesDeps = {
  db: Runner
  log: Log
  limits: Record<SignInLimit, Limit>
  config: { keys: Pick<Config['keys'], 'limits'> }
}

/** For one request. An account is its id, or the name that nobody has. */
export function triesOf(deps: TriesDeps, request: Pick<FastifyRequest, 'ip'>, reply: FastifyReply): Tries {
  const { limits } = deps
  const from = networkOf(request.ip)
  let isShared = false
  const takeBoth = (name: 'signInAccount' | 'signInAddress', who: string) =>
    takeOrSlowly({ limit: limits[name], who }, { limit: limits[`${name}Slow`], who }, reply)
  return {
    from,
    async begin(account) {
      await limits.signIn.take(`${account} ${from}`, reply)
      if (await isKnownNetwork(deps, account, from)) return
      try {
        await takeBoth('signInAccount', account)
        await takeBoth('signInAddress', from)
      } catch (error) {
        // It was never checked: whoever comes again as told must not use up the tries of their own.
        await limits.signIn.giveBack(`${account} ${from}`, reply)
        throw error
      }
      isShared = true
    },
    async takeBack(account) {
      await limits.signIn.giveBack(`${account} ${from}`, reply)
      if (!isShared) return
      await limits.signInAccount.giveBack(account, reply)
      await limits.signInAddress.giveBack(from, reply)
    },
    remember: (account) => rememberNetwork(deps, account, from),
  }
}
