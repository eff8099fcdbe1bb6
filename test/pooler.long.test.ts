/** A real PgBouncer with the files of ops/ between the service and PostgreSQL, in transaction mode. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { connectionTo } from '../server/platform/db/primary.ts'
import { servingLogin, withLogin } from '../server/platform/db/logins.sql.ts'
import { databaseSettings } from '../server/config/database.ts'
import { eventually, freePorts } from './app.ts'
import { startFleet } from './fleet.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Why the pooler cannot run here; undefined where it can. */
function whyNot(): string | undefined {
  const { error, stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  if (error) return 'SKIPPED: pgbouncer is not installed, so nothing ran through it'
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout)!
  const knowsStatements = Number(major) > 1 || Number(minor) >= 21
  return knowsStatements
    ? undefined
    : `SKIPPED: pgbouncer ${major}.${minor} does not know prepared statements, which came with 1.21`
}

/** Starts the pooler with the sample in front of the database of `url`; returns the address of the pooler. */
async function startPooler(t: TestContext, url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-pooler-'))
  chmodSync(folder, 0o777)
  const [port] = await freePorts(1)
  const { host, port: databasePort, database } = new pg.Client({ connectionString: url })
  const changes: [RegExp, string][] = [
    [/^malipo = .*$/m, `malipo = host=${host} port=${databasePort} dbname=${database} user=${servingLogin}`],
    [/^listen_port = .*$/m, `listen_port = ${port}`],
    [/^auth_type = .*$/m, 'auth_type = any\nunix_socket_dir ='],
    [/^auth_file = .*$/m, ''],
    [/^logfile = .*$/m, `logfile = ${folder}/log`],
    [/^pidfile = .*$/m, `pidfile = ${folder}/pid`],
    [/^default_pool_size = .*$/m, 'default_pool_size = 6'],
    [/^min_pool_size = .*$/m, 'min_pool_size = 2'],
  ]
  let sample = read('ops/pgbouncer.ini')
  for (const [from, to] of changes) {
    assert.match(sample, from)
    sample = sample.replace(from, to)
  }
  writeFileSync(join(folder, 'pgbouncer.ini'), sample)
  // It refuses to run as root.
  const as = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', ['-q', ...as, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  t.after(async () => {
    child.kill('SIGKILL')
    await gone
    rmSync(folder, { recursive: true, force: true })
  })
  const address = `postgresql://${servingLogin}@127.0.0.1:${port}/malipo`
  await eventually('the pooler accepts connections', () =>
    ask(address, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  return address
}

async function ask(url: string, text: string): Promise<any> {
  const { connectionString, Client } = connectionTo(url, 5_000)
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows[0]
  } finally {
    await client.end()
  }
}

test('the SQL for a pooler sets what the service sends with each connection', async () => {
  const { database } = databaseSettings({ DATABASE_URL: 'postgresql://x', DATABASE_POOL_SIZE: 8 })
  const text = read('ops/pgbouncer.sql')
  assert.ok(text.includes(`statement_timeout = ''${database.statementTimeoutMs / 1000}s''`))
  assert.ok(text.includes(`lock_timeout = ''${database.lockTimeoutMs / 1000}s''`))
  const sent = [...read('server/platform/db/db.ts').matchAll(/-c (\w+)=/g)].map(([, name]) => name!)
  assert.ok(sent.length >= 5)
  for (const name of sent) {
    // The login that serves is this role already.
    if (name !== 'role') assert.ok(text.includes(`'${name} = `), name)
  }
})

test('the service takes and settles payments through a pooler in transaction mode', { timeout: 200_000 }, async (t) => {
  const reason = whyNot()
  if (reason !== undefined) return t.diagnostic(reason)
  const fleet = await startFleet(t)
  const { app } = fleet
  const direct = withLogin(app.config.database.url, servingLogin)
  await app.owner.pool.query(read('ops/pgbouncer.sql'))
  const pooled = await startPooler(t, app.config.database.url)
  const settings = { DATABASE_URL: pooled, DATABASE_SESSION_URL: direct }
  const [first, second] = [await fleet.api({ settings }), await fleet.api({ settings })]
  await fleet.worker({ settings })

  for (const [name, value] of [
    ['statement_timeout', '15s'],
    ['lock_timeout', '2s'],
    ['idle_in_transaction_session_timeout', '10s'],
    ['timezone', 'UTC'],
  ] as const) {
    assert.deepEqual(Object.values(await ask(pooled, `show ${name}`)), [value], name)
  }
  const page = await app.page(await app.student())
  const payOnce = async (url: string, key: string): Promise<void> => {
    const body = {
      slug: page.slug,
      phone_number: '0754123789',
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
      idempotency_key: key,
    }
    const made = await fetch(`${url}/v1/payments/checkout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { data, error } = (await made.json()) as { data: { reference: string }; error?: unknown }
    assert.equal(made.status, 201, JSON.stringify(error))
    await eventually(
      'the payment is completed',
      async () => {
        const status = await fetch(`${url}/v1/payments/${data.reference}/status?wait=5`)
        return ((await status.json()) as { data: { status: string } }).data.status === 'completed'
      },
      60_000,
    )
  }
  await Promise.all(
    Array.from({ length: 12 }, async (_, payer) => {
      for (let count = 0; count < 5; count += 1) await payOnce(count % 2 === 0 ? first.url : second.url, `${payer}-${count}`)
    }),
  )
  // Three processes with twelve connections each share six; the ones that listen are not in the pool.
  const { rows } = await app.owner.pool.query(
    `select count(*) filter (where application_name like 'malipo-listen%')::integer as listening, count(*)::integer as all
     from pg_stat_activity where datname = current_database() and usename = $1`,
    [servingLogin],
  )
  assert.ok(rows[0].listening >= 3, JSON.stringify(rows[0]))
  assert.ok(rows[0].all - rows[0].listening <= 6, JSON.stringify(rows[0]))
  return undefined
})
