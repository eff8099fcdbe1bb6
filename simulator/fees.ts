/** The provider's fee. Invariant: a fee is a whole number of TZS, never negative, and depends on the amount alone. */

/**
 * Fee of a mobile collection of `amount` TZS. The documents give two points only, 500 → 9 and 50 000 → 1 000: between them this is
 * a straight line, rounded to the shilling; from 50 000 on it stays at the 2 % that the second point shows.
 */
export function collectionFee(amount: number): number {
  if (amount >= 50_000) return Math.round(amount * 0.02)
  return Math.max(0, Math.round(9 + ((amount - 500) * 991) / 49_500))
}

/** Fee of a payout: 1 500 TZS, the one value that appears in the documents for both of their examples. */
export function payoutFee(): number {
  return 1_500
}
