/**
 * What a try to sign in counts against. Invariant: guesses of others slow down an account, or an address that many share, but never close
 * it: when a limit is used up one try passes every few seconds, and from a network that the account knows it does not hold at all. And
 * the answers to a wrong password name the same limits from everywhere: they do not say which networks an account knows.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Runner } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { networkOf, takeOrSlowly, type Limit } from '../platform/http/limits.ts'
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
  /** What was counted of this try, to be given back. */
  let counted: [Limit, who: string, shownOn: FastifyReply | null][] = []
  const takeShared = async (name: 'signInAccount' | 'signInAddress', who: string): Promise<void> => {
    counted.push([limits[name], who, null])
    // Not shown: only who comes from an unknown network is counted here.
    await takeOrSlowly({ limit: limits[name], who }, { limit: limits[`${name}Slow`], who }, null)
  }
  const giveBack = async (): Promise<void> => {
    for (const [limit, who, shownOn] of counted) await limit.giveBack(who, shownOn)
    counted = []
  }
  return {
    from,
    async begin(account) {
      await limits.signIn.take(`${account} ${from}`, reply)
      counted.push([limits.signIn, `${account} ${from}`, reply])
      if (await isKnownNetwork(deps, account, from)) return
      try {
        await takeShared('signInAccount', account)
        await takeShared('signInAddress', from)
      } catch (error) {
        // It is not checked: who comes again when told to must not use up their own tries by that.
        await giveBack()
        throw error
      }
    },
    takeBack: giveBack,
    remember: (account) => rememberNetwork(deps, account, from),
  }
}
