/** What an operator reads when a command or a start cannot use the database: one sentence that says what to do, and no stack trace. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { eventually, testSettings } from '../../../test/app.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { withLogin } from '../../platform/db/logins.sql.ts'

const root = join(import.meta.dirname, '../../..')

function run(url: string, words: string[]): Promise<{ code: unknown; text: string }> {
  const settings = testSettings(url, { api: 0, checkout: 0, storage: 0 }, 'http://127.0.0.1:1')
  return new Promise((resolve) => {
    execFile('node', words, { cwd: root, env: { PATH: process.env['PATH'], ...settings } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    )
  })
}

test('a command says in one sentence why the database does not serve it', async (t) => {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  t.after(async () => {
    await admin.query('drop role if exists no_rights; drop role if exists no_login')
    await admin.end()
    await database.drop()
  })
  await admin.query('create role no_rights login; create role no_login nologin')
  const as = (login: string) => withLogin(database.url, login)
  const cases: [url: string, words: string[], sentence: RegExp][] = [
    [
      'postgresql://malipo@127.0.0.1:1/malipo',
      ['server/start/ops.ts', 'keys', 'status'],
      /does not answer: ECONNREFUSED\. Start it/,
    ],
    ['postgresql://malipo@127.0.0.1:1/malipo', ['server/start/main.ts', 'api'], /does not answer: ECONNREFUSED\. Start it/],
    [
      database.url.replace(/\/test_\w+/, '/absent'),
      ['server/start/ops.ts', 'keys', 'status'],
      /database "absent" does not exist/,
    ],
    [as('no_login'), ['server/start/ops.ts', 'verify'], /refuses the login: role "no_login" is not permitted to log in/],
    [as('no_rights'), ['server/start/ops.ts', 'keys', 'status'], /lacks a right: permission denied .*ops\/logins\.sql/],
    [as('no_rights'), ['server/start/ops.ts', 'backup', 'take', '/tmp/never'], /lacks a right|superuser|ops\/logins\.sql/],
  ]
  for (const [url, words, sentence] of cases) {
    const { code, text } = await run(url, words)
    assert.equal(code, 1, text)
    assert.match(text, sentence)
    assert.ok(!/^\s+at /m.test(text), text)
    assert.equal(text.trim().split('\n').length, 1, text)
  }
})

test('a command that was stopped by a limit or by a lock does not say that the database is down', async (t) => {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await database.drop()
  })
  await admin.query('begin; lock table api_keys in access exclusive mode')
  // A statement ends in the same way when an administrator cancels it as when its time is over.
  const cancelled = run(database.url, ['server/start/ops.ts', 'keys', 'status'])
  await eventually('the command waits, and its statement is cancelled', async () => {
    const { rows } = await admin.query(
      `select pg_cancel_backend(pid) from pg_locks where not granted and relation = 'api_keys'::regclass`,
    )
    return rows.length > 0
  })
  const blocked = await run(database.url, ['server/start/ops.ts', 'keys', 'status'])
  for (const [{ code, text }, sentence] of [
    [await cancelled, /stopped a statement: canceling statement due to user request/],
    [blocked, /stopped a statement: canceling statement due to lock timeout/],
  ] as const) {
    assert.equal(code, 1, text)
    assert.match(text, sentence)
    assert.doesNotMatch(text, /Start it/)
    assert.equal(text.trim().split('\n').length, 1, text)
  }
})
