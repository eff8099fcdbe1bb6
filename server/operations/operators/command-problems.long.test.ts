/**
 * Each command of `malipo-ops` with each problem of its database, login and files: one sentence, exit code 1, and no stack trace.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { testSettings } from '../../../test/app.ts'
import { startEmbeddedPostgres } from '../../platform/local-postgres/embedded-postgres.ts'
import { makeLogins, owningLogin, servingLogin, withLogin } from '../../platform/db/logins.sql.ts'

const program = join(import.meta.dirname, '../../../bin/malipo-ops')
const settings = testSettings('postgresql://none', { api: 0, checkout: 0, storage: 0 }, 'http://127.0.0.1:1')
const missing = '/nonexistent/folder'

type Ran = { code: unknown; text: string }

function run(words: string[], given: Record<string, string>): Promise<Ran> {
  const env = { PATH: process.env['PATH'], ...settings, DATA_DIR: tmpdir(), ...given }
  return new Promise((resolve) => {
    const child = execFile(program, words, { cwd: '/', env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    )
    child.stdin!.on('error', () => undefined).end('mp_test_0123456789\n')
  })
}

/** A command of the usage text, with words that it accepts; `login` is the one that it uses in the database. */
const commands: { words: string; login: 'service' | 'owner' | 'none' }[] = [
  { words: 'admin create --email asha@example.com', login: 'service' },
  { words: 'kyc verify asha@example.com', login: 'service' },
  { words: 'kyc reject asha@example.com', login: 'service' },
  // It refuses this key before it asks the database.
  { words: 'key find', login: 'none' },
  { words: 'key revoke app_01jd0000000000000000000000', login: 'service' },
  { words: 'webhook rotate app_01jd0000000000000000000000', login: 'service' },
  { words: 'account disable asha@example.com', login: 'service' },
  { words: 'account enable asha@example.com', login: 'service' },
  { words: 'second-step list', login: 'service' },
  { words: 'second-step all on because', login: 'service' },
  { words: 'admin reset-factor asha@example.com --witness juma@example.com', login: 'service' },
  { words: 'person export --email asha@example.com', login: 'service' },
  { words: 'person erase --email asha@example.com --confirm asha@example.com', login: 'service' },
  { words: 'retention', login: 'service' },
  { words: 'payment show pay_01jd0000000000000000000000', login: 'service' },
  { words: 'payout show po_01jd0000000000000000000000', login: 'service' },
  { words: 'verify', login: 'service' },
  { words: 'redirects', login: 'service' },
  { words: 'providers check', login: 'none' },
  { words: 'provider movement test snippe top_up 1000 TT-1 Transfer', login: 'service' },
  { words: 'migrate', login: 'owner' },
  { words: 'restored', login: 'service' },
  { words: 'keys generate', login: 'none' },
  { words: 'keys rotate ENVELOPE_KEYS', login: 'none' },
  { words: 'keys status', login: 'service' },
  { words: 'keys rewrap', login: 'service' },
  { words: 'keys confirm-audit', login: 'service' },
  { words: 'keys export', login: 'none' },
  { words: `cells proxy --file ${missing}`, login: 'none' },
  { words: 'backup take /tmp/malipo-never', login: 'owner' },
  { words: `backup documents ${missing}`, login: 'none' },
  { words: `backup check ${missing}`, login: 'none' },
  { words: `backup restore ${missing} --into ${missing} --archive ${missing}`, login: 'none' },
  { words: `backup restore-documents ${missing}`, login: 'none' },
]

function isOneSentence({ code, text }: Ran, what: string): void {
  assert.equal(code, 1, `${what}: ${text}`)
  assert.ok(!/^\s+at |\.ts:\d+/m.test(text), `${what}: ${text}`)
  assert.equal(text.trim().split('\n').length, 1, `${what}: ${text}`)
}

/** At most `atOnce` at a time. */
async function each<Item>(items: Item[], work: (item: Item) => Promise<void>, atOnce = 4): Promise<void> {
  const left = [...items]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
    }),
  )
}

