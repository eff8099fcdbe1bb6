/** Handles a stored provider message about a payout: finds the payout and applies the message. */
import type { Environment } from '../../domain/environment.ts'
import type { Config } from '../../config/config.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import type { Db } from '../../platform/db/db.ts'
import { retryWhileLocked, type Turns } from '../../platform/db/lock-retry.ts'
import type { Log } from '../../platform/process/log.ts'
import type { InboxMessage } from '../../money/providers/inbox.sql.ts'
import { providerNamed, type PayoutSnapshot, type Providers } from '../../money/providers/provider.ts'
import { checkPayoutSoon, findPayoutReference } from '../../pay-out/payouts/payout.sql.ts'
import { settlePayout, type PayoutSource, type SettledPayout } from '../../pay-out/payouts/settle-payout.ts'

export type Received = Pick<InboxMessage, 'provider' | 'environment' | 'eventId' | 'requestId'>
/** The order that a message is about, as far as the message names it. */
export type Named = { reference: string | null; ourReference: string | null }

export type PayoutMessageDeps = {
  settlingDb: Db
  log: Log
  config: Pick<Config, 'payments'>
  providers: Providers
  /** By home: payouts that wait for a locked wallet must not use all connections. */
  payoutTurns: Turns<number>
}

/** How long a message is retried while another transaction locks a row that it needs. */
const lockPatienceMs = 10_000

async function findPayoutOf(
  { settlingDb }: PayoutMessageDeps,
  message: Received,
  named: Named,
): Promise<{ home: number; id: string } | undefined> {
  const id = named.ourReference === null ? undefined : fromWire('po', named.ourReference)
  if (id !== undefined) return { home: homeOfId(id), id }
  if (named.reference === null) return undefined
  return findPayoutReference(settlingDb, { ...message, reference: named.reference })
}

function settle(
  { settlingDb: db, log, config, payoutTurns }: PayoutMessageDeps,
  key: { home: number; id: string; environment: Environment },
  source: PayoutSource,
  snapshot: PayoutSnapshot,
): Promise<SettledPayout> {
  const update = { kind: 'snapshot', snapshot, nextAttemptSeconds: config.payments.checkDelaysSeconds[0]! } as const
  return payoutTurns(key.home, () => retryWhileLocked(() => settlePayout({ db, log }, key, source, update), lockPatienceMs))
}

/** Queries the provider and applies its answer; without an answer the payout stays due for a query. */
async function askProvider(
  deps: PayoutMessageDeps,
  message: Received,
  payout: { home: number; id: string },
  named: Named,
): Promise<void> {
  const { provider: name, environment, requestId } = message
  const provider = providerNamed(deps.providers, environment, name)
  const canAsk = named.reference !== null || provider.capabilities.looksUpOurReference
  const key = { reference: named.reference, ourReference: toWire('po', payout.id) }
  const answer = canAsk ? await provider.fetchPayout(key) : undefined
  if (answer?.kind !== 'found') return checkPayoutSoon(deps.settlingDb, payout)
  await settle(deps, { ...payout, environment }, { provider: name, requestId, actor: 'provider:poll' }, answer.snapshot)
}

/** Applies a stored message; returns false if it must wait. */
export async function settlePayoutMessage(
  deps: PayoutMessageDeps,
  message: Received,
  snapshot: PayoutSnapshot,
): Promise<boolean> {
  const payout = await findPayoutOf(deps, message, snapshot)
  if (!payout) return false
  const source = { ...message, actor: 'provider:webhook', inboxEventId: message.eventId, isReport: true }
  const { verdict } = await settle(deps, { ...payout, environment: message.environment }, source, snapshot)
  if (verdict === 'to_confirm' || verdict === 'unproven') await askProvider(deps, message, payout, snapshot)
  return verdict !== 'unknown_payout'
}

/** Queries the provider about the payout that a doubtful message names. */
export async function askAboutPayout(deps: PayoutMessageDeps, message: Received, named: Named): Promise<void> {
  const payout = await findPayoutOf(deps, message, named)
  if (payout) await askProvider(deps, message, payout, named)
}
