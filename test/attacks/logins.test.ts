/** A user of the service's database login cannot change the books, take on another role or reach files or programs. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { ConfigError } from '../../server/config/values.ts'
import { createLog } from '../../server/platform/process/log.ts'
import { startEmbeddedPostgres } from '../../server/platform/local-postgres/embedded-postgres.ts'
import { excessOf, makeLogins, owningLogin, servingLogin, withLogin } from '../../server/platform/db/logins.sql.ts'
import { withServingLogin } from '../../server/start/serving-login.ts'
import { createTestDatabase, migrateDatabase, type TestDatabase } from '../databases.ts'
import { startTestApp } from '../app.ts'

async function connectAs(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  return client
}

/** Refused by PostgreSQL because a right is missing (42501), or because the session has no way to it. */
const refusals = new Set(['42501', '0LP01', '2BP01', '42809', '42883', '25001', '28000'])

const escapes = [
  `select set_config('role', 'none', false); update ledger_transfers set amount = amount + 1`,
  `select set_config('role', '${owningLogin}', false)`,
  `set role ${owningLogin}`,
  'set role malipo',
  `set session authorization ${owningLogin}`,
  'set session authorization malipo',
  'reset role; delete from ledger_transfers',
  `reset session authorization; truncate ledger_transfers`,
  'set role none; update events set type = type',
  `copy (select 1) to program 'id > /tmp/malipo-escaped'`,
  `copy payments from program 'id'`,
  `copy payments to '/tmp/malipo-escaped'`,
  `copy payments from '/etc/passwd'`,
  'alter table ledger_transfers disable trigger all',
  'alter table ledger_transfers owner to malipo_service',
  'alter table payments add column taken integer',
  'drop table ledger_transfers cascade',
  'create table taken (it integer)',
  'create schema taken',
  'create function taken() returns integer language sql as $$ select 1 $$',
  `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() - interval '1 year' $$`,
  'create trigger taken before update on payments for each row execute function suppress_redundant_updates_trigger()',
  'create extension dblink',
  'create extension plpython3u',
  'alter role malipo_service superuser',
  'alter role malipo_service createrole',
  'create role taken superuser login',
  `grant ${owningLogin} to ${servingLogin}`,
  `grant pg_execute_server_program to ${servingLogin}`,
  `alter system set archive_command = 'true'`,
  `alter database postgres set search_path = 'taken'`,
  `select pg_read_file('/etc/passwd')`,
  `select pg_ls_dir('/')`,
  `select lo_import('/etc/passwd')`,
  `select pg_reload_conf()`,
  `select pg_backup_start('taken')`,
  'select rolpassword from pg_authid',
  `set session_replication_role = 'replica'`,
  'do $$ begin execute $e$ update ledger_transfers set amount = 1 $e$; end $$',
]

test('[A86] PostgreSQL refuses every attack through the service’s login', async (t) => {
  const database = await createTestDatabase()
  // Connects before the drop is registered: hooks run in the order of registration, so the connection closes first.
  const service = await connectAs(t, withLogin(database.url, servingLogin))
  t.after(() => database.drop())
  const through: string[] = []
  for (const escape of escapes) {
    const code = await service.query(escape).then(
      () => 'nothing',
      (error: { code?: string }) => error.code ?? 'no code',
    )
    await service.query('rollback').catch(() => undefined)
    if (!refusals.has(code)) through.push(`${escape}: ${code}`)
    await service.query('reset all').catch(() => undefined)
  }
  assert.deepEqual(through, [])
  // The statement is allowed, but without a right to grant it has no effect.
  await service.query('grant update on ledger_transfers to malipo_service')
  const { rows } = await service.query<{ me: string; owned: string; mayRewrite: boolean }>(
    `select current_user as me, has_table_privilege('ledger_transfers', 'update') as "mayRewrite", (select count(*) from pg_class where relowner = current_user::regrole) as owned`,
  )
  assert.deepEqual(rows[0], { me: servingLogin, owned: '0', mayRewrite: false })
})

test('the whole service works with a login that owns no tables', async (t) => {
  const database = await createTestDatabase()
  const serving: TestDatabase = { ...database, url: withLogin(database.url, servingLogin) }
  assert.equal(await excessOf(serving.url, 5_000), undefined)
  const app = await startTestApp(t, { database: serving, worker: true })
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
})

