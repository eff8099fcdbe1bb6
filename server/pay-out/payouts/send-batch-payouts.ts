/**
 * Sends and queries the payouts of batches, in lanes of their own. Invariant: when a provider's budget has nothing left for batches, no
 * more of its orders are claimed until it has, so thousands of waiting orders cost nothing and hold back no other payout.
 */
import { environments } from '../../domain/environment.ts'
import type { Clock } from '../../platform/clock.ts'
import { checkLane, type SendPayoutDeps } from './send-payout.ts'

export type BatchSender = {
  /** Claims up to `size` orders of each provider, sends or queries them, and returns the largest number of one provider. */
  round(size: number): Promise<number>
}

/** `clock`: one that is never set. `isSent`: queries the orders that were sent, instead of sending new ones. */
export function createBatchSender(deps: SendPayoutDeps, { clock, isSent }: { clock: Clock; isSent: boolean }): BatchSender {
  const heldUntil = new Map<string, number>()
  const keyOf = ({ provider, environment }: { provider: string; environment: string }): string => `${environment} ${provider}`
  const noting: SendPayoutDeps = {
    ...deps,
    noteHeld(at, forMs) {
      heldUntil.set(keyOf(at), Math.max(heldUntil.get(keyOf(at)) ?? 0, clock.now() + forMs))
    },
  }
  const lanes = environments.flatMap((environment) =>
    [...deps.providers[environment].byName.keys()].map((provider) => ({ provider, environment, isSent })),
  )
  return {
    async round(size) {
      const free = lanes.filter((lane) => (heldUntil.get(keyOf(lane)) ?? 0) <= clock.now())
      const counts = await Promise.all(free.map((lane) => checkLane(noting, lane, size)))
      return Math.max(0, ...counts)
    },
  }
}
