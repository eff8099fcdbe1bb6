/**
 * A list of items as the rows of a statement. Each column is one typed array, so that the statement has the same text for any
 * number of items, its plan is kept, and amounts above 2^53 stay exact.
 */
import { Sql } from './sql.ts'

type SqlType = 'bigint' | 'boolean' | 'bytea' | 'double precision' | 'integer' | 'smallint' | 'text' | 'timestamptz' | 'uuid'

/** The text is made once for the columns of each statement. */
const texts = new WeakMap<object, { keys: string[]; strings: string[] }>()

function textsOf(alias: string, columns: Record<string, SqlType>, ordinal: string | undefined) {
  const keys = Object.keys(columns)
  const names = [...keys.map((key) => key.replace(/[A-Z]/g, '_$&').toLowerCase()), ...(ordinal === undefined ? [] : [ordinal])]
  const ends = keys.map((key, index) => `::${columns[key]}[]${index < keys.length - 1 ? ', ' : ''}`)
  const last = `${ends.pop()})${ordinal === undefined ? '' : ' with ordinality'} as ${alias} (${names.join(', ')})`
  return { keys, strings: ['unnest(', ...ends, last] }
}

/**
 * `from ${recordset(items, 'i', columns)}` reads the items as `i`. `columns` maps the fields to send to their types; in SQL their
 * names are in snake case. It must be a constant for its statement. `ordinal` adds the position of each item in the list, from 1,
 * under this name.
 */
export function recordset<Item extends object>(
  items: readonly Item[],
  alias: string,
  columns: { readonly [Key in keyof Item & string]?: SqlType },
  ordinal?: string,
): Sql {
  let made = texts.get(columns)
  if (!made) {
    made = textsOf(alias, columns as Record<string, SqlType>, ordinal)
    texts.set(columns, made)
  }
  const values = (made.keys as (keyof Item & string)[]).map((key) => items.map((item) => item[key]))
  return new Sql(made.strings, values)
}
