/** Which fees of a provider are plausible: no fee above the amount, and no fee far from the expected one. */

/** A fee may be off by 1 %, or by 5 TZS: providers round. */
const tolerance = { share: 0.01, tzs: 5 }

/** All in TZS; `expected`: the quote, or the configured rate applied to the amount; null if no fee was expected. */
export function isFeeDoubtful(amount: number, fee: number, expected: number | null): boolean {
  if (fee > amount) return true
  return expected !== null && Math.abs(fee - expected) > Math.max(tolerance.tzs, expected * tolerance.share)
}
