/** The schema is compared with the result of the migrations, and the shipped files match that result. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { renderSchema } from '../../../scripts/render-schema.ts'
import { startTestApp } from '../../../test/app.ts'
import { openDb } from '../../platform/db/db.ts'
import { simulatedClock, simulatedClockSetting } from '../../platform/db/simulated-clock.sql.ts'
import { readLevel, readSchema } from './schema.sql.ts'
import { hashesOf, shippedSchema, verifySchema, type Clocks } from './verify-schema.ts'

test('schema-hashes.json and schema.sql match the migrations: node scripts/write-schema.ts writes them', async (t) => {
  const app = await startTestApp(t)
  assert.deepEqual(
    (await readLevel(app.db)).map(({ name }) => name),
    shippedSchema.migrations,
  )
  // As the service's own role sees it, which is the view that the worker compares.
  assert.deepEqual(hashesOf(await readSchema(app.db)), shippedSchema.objects)
  assert.equal(await renderSchema(app.db), await readFile(join(import.meta.dirname, '../../../schema.sql'), 'utf8'))
})

test('the clock of a simulated year is accepted outside production only, and no other clock is', async (t) => {
  const app = await startTestApp(t)
  const { pathname } = new URL(app.config.database.url)
  const own = `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() $$`
  await app.owner.pool.query(`alter database ${pathname.slice(1)} set ${simulatedClockSetting} = '0/0/0'`)
  // Only new connections have the setting.
  const db = openDb({ ...app.config.database, poolSize: 1, applicationName: 'test', onError() {} })
  t.after(() => db.close())
  const found = async (clocks: Clocks) => (await verifySchema(db, clocks)).map(({ what }) => what)
  await app.owner.pool.query(simulatedClock)
  const wrong = 'function clock_now() is not what the migrations made'
  assert.deepEqual([await found('own'), await found('simulated'), await found('any')], [[wrong], [], []])
  await app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() - interval '1 hour' $$`,
  )
  assert.deepEqual([await found('own'), await found('simulated'), await found('any')], [[wrong], [wrong], []])
  await app.owner.pool.query(own)
  assert.deepEqual(await found('own'), [])
})

test('a migration of no known version hides nothing from the full check, and the rest for an hour from that of a worker', async (t) => {
  const app = await startTestApp(t)
  const found = async (isUpgrading = false) => (await verifySchema(app.owner, 'own', { isUpgrading })).map(({ what }) => what)
  await app.owner.pool.query('alter table events add column newer text')
  assert.deepEqual(await found(), ['column events.newer is of no migration'])
  await app.owner.pool.query(
    `insert into kysely_migration (name, timestamp) values ('9999-newer', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`,
  )
  const changed = 'column events.newer is of no migration'
  const both = ['the migration 9999-newer is of no version that this one knows', changed]
  assert.deepEqual(await found(), both)
  assert.deepEqual(await found(true), [])
  for (const made of ['-61 minutes', '10 minutes']) {
    await app.owner.pool.query(
      `update kysely_migration set timestamp = (now() + interval '${made}')::text where name = '9999-newer'`,
    )
    assert.deepEqual(await found(true), both)
  }
  await app.owner.pool
    .query(`update kysely_migration set name = '0005-invented', timestamp = to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    where name = '9999-newer'`)
  assert.deepEqual(await found(), ['the migration 0005-invented is of no version that this one knows', changed])
  await app.owner.pool.query(`delete from kysely_migration where name in ('0005-invented', '0005-documents')`)
  assert.deepEqual(await found(), ['the migration 0005-documents is missing', 'column events.newer is of no migration'])
})