test('production refuses to serve as the owner or a superuser; a local process continues as the serving login', async (t) => {
  const database = await createTestDatabase()
  const app = await startTestApp(t, { database })
  const lines: string[] = []
  const log = createLog({ level: 'warn', role: 'test', destination: { write: (line: string) => lines.push(line) } })
  const given = (url: string, mode: 'local' | 'production') =>
    withServingLogin({ ...app.config, mode, database: { ...app.config.database, url, sessionUrl: url } }, log)
  await migrateDatabase(withLogin(database.url, owningLogin))
  for (const [url, why] of [
    [database.url, /malipo is a superuser/],
    [withLogin(database.url, owningLogin), /malipo_owner owns the tables/],
  ] as const) {
    await assert.rejects(given(url, 'production'), (error) => error instanceof ConfigError && why.test(error.message))
    const { url: used, sessionUrl } = (await given(url, 'local')).database
    assert.deepEqual([await excessOf(used, 5_000), sessionUrl], [undefined, used])
  }
  const serving = withLogin(database.url, servingLogin)
  assert.equal((await given(serving, 'production')).database.url, serving)
  assert.equal(lines.filter((line) => line.includes('database.login_excess')).length, 2)
})

test('an installation with one superuser gets its two logins, and continues to migrate', async (t) => {
  const database = await createTestDatabase()
  const superuser = await connectAs(t, database.url)
  t.after(() => database.drop())
  await superuser.query(
    'create table made_by_superuser (id integer generated always as identity); create view seen as select 1 as one',
  )
  await makeLogins(database.url, 5_000)
  const { rows } = await superuser.query<{ left: string }>(
    `select count(*) as left from pg_class where relnamespace = 'public'::regnamespace and relowner <> 'malipo_owner'::regrole`,
  )
  assert.equal(rows[0]!.left, '0')
  const { rows: verbosity } = await superuser.query<{ name: string; settings: string[] }>(
    `select rolname as name, rolconfig as settings from pg_roles where rolname in ('${owningLogin}', '${servingLogin}') order by 1`,
  )
  for (const { name, settings } of verbosity) assert.ok(settings?.includes('log_error_verbosity=terse'), name)
  await migrateDatabase(withLogin(database.url, owningLogin))
  // The statements of a backup, sent by the login that is no superuser.
  const owner = new pg.Client({ connectionString: withLogin(database.url, owningLogin) })
  await owner.connect()
  const { rows: granted } = await owner.query<{ mayBackUp: boolean }>(
    `select bool_and(has_function_privilege(f, 'execute')) and current_setting('data_directory') is not null as "mayBackUp"
     from unnest(array['pg_backup_start(text, boolean)', 'pg_backup_stop(boolean)', 'pg_control_system()']) f`,
  )
  await owner.end()
  assert.equal(granted[0]!.mayBackUp, true)
})

test('without a superuser, the administrator who created the database creates the logins, and has neither role afterwards', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'malipo-managed-'))
  const server = await startEmbeddedPostgres({ dataDir, fsync: false })
  t.after(async () => {
    await server.stop()
    for (const folder of new Set([dataDir, server.folder, server.socketDir])) await rm(folder, { recursive: true, force: true })
  })
  const as = async (url: string, ...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const { connectionString: superuser } = server
  await as(superuser, 'create role administrator login createrole createdb', 'create database managed owner administrator')
  const managed = withLogin(superuser, 'administrator').replace('/malipo?', '/managed?')
  assert.notEqual(managed, withLogin(superuser, 'administrator'))
  await as(managed, 'create table made_before (id integer generated always as identity)')
  await makeLogins(managed, 5_000)
  await makeLogins(managed, 5_000)
  await migrateDatabase(withLogin(managed, owningLogin))
  assert.equal(await excessOf(withLogin(managed, servingLogin), 5_000), undefined)
  await assert.rejects(as(managed, 'drop table made_before'), { code: '42501' })
})

test('an address is given another login, in each form that it may have', () => {
  assert.equal(
    withLogin('postgresql://malipo:p@a:5432,b/malipo?sslmode=require', 'x'),
    'postgresql://x@a:5432,b/malipo?sslmode=require',
  )
  assert.equal(
    withLogin('postgresql:///malipo?host=%2Frun%2Fpg&user=malipo', 'x'),
    'postgresql:///malipo?host=%2Frun%2Fpg&user=x',
  )
  assert.equal(withLogin('postgresql://a/malipo', 'x'), 'postgresql://x@a/malipo')
})
