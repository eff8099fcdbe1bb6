/** The two logins of `ops/logins.sql`, made by a superuser and by an ordinary administrator: what they migrate and back up. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
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

function isOneSentence({ code, text }: Ran, what: string): void {
  assert.equal(code, 1, `${what}: ${text}`)
  assert.ok(!/^\s+at |\.ts:\d+/m.test(text), `${what}: ${text}`)
  assert.equal(text.trim().split('\n').length, 1, `${what}: ${text}`)
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

test(
  'the logins of a superuser and those of an administrator migrate, and back up or say what to use',
  { timeout: 290_000 },
  async (t) => {
    const { urlOf, execute, restart } = await startServer(t)
    const superuser = urlOf('malipo')
    await execute(superuser, 'create role administrator login createrole createdb', 'create database managed owner administrator')
    await makeLogins(urlOf('managed', 'administrator'), 5_000)
    const managed = loginsOf(urlOf, 'managed')
    // A login without the rights of an owner changes nothing.
    const refused = await run(['migrate'], { ...managed, DATABASE_OWNER_URL: urlOf('managed', servingLogin) })
    isOneSentence(refused, 'migrate as the serving login')
    assert.match(refused.text, /^The login malipo_service serves and may not migrate\. Nothing was changed\./)
    await execute(superuser, 'create role no_rights login')
    isOneSentence(await run(['migrate'], { ...managed, DATABASE_OWNER_URL: urlOf('managed', 'no_rights') }), 'without rights')
    const client = new pg.Client({ connectionString: urlOf('managed') })
    await client.connect()
    const { rows } = await client.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`)
    await client.end()
    assert.deepEqual(rows, [])
    const migrated = await run(['migrate'], managed)
    assert.equal(migrated.code, 0, migrated.text)
    const folder = await mkdtemp(join(tmpdir(), 'malipo-backup-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const without = await run(['backup', 'take', join(folder, 'one')], managed)
    isOneSentence(without, 'backup without a superuser')
    assert.match(
      without.text,
      /Let a superuser run ops\/logins\.sql .* or|without a superuser, use the backups of your database provider/,
    )

    await makeLogins(urlOf('managed'), 5_000)
    const unarchived = await run(['backup', 'take', join(folder, 'two')], managed)
    isOneSentence(unarchived, 'backup without an archive')
    assert.match(unarchived.text, /archive_mode is off/)
    await execute(superuser, `alter system set archive_mode = on`, `alter system set archive_command = 'true'`)
    await restart()
    isOneSentence(await run(['backup', 'take', '/dev/null/backup'], managed), 'a folder that cannot be made')
    isOneSentence(
      await run(['backup', 'take', join(folder, 'three')], { ...managed, DATABASE_OWNER_URL: urlOf('managed', servingLogin) }),
      'backup as the serving login',
    )
    const taken = await run(['backup', 'take', join(folder, 'four')], managed)
    assert.equal(taken.code, 0, taken.text)
    assert.match(taken.text, /^\d+ files, /)
    assert.equal((await run(['backup', 'check', join(folder, 'four')], {})).code, 0)
  },
)
