/**
 * Which live checkouts wait for the payer's confirmation before a phone rings: those of a page or a merchant far above its own usual pace, and
 * those of a network whose new phones do not pay. Carriers put thousands of payers behind one address, so no address has a cap of its own.
 */
export const secondStepRules = {
  /**
   * Of one page, and of all pages of one merchant: so many checkouts in a minute, or so many times its best minute of completed payments,
   * whichever is more.
   */
  pace: { checkoutsPerMinute: 45, timesBest: 3, bestOfDays: 120 },
  /**
   * Of one network of payers (/24 or /56): new phones that have not paid, so many and so many times those that have. Phones of a mobile
   * network that is not operational are not counted: nobody can pay there.
   */
  network: { unpaid: 60, timesPaid: 2, halfLifeSeconds: 1_800 },
  /** What nobody confirms within so long expires unsent. */
  confirmWithinSeconds: 600,
} as const
