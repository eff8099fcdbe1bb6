/**
 * Queries charges whose payment ended without a credit again: the payer may have paid, and the message about it may be lost. Invariant:
 * it moves a payment only by a late, proven success, and uses only the part of the provider's call budget that is left for such queries.
 */
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { inTrace, storedTrace } from '../../platform/process/trace.ts'
import type { ChargeAnswer, Provider, Providers } from '../../money/providers/provider.ts'
import { recheckSeconds, recheckWithoutListSeconds } from './payment.ts'
import { claimRechecks, scheduleRecheck, type EndedCharge } from './payment.sql.ts'
import type { Settle } from './settle.ts'
import { settlementOf } from './settlement.ts'

export type RecheckDeps = {
  db: Db
  log: Log
  providers: Providers
  settle: Settle
  config: { payments: { claimLeaseSeconds: number } }
}

/** Seconds until the next try after a missing answer. */
const retrySeconds = 60

/** Seconds after the end of the next query; null: it was the last one. */
function nextAfter(endedSeconds: number, provider: Provider | undefined): number | null {
  // A provider with a list shows charges older than a day there: the daily reconciliation reads a week of it.
  const slots = provider?.capabilities.lists ? recheckSeconds : [...recheckSeconds, ...recheckWithoutListSeconds]
  return slots.find((seconds) => seconds > endedSeconds) ?? null
}

async function ask(charge: EndedCharge, provider: Provider | undefined): Promise<ChargeAnswer | undefined> {
  const reference = charge.providerReference
  if (charge.held || !provider || (reference === null && !provider.capabilities.looksUpOurReference)) return undefined
  return provider.fetchCharge({ reference, ourReference: toWire('pay', charge.paymentId) }, 'last')
}

async function recheck(deps: RecheckDeps, charge: EndedCharge): Promise<void> {
  const provider = deps.providers[charge.environment].byName.get(charge.provider)
  const answer = await ask(charge, provider)
  if (answer?.kind === 'indeterminate') {
    const seconds = answer.afterMs === undefined ? retrySeconds : answer.afterMs / 1000
    return scheduleRecheck(deps.db, charge, charge.endedSeconds + seconds)
  }
  if (answer?.kind === 'found' && answer.snapshot.status === 'completed') {
    const { home, paymentId, environment, requestId } = charge
    const source = { home, paymentId, environment, provider: charge.provider, actor: 'provider:poll', requestId }
    await deps.settle(settlementOf(source, answer.snapshot, retrySeconds))
  }
  await scheduleRecheck(deps.db, charge, nextAfter(charge.endedSeconds, provider))
}

/** Claims ended charges that are due, those that ended last first, and queries each. Returns how many it claimed. */
export async function recheckEnded(deps: RecheckDeps, limit: number): Promise<number> {
  const due = await claimRechecks(deps.db, limit, deps.config.payments.claimLeaseSeconds)
  await Promise.all(
    due.map((charge) =>
      inTrace(storedTrace({ ...charge, id: charge.paymentId, about: toWire('pay', charge.paymentId) }), () =>
        recheck(deps, charge).catch((error: unknown) => deps.log.error('charge.recheck_failed', error)),
      ),
    ),
  )
  return due.length
}
