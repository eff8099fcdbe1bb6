/** The parts of a receipt's number by which it is searched: every run of three letters or digits, so that any longer run of it is found. */

const partLength = 3

/** The letters and digits of a number, as it is compared: a person may type them in lower case, with spaces or dashes. */
export function lettersOf(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')
}

export function partsOfReceipt(receipt: string): string[] {
  const letters = lettersOf(receipt)
  const count = Math.max(0, letters.length - partLength + 1)
  return [...new Set(Array.from({ length: count }, (_, start) => letters.slice(start, start + partLength)))]
}
