/**
 * Decides which live checkouts wait for the payer's confirmation before a phone is prompted: those of a page or a merchant far above its
 * own usual pace, and those of a network whose new phones do not pay. Carriers put thousands of payers behind one address, so there is no
 * limit per address.
 */
export const secondStepRules = {
  /**
   * For one page, and for all pages of one merchant: this many checkouts in a minute, or this many times its best minute of completed
   * payments, whichever is more.
   */
  pace: { checkoutsPerMinute: 45, timesBest: 3, bestOfDays: 120 },
  /**
   * For one network of payers (/24 or /56): new phones that have not paid, up to `unpaid` plus `timesPaid` times those that have. Phones
   * of a mobile network that is not operational are not counted, because they cannot pay.
   */
  network: { unpaid: 60, timesPaid: 2, halfLifeSeconds: 1_800 },
  /** A payment that is not confirmed within this time expires unsent. */
  confirmWithinSeconds: 600,
} as const
