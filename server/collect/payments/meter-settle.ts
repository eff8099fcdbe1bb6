/** Counts the results of payments: how they ended, which source reported it, and how long their credit took. */
import type { Meters } from '../../platform/process/meters.ts'
import type { Settle } from './settle.ts'

const bounds = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600]

/** Our own few names of sources; an actor may also be a person. */
const sources = new Set(['provider:webhook', 'provider:answer', 'provider:poll', 'provider:list'])

export function meterSettle(settle: Settle, meters: Meters): Settle {
  const settlements = meters.counter('malipo_settlements_total', 'Settlements of payments, by verdict.', [
    'environment',
    'provider',
    'verdict',
  ])
  const moves = meters.counter('malipo_payment_moves_total', 'Status changes of payments, by source.', [
    'environment',
    'provider',
    'network',
    'status',
    'source',
  ])
  const credits = meters.histogram(
    'malipo_credit_seconds',
    'Time from the provider’s message about a success to the credit of the wallet. Credits that a query found are not counted.',
    ['environment'],
    bounds,
  )
  const payments = meters.histogram(
    'malipo_payment_seconds',
    'Time from the checkout to the credit of the wallet, including the time of the payer.',
    ['environment', 'network'],
    bounds,
  )

  return async (item) => {
    const settled = await settle(item)
    const { environment, provider, learned } = item
    const network = (learned.kind === 'provider_record' ? learned.snapshot.network : null) ?? 'unknown'
    settlements({ environment, provider, verdict: settled.verdict })
    if (settled.verdict === 'applied' && settled.status !== null) {
      const source = sources.has(item.actor) ? item.actor.slice('provider:'.length) : 'operator'
      moves({ environment, provider, network, status: settled.status, source })
    }
    const { creditedAfter } = settled
    if (creditedAfter) {
      payments({ environment, network }, creditedAfter.sinceCheckoutSeconds)
      if (creditedAfter.sinceMessageSeconds !== null) credits({ environment }, creditedAfter.sinceMessageSeconds)
    }
    return settled
  }
}
