/** Which fee of a provider is believed: none above the amount, and none that is off what was expected. */

/** A fee may be off by 1 %, or by 5 TZS: providers round. */
const tolerance = { share: 0.01, tzs: 5 }

/** All in TZS; `expected`: the quote, or what the configured rate makes of the amount; null where nothing was expected. */
export function isFeeDoubtful(amount: number, fee: number, expected: number | null): boolean {
  if (fee > amount) return true
  return expected !== null && Math.abs(fee - expected) > Math.max(tolerance.tzs, expected * tolerance.share)
}
