/**
 * A list of items as the rows of a statement. Each column is one typed array, so that the statement has the same text for any
 * number of items, its plan is kept, and amounts above 2^53 stay exact.
 */
import { Sql } from './sql.ts'

/** `jsonb`: the item has the JSON as a text. */
type SqlType =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'double precision'
  | 'integer'
  | 'jsonb'
  | 'smallint'
  | 'text'
  | 'timestamptz'
  | 'uuid'

type Columns<Item> = { readonly [Key in keyof Item & string]?: SqlType }

const inSnakeCase = (key: string): string => key.replace(/[A-Z]/g, '_$&').toLowerCase()

/** The text is made once for the columns of each statement, under the alias. */
const texts = new WeakMap<object, Map<string, { keys: string[]; strings: string[] }>>()

function textsOf(alias: string, columns: Record<string, SqlType>, ordinal: string | undefined) {
  const keys = Object.keys(columns)
  const names = [...keys.map(inSnakeCase), ...(ordinal === undefined ? [] : [ordinal])]
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
  columns: Columns<Item>,
  ordinal?: string,
): Sql {
  const known = texts.get(columns) ?? new Map<string, { keys: string[]; strings: string[] }>()
  const name = `${alias} ${ordinal ?? ''}`
  const made = known.get(name) ?? textsOf(alias, columns as Record<string, SqlType>, ordinal)
  texts.set(columns, known.set(name, made))
  const values = (made.keys as (keyof Item & string)[]).map((key) => items.map((item) => item[key]))
  return new Sql(made.strings, values)
}

/** The names of these columns in their order, in snake case: `home, payout_id`; of the table `alias`: `p.home, p.payout_id`. */
export function columnNames(columns: object, alias?: string): Sql {
  const names = Object.keys(columns).map((key) => `${alias === undefined ? '' : `${alias}.`}${inSnakeCase(key)}`)
  return new Sql([names.join(', ')], [])
}

/** The values of `columnNames(columns)` of one item, in the same order. What is no scalar is bound as JSON. */
export function columnValues(columns: object, item: object): Sql {
  const fields = new Map<string, unknown>(Object.entries(item).map(([key, value]) => [inSnakeCase(key), value]))
  const values = Object.keys(columns).map((key) => fields.get(inSnakeCase(key)))
  const isJson = (value: unknown) => typeof value === 'object' && value !== null && !(value instanceof Date)
  const bound = values.map((value) => (isJson(value) ? JSON.stringify(value) : value))
  return new Sql(['', ...Array<string>(bound.length - 1).fill(', '), ''], bound)
}

/** `insert into payouts ${newRows(items, columns)}` stores the items: the names of the columns, and the rows. */
export function newRows<Item extends object>(items: readonly Item[], columns: Columns<Item>): Sql {
  return new Sql(['(', ') select * from ', ''], [columnNames(columns), recordset(items, 'n', columns)])
}
