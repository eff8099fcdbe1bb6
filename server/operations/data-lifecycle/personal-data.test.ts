/** The map of personal data is complete and without duplicates, and the page for operators equals it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import { startTestApp } from '../../../test/app.ts'
import { mapAsMarkdown } from './describe-map.ts'
import { columnsOf, notPersonal, personalTables } from './personal-data.ts'
import { mustMatch } from '../../../test/must-match.ts'

const tables = Object.values(personalTables).flatMap((tablesOfPerson) => Object.entries(tablesOfPerson))

test('every column that can hold personal data is listed as personal or as not personal', async (t) => {
  const app = await startTestApp(t)
  const columns = await app.owner.rows<{ name: string }>(sql`
    select c.table_name || '.' || c.column_name as name
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and c.udt_name in ('text', 'varchar', 'bpchar', 'json', 'jsonb', 'bytea', 'date', 'inet', 'cidr', '_text', '_varchar')
    order by 1`)
  const personal = tables.flatMap(([table, declared]) => columnsOf(declared).map(({ name }) => `${table}.${name}`))
  const plain = Object.entries(notPersonal).flatMap(([table, named]) => named.split(' ').map((column) => `${table}.${column}`))
  mustMatch(
    columns.map(({ name }) => name),
    [...personal, ...plain],
    {
      add(entry) {
        const [table, column] = entry.split('.')
        return `in server/operations/data-lifecycle/personal-data.ts write ${column}: '…' into \`replaced\` (or how else it ends) of ${table} in personalTables, or ${column} into ${table} of notPersonal if it says nothing about a person`
      },
      remove: () => 'remove it from server/operations/data-lifecycle/personal-data.ts',
    },
  )
})

test('a column that stays after an erasure has a reason', () => {
  for (const [table, declared] of tables) {
    for (const { name, erased, because } of columnsOf(declared)) {
      assert.equal(
        because !== undefined,
        erased === 'stays',
        `server/operations/data-lifecycle/personal-data.ts, ${table}.${name}: write \`because\` if it stays, and only then`,
      )
    }
  }
})

test('the page about personal data equals the map: node server/operations/data-lifecycle/describe-map.ts writes it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operations/personal-data.md'), 'utf8')
  assert.ok(
    page.includes(mapAsMarkdown()),
    'docs/operations/personal-data.md: run node server/operations/data-lifecycle/describe-map.ts',
  )
})
