/**
 * Migrations run during use of the service: each new one is checked for statements that would block users, and the runner gives
 * way.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { openDb, sql, type Db } from '../server/platform/db/db.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { createTestDatabase } from './databases.ts'
import { findingsIn } from './migration-rules.ts'
import { mustBeNone } from './must-match.ts'

const folder = join(import.meta.dirname, '../migrations')
/** The first schema: the tables of each folder, then the triggers. It runs on an empty database, where no table is in use. From here on files are only added. */
const lastOfFirstSchema = '0031-changes'

test('no migration blocks users of a table in use', () => {
  const findings = readdirSync(folder)
    .filter((file) => file.endsWith('.sql') && file > `${lastOfFirstSchema}.sql`)
    .flatMap((file) =>
      findingsIn(readFileSync(join(folder, file), 'utf8')).map(
        ({ rule, statement }) => `migrations/${file}: ${rule}: ${statement}`,
      ),
    )
  mustBeNone(findings, 'These statements would block users; the next test has the safe form of each rule')
})

test('each rule refuses its unsafe statement, and accepts its safe form', () => {
  const outside = '-- outside a transaction\n'
  const contract = '-- contract: no version after 0.3 reads it\n'
  const cases: [migration: string, refused: string | undefined][] = [
    ['create index pages_by_x on payment_pages (x);', 'require-concurrent-index-creation'],
    ['create table t (id uuid); create index t_by_id on t (id);', undefined],
    ['create index concurrently i on payments (x);', 'ban-concurrent-index-creation-in-transaction'],
    [`${outside}create index concurrently i on payments (x);`, 'concurrent-index-is-dropped-first'],
    [`${outside}create index concurrently if not exists i on payments (x);`, 'concurrent-index-is-dropped-first'],
    [`${outside}drop index concurrently if exists i;\ncreate unique index concurrently i on payments (x);`, undefined],
    [`${outside}alter table payments add column x text;`, 'outside-a-transaction-only-what-needs-it'],
    ['alter table payments add constraint c check (amount > 0);', 'constraint-missing-not-valid'],
    ['alter table payments add constraint c check (amount > 0) not valid;', undefined],
    ['alter table payments validate constraint c;', 'validation-in-the-same-file'],
    [`${outside}alter table payments validate constraint c;`, undefined],
    ['alter table payments add column x uuid references users (id);', 'adding-foreign-key-with-column'],
    ['alter table payments add constraint u unique (x);', 'disallowed-unique-constraint'],
    ['alter table payments add constraint u unique using index i;', undefined],
    ['alter table payments add column x text not null;', 'adding-required-field'],
    ["alter table payments add column x text not null default '';", undefined],
    ['alter table payments add column x uuid default gen_random_uuid();', 'adding-field-with-volatile-default'],
    [`${outside}drop index concurrently if exists i;`, 'dropped-index-is-made-again'],
    [
      `${outside}create unique index concurrently i on payments (x);\ndrop index concurrently if exists i;`,
      'dropped-index-is-made-again',
    ],
    [`${outside}drop index concurrently if exists i;\ncreate index concurrently i on payments using brin (x);`, undefined],
    [`${outside}${contract}drop index concurrently if exists i;`, undefined],
    [`${outside}drop index concurrently if exists i;\n${contract}`, 'dropped-index-is-made-again'],
    ['drop index i;', 'dropped-index-is-made-again'],
    ['alter table payments add column x bigserial;', 'adding-generated-or-serial-field'],
    ['alter table payments alter column x set not null;', 'adding-not-nullable-field'],
    [`${contract}alter table payments alter column x set not null;`, undefined],
    ['alter table payments alter column amount type numeric;', 'changing-column-type'],
    ['alter table payments alter column x type text collate "C";', undefined],
    ['alter table payments alter column x type text collate "en_US";', 'changing-column-type'],
    ['alter table payments drop column x;', 'taking-away-is-a-contract'],
    ['alter table payments rename column x to y;', 'taking-away-is-a-contract'],
    [`${contract}alter table payments drop column x;`, undefined],
    ['create table t (at timestamp not null);', 'prefer-bigint-identity-text-timestamptz'],
    ['create table t (at timestamptz(3) not null, name text);', undefined],
    ['lock table payments;', 'blocking-maintenance'],
    ['update payments set x = 1;', 'backfill-is-a-job'],
    ["set lock_timeout = '5min';", 'lock-timeout-at-most-two-seconds'],
    ["set local lock_timeout = '2s';", undefined],
    ['begin; select 1;', 'transaction-is-the-runners'],
    ["-- drop table payments;\ncomment on table payments is 'x';", undefined],
  ]
  for (const [migration, refused] of cases) {
    const names = findingsIn(migration).map(({ rule }) => rule)
    assert.ok(refused === undefined ? names.length === 0 : names.includes(refused), `${migration}: ${names.join() || 'nothing'}`)
  }
})

