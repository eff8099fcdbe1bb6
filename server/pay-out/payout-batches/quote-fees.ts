/**
 * Asks the provider for the fees of drafts: once for each amount if the fee does not depend on the recipient. Invariant: these calls leave
 * half of the provider's budget to all others, and when it has nothing left for them they wait.
 */
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { toWire } from '../../platform/ids.ts'
import type { Providers } from '../../money/providers/provider.ts'
import { claimUnquoted, endTurn, listUnquoted, storeFees, type UnquotedBatch } from './batch.sql.ts'

export type QuoteFeesDeps = { db: Db; log: Log; providers: Providers }

/** Quotes of one batch that run side by side, and how many of them are stored before the batch lets another one go first. */
const quotesAtOnce = 10
const quotesPerTurn = 500
const leaseSeconds = 120
/** After a provider gave no quote. */
const retrySeconds = 10

type Quoted = { amount: number; phoneNumber: string | null; fee: number }

/** Asks for the fees of one batch; returns the seconds until the next turn. */
async function quoteBatch({ db, log, providers }: QuoteFeesDeps, batch: UnquotedBatch): Promise<number> {
  const provider = providers[batch.environment].payouts
  const { quotesForRecipient: perPhone } = provider.capabilities
  for (let left = quotesPerTurn; left > 0;) {
    const wanted = await listUnquoted(db, batch, { perPhone, limit: quotesAtOnce })
    // Fewer than asked for are the last.
    left = wanted.length < quotesAtOnce ? 0 : left - quotesAtOnce
    const quotes = await Promise.all(
      wanted.map(async ({ amount, phoneNumber }) => ({
        amount,
        phoneNumber,
        quote: await provider.quotePayout(amount, phoneNumber ?? undefined, 'batch'),
      })),
    )
    const fees = quotes.flatMap(({ quote, ...of }): Quoted[] => (quote.kind === 'quoted' ? [{ ...of, fee: quote.fee }] : []))
    await storeFees(db, batch, fees)
    const failed = quotes.flatMap(({ quote }) => (quote.kind === 'indeterminate' ? [quote] : []))
    if (failed.length === 0) continue
    const heldMs = Math.max(0, ...failed.map(({ afterMs = 0 }) => afterMs))
    if (heldMs > 0) return heldMs / 1000
    log.warn('payout.quote_failed', {
      reason: failed[0]!.reason,
      environment: batch.environment,
      batch_id: toWire('pb', batch.id),
    })
    return retrySeconds
  }
  return 0
}

/** One turn of each draft whose fees are due, or of the named one. Returns how many had a turn, at most `limit`. */
export async function quoteFees(deps: QuoteFeesDeps, limit: number, only?: { home: number; id: string }): Promise<number> {
  const batches = await claimUnquoted(deps.db, { limit, leaseSeconds, only })
  for (const batch of batches) {
    const seconds = await quoteBatch(deps, batch)
    await deps.db.tx((tx) => endTurn(tx, batch, seconds))
  }
  return batches.length
}
