/** A reviewer's search text: part of a name, a number or an address, or a whole id. */
import { anyPhoneTyped } from '../../domain/any-phone.ts'
import { numberTyped } from '../../domain/typed.ts'
import { fromWire, type IdPrefix } from '../../platform/ids.ts'
import { anywhere } from '../../platform/db/holds-text.sql.ts'
import { paragraphOfText } from '../../platform/http/text.ts'

export const searchText = paragraphOfText(120)
  .optional()
  .meta({ description: 'Part of a name, number or address, or a complete id.' })

export type Search = {
  /** As it was typed, for names. */
  text: string | null
  /** For `ilike`: the exact text at any position; a phone number as dialled matches its stored form. */
  pattern: string | null
  id: string | null
}

export function searchFor(text: string, prefixes: readonly IdPrefix[]): Search {
  if (text === '') return { text: null, pattern: null, id: null }
  const asStored = anyPhoneTyped(text) ?? numberTyped(text).replace(/^0(?=\d{6,}$)/, '')
  const id = prefixes.map((prefix) => fromWire(prefix, text)).find((found) => found !== undefined)
  return { text, pattern: anywhere(asStored), id: id ?? null }
}
