/** Where a payer came from, as the merchant's link says (`utm_source` and its kind): kept with the payment for the merchant, never acted on. */

const utmNames = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const

export type Utm = Partial<Record<(typeof utmNames)[number], string>>

/** Longer values are cut: a link that says too much must not keep anybody from paying. */
const maxCharacters = 100

// What cannot be seen has no use in a report.
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** What an address or a form says of it; null when it says nothing. */
export function readUtm(valueOf: (name: string) => unknown): Utm | null {
  const utm: Utm = {}
  for (const name of utmNames) {
    const value = valueOf(name)
    if (typeof value !== 'string') continue
    const text = Array.from(value.replace(unseen, '').trim()).slice(0, maxCharacters).join('').toWellFormed()
    if (text !== '') utm[name] = text
  }
  return Object.keys(utm).length > 0 ? utm : null
}