async function openOwner(t: TestContext): Promise<{ owner: Db; url: string }> {
  const database = await createTestDatabase()
  const options = {
    poolSize: 4,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    applicationName: 'test',
    onError: () => undefined,
  }
  const owner = openDb({ url: database.url, ...options })
  t.after(async () => {
    await owner.close()
    await database.drop()
  })
  return { owner, url: database.url }
}

/** The existing migrations, and some of a future version. */
async function nextVersion(t: TestContext, files: Record<string, string>): Promise<string> {
  const next = await mkdtemp(join(tmpdir(), 'malipo-migrations-'))
  t.after(() => rm(next, { recursive: true, force: true }))
  await cp(folder, next, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(next, name), text)
  return next
}

test('a migration that finds its table in use gives way at once and is tried again, and no request waits behind it', async (t) => {
  const { owner, url } = await openOwner(t)
  const next = await nextVersion(t, { '9000-expand.sql': 'alter table users add column nickname text;' })
  const reader = new pg.Client({ connectionString: url })
  await reader.connect()
  await reader.query('begin; select count(*) from users')
  const migrating = migrate(owner, next)
  let longestMs = 0
  for (const startedAt = performance.now(); performance.now() - startedAt < 1_500;) {
    const askedAt = performance.now()
    await owner.rows(sql`select count(*) from users`)
    longestMs = Math.max(longestMs, performance.now() - askedAt)
  }
  await reader.query('commit')
  await reader.end()
  assert.deepEqual(await migrating, ['9000-expand'])
  assert.ok(longestMs < 1_000, `a query waited ${longestMs} ms`)
})

test('a migration that cannot run in a transaction runs outside of one, starts again after an interruption, and runs once if two start at once', async (t) => {
  const { owner } = await openOwner(t)
  const build = `-- outside a transaction\n-- Found by name.\ndrop index concurrently if exists users_by_name;\ncreate index concurrently users_by_name on users (full_name);\n`
  const next = await nextVersion(t, { '9000-expand.sql': 'alter table users add column nickname text;', '9001-index.sql': build })
  // The remains of an interrupted build: an index of that name which is not valid.
  await owner.script('create index users_by_name on users (full_name)')
  await owner.script(`update pg_index set indisvalid = false where indexrelid = 'users_by_name'::regclass`)
  const applied = await Promise.all([migrate(owner, next), migrate(owner, next)])
  assert.deepEqual(
    applied.map((names) => names.length).sort((one, other) => one - other),
    [0, 2],
  )
  const { rows } = await owner.pool.query(`select indisvalid from pg_index where indexrelid = 'users_by_name'::regclass`)
  assert.deepEqual(rows, [{ indisvalid: true }])
  // The previous version finds a schema newer than its own, and leaves it unchanged.
  assert.deepEqual(await migrate(owner), [])
})

test('a database whose migrations are not the beginning of the files is refused, and stays as it is', async (t) => {
  const { owner } = await openOwner(t)
  const next = await nextVersion(t, { '9001-later.sql': 'alter table users add column nickname text;' })
  await owner.pool.query(
    `insert into kysely_migration (name, timestamp) values ('9000-of-another-version', '2026-01-01T00:00:00Z')`,
  )
  await assert.rejects(migrate(owner, next), /do not continue/)
  const { rows } = await owner.pool.query(`select from information_schema.columns where column_name = 'nickname'`)
  assert.equal(rows.length, 0)
})

test('a migration that fails leaves nothing behind, and runs when it is corrected', async (t) => {
  const { owner } = await openOwner(t)
  const broken = 'alter table users add column nickname text; select 1 / 0;'
  await assert.rejects(migrate(owner, await nextVersion(t, { '9000-expand.sql': broken })), { code: '22012' })
  const corrected = await nextVersion(t, { '9000-expand.sql': 'alter table users add column nickname text;' })
  assert.deepEqual(await migrate(owner, corrected), ['9000-expand'])
})

test('a statement that was prepared before its table got a column still works', async (t) => {
  const { owner } = await openOwner(t)
  const read = () => owner.rows(sql`select * from users limit 1`)
  // Every connection of the pool has prepared the statement.
  await Promise.all([read(), read(), read(), read()])
  await owner.script('alter table users add column nickname text')
  assert.deepEqual(await Promise.all([read(), read(), read(), read()]), [[], [], [], []])
  await owner.script('alter table users drop column nickname')
  assert.deepEqual(await owner.tx(async (tx) => tx.rows(sql`select * from users limit 1`)), [])
})
