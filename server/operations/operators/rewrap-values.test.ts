/** A key rotation leaves no sealed value under an old key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { sealedColumns } from './rewrap-values.ts'

test('every column of the schema with sealed values is moved in a rotation', async (t) => {
  const app = await startTestApp(t)
  const { rows } = await app.owner.pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%sealed%' and data_type <> 'timestamp with time zone'`,
  )
  const known = sealedColumns.map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(rows.map(({ name }) => name).sort(), known.sort())
})
