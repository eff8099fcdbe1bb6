/**
 * Which fees of a provider are plausible: no fee above the amount, and no fee far from the expected one. Fees that no record names lie in a
 * range.
 */
import type { Log } from '../../platform/process/log.ts'
import type { PayoutQuote, Provider } from './provider.ts'

/** A fee may be off by 1 %, or by 5 TZS: providers round. */
const tolerance = { share: 0.01, tzs: 5 }

/** All in TZS; `expected`: the quote, or the configured rate applied to the amount; null if no fee was expected. */
export function isFeeDoubtful(amount: number, fee: number, expected: number | null): boolean {
  if (fee > amount) return true
  return expected !== null && Math.abs(fee - expected) > Math.max(tolerance.tzs, expected * tolerance.share)
}

/** The documented fee of a small payout is fixed, 1,500 TZS, and may be more than its amount. */
const highestFixedFee = 2_000

/** Asks for the fee of a payout. One that cannot be right alerts and is no quote, because what is quoted is debited. */
export async function quotePayout(
  log: Log,
  provider: Provider,
  ...asked: Parameters<Provider['quotePayout']>
): Promise<PayoutQuote> {
  const [quote, [amount]] = [await provider.quotePayout(...asked), asked]
  if (quote.kind !== 'quoted') return quote
  const { fee, total = amount + fee } = quote
  if (!isFeeDoubtful(Math.max(amount, highestFixedFee), fee, null) && total === amount + fee) return quote
  const reason = 'fee_doubtful'
  log.error('payout.quote_failed', new Error(reason), { provider: provider.name, amount, fee, total, alert: true })
  return { kind: 'indeterminate', reason }
}

/** The highest fee of a charge, if no rate is configured. */
const highestPercent = 5

/**
 * What the fees of charges may sum to, in TZS, if no record names them; `percent`: the configured rate. Numbers below zero: charges that were
 * removed.
 */
export function feeRange(charges: { amount: number; count: number }, percent: number | undefined): { low: number; high: number } {
  const { amount, count } = charges
  const expected = (amount * (percent ?? highestPercent)) / 100
  const margin = Math.abs(count) * tolerance.tzs + Math.abs(expected) * tolerance.share
  const ends = percent === undefined ? [0, expected + Math.sign(amount) * margin] : [expected - margin, expected + margin]
  return { low: Math.floor(Math.min(...ends)), high: Math.ceil(Math.max(...ends)) }
}
