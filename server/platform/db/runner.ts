/** How the result of a statement is read: its rows, one of them, or a single column. */
import { assert } from '../refusal.ts'
import type { Sql } from './sql.ts'

/** Runs statements: the pool (each statement in its own transaction) or one transaction. */
export type Runner = {
  rows<Row>(query: Sql): Promise<Row[]>
  /** The first row, if there is one. */
  maybeOne<Row>(query: Sql): Promise<Row | undefined>
  /** The row of a statement that always returns one. */
  one<Row>(query: Sql): Promise<Row>
  /** The values of a statement with one column. */
  values<Value>(query: Sql): Promise<Value[]>
  maybeValue<Value>(query: Sql): Promise<Value | undefined>
  value<Value>(query: Sql): Promise<Value>
  /** How many rows a statement returns. */
  rowCount(query: Sql): Promise<number>
  /** Whether a statement returns a row. */
  any(query: Sql): Promise<boolean>
}

const valueOf = (row: object): unknown => Object.values(row)[0]

/** All ways to read a result are made of `rows`, also of one that is replaced later. */
export const runnerOf = (rows: Runner['rows']): Runner => ({
  rows,
  async maybeOne<Row>(query: Sql) {
    const [row] = await this.rows<Row>(query)
    return row
  },
  async one<Row>(query: Sql) {
    const row = await this.maybeOne<Row>(query)
    assert(row !== undefined, 'the statement returns a row')
    return row
  },
  async values<Value>(query: Sql) {
    return (await this.rows<object>(query)).map((row) => valueOf(row) as Value)
  },
  async maybeValue<Value>(query: Sql) {
    const row = await this.maybeOne<object>(query)
    return row && (valueOf(row) as Value)
  },
  async value<Value>(query: Sql) {
    return valueOf(await this.one<object>(query)) as Value
  },
  async rowCount(query) {
    return (await this.rows(query)).length
  },
  async any(query) {
    return (await this.rowCount(query)) > 0
  },
})
