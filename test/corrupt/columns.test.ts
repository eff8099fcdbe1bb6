/** Every column of every table is in one list: with its promise, or with the reason why it needs none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promises } from '../../server/assurance/invariants/verify.sql.ts'
import { startTestApp } from '../app.ts'
import { apart, covered, uncovered, words } from './columns.ts'

test('each column of the schema has its promise or its reason, and each entry its column', async (t) => {
  const app = await startTestApp(t)
  const { rows } = await app.owner.pool.query<{ table: string; column: string; isSealed: boolean; isWhole: boolean }>(
    `select c.relname as table, a.attname as column, coalesce(a.attname = any(s.covers), false) as "isSealed", s.name is not null as "isWhole"
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join sealed_tables s on s.name = c.relname
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'kysely%'`,
  )
  const apartOnes = Object.values(apart).flatMap(words)
  const listed = [covered, uncovered].flatMap((lists) =>
    Object.entries(lists).flatMap(([table, parts]) =>
      Object.values(parts).flatMap((columns) => words(columns).map((one) => `${table}.${one}`)),
    ),
  )
  const wanted = rows.filter((row) => !row.isSealed && !apartOnes.includes(row.table)).map((row) => `${row.table}.${row.column}`)
  assert.deepEqual(listed.toSorted(), wanted.toSorted())
  const tables = new Set(rows.map((row) => row.table))
  assert.deepEqual(
    apartOnes.filter((table) => !tables.has(table)),
    [],
  )
  const isKnown = new Set([...Object.keys(promises), 'orders'])
  assert.deepEqual(
    Object.values(covered)
      .flatMap((parts) => Object.keys(parts))
      .filter((name) => !isKnown.has(name)),
    [],
  )
})