async function startServer(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'malipo-problems-'))
  let server = await startEmbeddedPostgres({ dataDir, fsync: false })
  t.after(async () => {
    await server.stop()
    for (const folder of new Set([dataDir, server.folder, server.socketDir])) await rm(folder, { recursive: true, force: true })
  })
  const urlOf = (database: string, login = 'malipo'): string =>
    withLogin(server.connectionString, login).replace('/malipo?', `/${database}?`)
  const execute = async (url: string, ...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  return {
    urlOf,
    execute,
    hbaFile: join(server.folder, 'cluster/pg_hba.conf'),
    async restart() {
      await server.stop()
      server = await startEmbeddedPostgres({ dataDir, fsync: false })
    },
  }
}

const loginsOf = (urlOf: (database: string, login: string) => string, database: string): Record<string, string> => ({
  DATABASE_URL: urlOf(database, servingLogin),
  DATABASE_OWNER_URL: urlOf(database, owningLogin),
})

test('the table has every command of the usage text', async () => {
  const { text } = await run([], {})
  const listed = [...text.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z-]+)?)(?= {2}| [[<(-]|$)/gm)].map(([, name]) => name!)
  assert.equal(listed.length, commands.length)
  for (const name of listed)
    assert.ok(
      commands.some(({ words }) => words === name || words.startsWith(`${name} `)),
      name,
    )
})

test('each command says in one sentence why its database does not serve it', { timeout: 290_000 }, async (t) => {
  const { urlOf, execute, hbaFile } = await startServer(t)
  const superuser = urlOf('malipo')
  await execute(superuser, 'create database served', 'create role no_rights login', `create role wrong login password 'right'`)
  await makeLogins(urlOf('served'), 5_000)
  writeFileSync(hbaFile, `local all wrong scram-sha-256\n${readFileSync(hbaFile, 'utf8')}`)
  await execute(superuser, 'select pg_reload_conf()')
  const both = (url: string) => ({ DATABASE_URL: url, DATABASE_OWNER_URL: url })
  const wrong = `${urlOf('served', 'wrong')}&password=guess`
  const problems: [name: string, given: Record<string, string>, sentence: RegExp, skipped?: string][] = [
    ['no database', both('postgresql://malipo@127.0.0.1:1/malipo'), /does not answer: ECONNREFUSED\. Start it/],
    ['wrong password', both(wrong), /refuses the login: password authentication failed/],
    ['absent database', both(urlOf('absent', servingLogin)), /database "absent" does not exist/],
    // What a migration is for, and a backup does not need.
    ['no schema', loginsOf(urlOf, 'served'), /no tables of this version|tables of another version/, 'migrate backup'],
    ['no rights', both(urlOf('served', 'no_rights')), /ops\/logins\.sql/],
  ]
  // Every problem with one command of each login, and every command with one problem: a start of the program takes a second.
  const asking = commands.filter(({ login }) => login !== 'none')
  const cases = asking.flatMap(({ words, login }, index) =>
    problems
      .filter(([, , , skipped = '']) => !skipped.split(' ').includes(words.split(' ')[0]!))
      .filter((_, turn, fitting) => login === 'owner' || turn === index % fitting.length)
      .map(([name, given, sentence]) => ({ name, given, sentence, words })),
  )
  const others: string[] = []
  await each(cases, async ({ name, given, sentence, words }) => {
    const { code, text } = await run(words.split(' '), given)
    const isOne = code === 1 && text.trim().split('\n').length === 1
    if (!isOne || !sentence.test(text)) others.push(`${name}: ${words}: ${text}`)
  })
  assert.deepEqual(others, [])
  await each(
    commands.filter(({ login }) => login === 'none'),
    async ({ words }) => {
      const { text } = await run(words.split(' '), both('postgresql://malipo@127.0.0.1:1/malipo'))
      assert.ok(!/^\s+at |\.ts:\d+/m.test(text), `${words}: ${text}`)
    },
  )
  for (const words of ['backup check', 'backup restore --into /nonexistent --archive /nonexistent', 'verify --heads']) {
    isOneSentence(await run([...words.split(' '), missing], loginsOf(urlOf, 'served')), words)
  }
})
