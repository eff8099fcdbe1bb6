/** Handles a stored provider message about a payout: finds the payout and applies the message. */
import type { Environment } from '../../domain/environment.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { createTurns, retryWhileLocked } from '../../platform/db/lock-retry.ts'
import { providerNamed, type PayoutSnapshot, type Providers } from '../../money/providers/provider.ts'
import { checkPayoutSoon, findPayoutReference } from '../../pay-out/payouts/payout.sql.ts'
import {
  settlePayout,
  type PayoutUpdate,
  type PayoutSource,
  type SettledPayout,
  type SettlePayoutDeps,
} from '../../pay-out/payouts/settle-payout.ts'

type Received = { provider: string; environment: Environment; eventId: string; requestId: string }
type Named = { reference: string | null; ourReference: string | null }

/** The interface that the inbox calls: payouts are above payments in the import order, and the inbox belongs to payments. */
export type PayoutMessages = {
  /** Applies a stored message; returns false if it must wait. */
  settle(message: Received, snapshot: PayoutSnapshot): Promise<boolean>
  /** Queries the provider about the payout that a doubtful message names. */
  askAbout(message: Received, named: Named): Promise<void>
}

/** How long a message is retried while another transaction locks a row that it needs. */
const lockPatienceMs = 10_000

export function createPayoutMessages(
  deps: SettlePayoutDeps & { providers: Providers; config: { payments: { checkDelaysSeconds: readonly number[] } } },
): PayoutMessages {
  const nextAttemptSeconds = deps.config.payments.checkDelaysSeconds[0]!
  const inTurn = createTurns<number>()

  /** One message per home at a time: payouts that wait for a locked wallet must not use all connections. */
  const settle = (
    key: { home: number; id: string; environment: Environment },
    source: PayoutSource,
    update: PayoutUpdate,
  ): Promise<SettledPayout> =>
    inTurn(key.home, () => retryWhileLocked(() => settlePayout(deps, key, source, update), lockPatienceMs))

  async function find(message: Received, named: Named): Promise<{ home: number; id: string } | undefined> {
    const id = named.ourReference === null ? undefined : fromWire('po', named.ourReference)
    if (id !== undefined) return { home: homeOfId(id), id }
    if (named.reference === null) return undefined
    return findPayoutReference(deps.db, { ...message, reference: named.reference })
  }

  /** Queries the provider and applies its answer; without an answer the payout stays due for a query. */
  async function askProvider(message: Received, payout: { home: number; id: string }, named: Named): Promise<void> {
    const provider = providerNamed(deps.providers, message.environment, message.provider)
    const canAsk = named.reference !== null || provider.capabilities.looksUpOurReference
    const key = { reference: named.reference, ourReference: toWire('po', payout.id) }
    const answer = canAsk ? await provider.fetchPayout(key) : undefined
    if (answer?.kind !== 'found') return checkPayoutSoon(deps.db, payout)
    const source = { provider: message.provider, requestId: message.requestId, actor: 'provider:poll' }
    const update = { kind: 'snapshot', snapshot: answer.snapshot, nextAttemptSeconds } as const
    await settle({ ...payout, environment: message.environment }, source, update)
  }

  return {
    async settle(message, snapshot) {
      const payout = await find(message, snapshot)
      if (!payout) return false
      const source = { ...message, actor: 'provider:webhook', inboxEventId: message.eventId, isReport: true }
      const key = { ...payout, environment: message.environment }
      const { verdict } = await settle(key, source, { kind: 'snapshot', snapshot, nextAttemptSeconds })
      if (verdict === 'to_confirm') await askProvider(message, payout, snapshot)
      return verdict !== 'unknown_payout'
    },

    async askAbout(message, named) {
      const payout = await find(message, named)
      if (!payout) return
      await askProvider(message, payout, named)
    },
  }
}
