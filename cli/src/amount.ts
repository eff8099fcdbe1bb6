/** Reads an amount that was typed or pasted, as the service does in every form and file: server/domain/typed.ts, which this package cannot import. A test compares the two. */

// A zero at the start is of a phone number in the wrong option.
const amount = /^(0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4}|[1-9]\d{0,2}(?: \d{3}){1,4})(?:\.00?)?$/

/** `50000`, `50,000`, `TSh 50,000`, `50,000/=` are 50000. Null: anything else, so also `50.000`. */
export function readAmount(text: string): number | null {
  const bare = text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\s/g, ' ')
    .trim()
    .replace(/^(?:tshs?|tzs|sh)\.? ?/i, '')
    .replace(/ ?(?:\/[=-]|tshs?\.?|tzs)$/i, '')
  const whole = amount.exec(bare)?.[1]
  return whole === undefined ? null : Number(whole.replace(/[, ]/g, ''))
}
