/** Keys that come from outside compare bytes, so that no update of the system's libraries can let a second one in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { startTestApp } from '../../../test/app.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { mustBeNone } from '../../../test/must-match.ts'
import type { Config } from '../../config/config.ts'
import { openDb } from '../../platform/db/db.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { createLog } from '../../platform/process/log.ts'
import { checkDatabaseText } from '../../start/database-text.ts'

/** Text in a unique index whose order no collation can change. */
const orderedAlike: Record<string, string> = {
  'customers.phone_number': 'a plus sign and digits',
  'recipients.phone_number': 'a plus sign and digits',
  'users.phone_number': 'a plus sign and digits',
  'check_cursors.walked': 'a name in the code',
  'kysely_migration.name': 'digits and words of ours; the runner of migrations made the table before all of them',
  'retention_turns.rule': 'a name in the code',
  'submitted_documents.purpose': 'a purpose of the code',
  'switches.name': 'a name in the code',
}

/** Columns with a word of ours from a fixed list, whether or not their table says so. */
const words = /\.(environment|provider|(from|to)_(status|state))$/

test('each text column of a unique index compares bytes, or holds words of a fixed list [R22]', async (t) => {
  const app = await startTestApp(t)
  const { rows } = await app.owner.pool.query<{ name: string; isOfAList: boolean }>(`
    select distinct c.relname || '.' || a.attname as name, exists (
      select from pg_constraint k where k.contype = 'c' and k.conrelid = c.oid and a.attnum = any(k.conkey)
        and pg_get_constraintdef(k.oid) ~ ('\\m' || a.attname || ' (= ANY|= )')) as "isOfAList"
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
    where i.indisunique and c.relnamespace = 'public'::regnamespace and a.attcollation <> 0 and a.attcollation::regcollation::text <> '"C"'
    order by 1`)
  mustBeNone(
    rows.filter(({ name, isOfAList }) => !isOfAList && !words.test(name) && !(name in orderedAlike)).map(({ name }) => name),
    'Write these columns with collate "C" in their migration, or say in orderedAlike why no collation orders them otherwise',
  )
})

test('a database that cannot hold every character is refused, and nothing is made in it', async (t) => {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  t.after(async () => {
    await admin.query('drop database if exists latin')
    await admin.end()
    await database.drop()
  })
  await admin.query(`create database latin template template0 encoding 'LATIN1' locale_provider libc locale 'C'`)
  const url = database.url.replace(/\/test_\w+/, '/latin')
  const options = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000, applicationName: 'test' }
  const db = openDb({ url, ...options, onError: () => undefined })
  await assert.rejects(
    migrate(db),
    /has the encoding LATIN1, which cannot hold every name\. Create it with UTF8.* Nothing was changed\./,
  )
  const { rows } = await db.pool.query(`select from pg_class where relname = 'kysely_migration'`)
  await db.close()
  assert.equal(rows.length, 0)
  const log = createLog({ level: 'silent', role: 'test' })
  const serving = { database: { url, connectTimeoutMs: 5_000 } } as Config
  await assert.rejects(checkDatabaseText(serving, log), /Refused to start\. The database has the encoding LATIN1/)
})

test('a start reports a collation that has changed since the indexes were made, until its version is refreshed [R22]', async (t) => {
  const app = await startTestApp(t)
  const lines: string[] = []
  const log = createLog({ level: 'info', role: 'test', destination: { write: (line: string) => lines.push(line) } })
  await checkDatabaseText(app.config, log)
  assert.deepEqual(lines, [])
  await app.owner.pool.query(`update pg_database set datcollversion = '2.28' where datname = current_database()`)
  await checkDatabaseText(app.config, log)
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /"event":"database\.collation_changed".*upgrades\.md/)
  assert.match(lines[0]!, /"recorded":"2\.28"/)
  const { rows } = await app.owner.pool.query<{ name: string }>('select current_database() as name')
  await app.owner.pool.query(`alter database ${rows[0]!.name} refresh collation version`)
  await checkDatabaseText(app.config, log)
  assert.equal(lines.length, 1)
})
