/**
 * Columns with sealed values, in any table: which keys they are sealed under, and how they move to another key. Invariant: a
 * value is replaced only if it has not changed since it was read, so no change is lost and nothing is locked between two batches.
 */
import { Sql, sql, type Runner } from './db.ts'
import { recordset } from './recordset.ts'

export type SealedColumn = {
  table: string
  column: string
  /** The column that names the row. */
  id: string
  /** The context that a value of this row is bound to. */
  contextOf(id: string): string
}

export type SealedValue = { id: string; sealed: string }

const named = (name: string): Sql => new Sql([name], [])

/** The number of values sealed under each key; values that are not sealed are counted under the empty id. */
export async function countByKey(db: Runner, { table, column }: SealedColumn): Promise<{ keyId: string; count: number }[]> {
  return db.rows(sql`
    select case when ${named(column)} like 'v1.%' then split_part(${named(column)}, '.', 2) else '' end as key_id, count(*) as count
    from ${named(table)} where ${named(column)} is not null group by 1`)
}

/** The next values, in the order of their rows, that do not begin with `prefix`. */
export async function readValues(
  db: Runner,
  { table, column, id }: SealedColumn,
  { exceptPrefix, after, limit }: { exceptPrefix: string; after: string; limit: number },
): Promise<SealedValue[]> {
  return db.rows(sql`
    select ${named(id)} as id, ${named(column)} as sealed from ${named(table)}
    where ${named(id)} > ${after}::uuid and ${named(column)} is not null and not starts_with(${named(column)}, ${exceptPrefix})
    order by ${named(id)} limit ${limit}`)
}

const changeColumns = { id: 'uuid', sealed: 'text', rewrapped: 'text' } as const

/** Returns how many values were unchanged since they were read, and so were replaced. */
export async function replaceValues(
  db: Runner,
  { table, column, id }: SealedColumn,
  changes: (SealedValue & { rewrapped: string })[],
): Promise<number> {
  return db.rowCount(sql`
    update ${named(table)} t set ${named(column)} = c.rewrapped
    from ${recordset(changes, 'c', changeColumns)}
    where t.${named(id)} = c.id and t.${named(column)} = c.sealed
    returning 1 as one`)
}
