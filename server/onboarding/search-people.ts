/** What reviewers type to find somebody: part of a name, a number or an address, or a whole id. */
import { fromWire, type IdPrefix } from '../platform/ids.ts'
import { paragraphOfText } from '../platform/http/text.ts'

export const searchText = paragraphOfText(120)
  .optional()
  .meta({ description: 'Part of a name, number or address, or a complete id.' })

export type Search = {
  /** For `ilike`: the text anywhere, letter for letter; a phone number as it is dialled is found as it is stored. */
  pattern: string | null
  /** The id that it is, if it is one. */
  id: string | null
}

export function searchFor(text: string, prefixes: readonly IdPrefix[]): Search {
  if (text === '') return { pattern: null, id: null }
  const asStored = text.replace(/^0(?=\d{6,}$)/, '')
  const id = prefixes.map((prefix) => fromWire(prefix, text)).find((found) => found !== undefined)
  return { pattern: `%${asStored.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`, id: id ?? null }
}
