/** Nothing that is sealed is left behind when keys are replaced. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../test/world.ts'
import { sealedColumns } from './sealed-columns.ts'

test('every column of the schema that holds something sealed is moved with the others', async (t) => {
  const world = await startWorld(t)
  const { rows } = await world.owner.pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%sealed%' and data_type <> 'timestamp with time zone'`,
  )
  const known = sealedColumns.map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(rows.map(({ name }) => name).sort(), known.sort())
})
