/** The glossary of the numbers that people see: one name for each, in both languages, on every screen, receipt and mail. */
export const numberNames = {
  /** Short, for people to read aloud: `KJT9-GB5T-P`. */
  shortCode: ['Payment code', 'Msimbo wa malipo'],
  /** For programs: `pay_…`. */
  reference: ['Reference', 'Kumbukumbu namba'],
  /** In the message of the network to the payer. */
  networkReceipt: ['Network receipt number', 'Namba ya risiti ya mtandao'],
  /** The merchant's own, of a payment or a payment request. */
  merchantReference: ['Your order number', 'Namba yako ya oda'],
  /** Between us and the provider. */
  providerReference: ['Provider reference', 'Namba ya mtoa huduma'],
} as const
