/**
 * Asks the provider for the fees of drafts: once for each amount if the fee does not depend on the recipient. Invariant: these calls leave
 * half of the provider's budget to all others, and when it has nothing left for them they wait.
 */
import type { ProviderFailure } from '../../domain/payout.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { quotePayout } from '../../money/providers/fee.ts'
import type { PayoutQuote, Providers } from '../../money/providers/provider.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { refusedQuoteText } from '../payouts/payout.ts'
import type { RowError } from './batch-row.ts'
import { claimUnquoted, endTurn, listUnquoted, storeFees, type Turn, type Unquoted, type UnquotedBatch } from './batch.sql.ts'

export type QuoteFeesDeps = { db: Db; log: Log; providers: Providers }

/** Quotes of one batch that run side by side, and how many of them are stored before the batch lets another one go first. */
const quotesAtOnce = 10
const quotesPerTurn = 500
const leaseSeconds = 120
/** After a provider gave no quote. */
const retrySeconds = 10

type Failed = { reason: string; heldMs: number; isAboutAll: boolean; leastOfFloat?: number }

/** What a row says while the provider refuses it; a change of its phone number or amount asks again. */
function rowErrorOf(code: ProviderFailure, phoneNumber: string | null): RowError {
  return { column: 'phone_number', code, message: refusedQuoteText(code)[0], value: phoneNumber }
}

/** Why an amount (TZS) has no quote. Only what is about all payouts ends the turn: one row must not stop the rows after it. */
function failureOf(amount: number, quote: Exclude<PayoutQuote, { kind: 'quoted' }>): Failed {
  // The rows after it have at least this amount.
  if (quote.kind === 'refused') return { reason: 'float_empty', heldMs: 0, isAboutAll: true, leastOfFloat: amount }
  const { reason, afterMs = 0, trouble } = quote
  return { reason, heldMs: afterMs, isAboutAll: afterMs > 0 || trouble !== undefined }
}

/** Asks for the fees of one batch. */
async function quoteBatch({ db, log, providers }: QuoteFeesDeps, batch: UnquotedBatch): Promise<Turn> {
  const { home, merchantId, environment } = batch
  const provider = providers[environment].payouts
  const { quotesForRecipient: perPhone } = provider.capabilities
  const refused: Turn['refused'] = []
  const failed: Failed[] = []
  let after: Unquoted | undefined
  for (let left = quotesPerTurn; left > 0 && !failed.some(({ isAboutAll }) => isAboutAll);) {
    const wanted = await listUnquoted(db, batch, { perPhone, after, limit: quotesAtOnce })
    after = wanted.at(-1)
    // Fewer than asked for are the last.
    left = wanted.length < quotesAtOnce ? 0 : left - quotesAtOnce
    const quotes = await Promise.all(
      wanted.map(async (of) => ({
        ...of,
        quote: await quotePayout(log, provider, of.amount, of.phoneNumber ?? undefined, 'batch'),
      })),
    )
    const fees: (Unquoted & { fee: number })[] = []
    for (const { quote, ...of } of quotes) {
      if (quote.kind === 'quoted') fees.push({ ...of, fee: quote.fee })
      else if (quote.kind === 'refused' && !quote.isOurFloat)
        refused.push({ ...of, error: rowErrorOf(quote.failure, of.phoneNumber) })
      else failed.push(failureOf(of.amount, quote))
    }
    await storeFees(db, batch, fees)
  }
  const [first] = failed
  if (!first) return { refused, seconds: 0 }
  const heldMs = Math.max(...failed.map((one) => one.heldMs))
  if (heldMs > 0) return { refused, seconds: heldMs / 1000 }
  const fields = { reason: first.reason, environment, batch_id: toWire('pb', batch.id) }
  const leastOfFloat = Math.min(...failed.map((one) => one.leastOfFloat ?? Infinity))
  // What the wallet cannot pay needs none of our money.
  const isOurs = leastOfFloat < Infinity && leastOfFloat <= (await readWallet(db, { merchantId, home, environment })).balance
  if (isOurs) log.error('payout.float_empty', new Error('float_empty'), { ...fields, alert: true })
  else log.warn('payout.quote_failed', fields)
  return { refused, seconds: retrySeconds }
}

/** One turn of each draft whose fees are due, or of the named one. Returns how many had a turn, at most `limit`. */
export async function quoteFees(deps: QuoteFeesDeps, limit: number, only?: { home: number; id: string }): Promise<number> {
  const batches = await claimUnquoted(deps.db, { limit, leaseSeconds, only })
  for (const batch of batches) {
    const turn = await quoteBatch(deps, batch)
    await deps.db.tx((tx) => endTurn(tx, batch, turn))
  }
  return batches.length
}
