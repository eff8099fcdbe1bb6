/**
 * What the image and the units do, step by step and without a container: a release from the committed tree, its packages installed
 * for production, started by a user who cannot change any of its files, in production mode, on its own database; and one payment.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { startSimulator } from '../simulator/start.ts'
import { startOwnDatabase } from './faults/own-database.ts'
import { eventually, freePorts, simulatorConfig } from './app.ts'
import { makeLogins, owningLogin, servingLogin, withLogin } from '../server/platform/db/logins.sql.ts'

const root = join(import.meta.dirname, '..')
const isRoot = process.getuid?.() === 0
const unprivileged = 65_534
const runAs = isRoot ? { uid: unprivileged, gid: unprivileged } : {}

/** The files that the image copies from the tree (ops/Containerfile), and no others. */
const released =
  /^(package\.json|package-lock\.json|LICENSE|bin\/|server\/|simulator\/|migrations\/|docs\/|(?:sdk|cli)\/README\.md)/

function makeRelease(t: TestContext): { folder: string; state: string; made: string } {
  const place = mkdtempSync(join(tmpdir(), 'malipo-release-'))
  t.after(() => {
    execFileSync('chmod', ['-R', 'u+w', place])
    rmSync(place, { recursive: true, force: true })
  })
  chmodSync(place, 0o755)
  const [folder, state] = [join(place, 'opt'), join(place, 'state')]
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\n')
  for (const file of files.filter((name) => released.test(name) && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  // The packages of this checkout without the development ones: what `npm ci --omit=dev` installs, without a request to a registry.
  execFileSync('cp', ['-r', join(root, 'node_modules'), folder])
  execFileSync('npm', ['prune', '--omit=dev', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  })
  cpSync(join(root, 'dashboard/dist'), join(folder, 'dashboard/dist'), { recursive: true })
  execFileSync('chmod', ['-R', 'a-w,a+rX', folder])
  mkdirSync(state, { mode: 0o700 })
  if (isRoot) chownSync(state, unprivileged, unprivileged)
  // Marks the time when the release was complete; the service has written every newer file.
  const made = join(place, 'made')
  writeFileSync(made, '')
  return { folder, state, made }
}

/** A database beside this one, without migrations. */
async function makeBareDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create database bare')
  await client.end()
  return url.replace('/malipo?', '/bare?')
}

const key = () => randomBytes(32).toString('base64url')

test('a release that cannot be modified starts in production, takes a payment, and stops without a trace in its folder', async (t) => {
  const { folder, state, made } = makeRelease(t)
  const installed = readdirSync(join(folder, 'node_modules'))
  assert.ok(installed.includes('fastify') && !installed.includes('typescript') && !installed.includes('oxlint'))
  const [api, checkout, storage, metrics, simulatorPort] = await freePorts(5)
  const database = await startOwnDatabase()
  t.after(() => database.drop())
  await makeLogins(database.url, 5_000)
  const bare = await makeBareDatabase(database.url)
  const settings: Record<string, string> = {
    NODE_ENV: 'production',
    DATA_DIR: state,
    DATABASE_URL: withLogin(database.url, servingLogin),
    DATABASE_OWNER_URL: withLogin(database.url, owningLogin),
    PORT: String(api),
    CHECKOUT_PORT: String(checkout),
    STORAGE_PORT: String(storage),
    BASE_URL: 'https://api.malipo.example',
    CHECKOUT_BASE_URL: 'https://pay.malipo.example',
    STORAGE_URL: 'https://files.malipo.example',
    TRUSTED_PROXIES: '1',
    SERVER_SECRET: key(),
    JWT_SIGNING_KEYS: `k1:${key()}`,
    API_KEY_PEPPERS: `k1:${key()}`,
    INTEGRITY_KEYS: `k1:${key()}`,
    ENVELOPE_KEYS: `k1:${key()}`,
    SNIPPE_TEST_BASE_URL: `http://127.0.0.1:${simulatorPort}`,
    SNIPPE_TEST_API_KEY: `snp_${key()}`,
    SNIPPE_TEST_WEBHOOK_SECRETS: key(),
    SNIPPE_LIVE_BASE_URL: 'https://api.snippe.example',
    SNIPPE_LIVE_API_KEY: `snp_${key()}`,
    SNIPPE_LIVE_WEBHOOK_SECRETS: key(),
    SMTP_URL: 'smtps://malipo:none@mail.malipo.example:465',
    MAIL_FROM: 'Malipo <no-reply@malipo.example>',
    CLAMD_URL: 'none',
    // The provider cannot call an installation without a public address, so the service queries the provider.
    PAYMENT_CHECK_DELAYS_SECONDS: '1',
  }
  const simulator = await startSimulator(simulatorConfig(settings, { port: simulatorPort! }))
  t.after(() => simulator.close())

  const node = join(folder, 'node_modules/.bin/node')
  const env = (more: Record<string, string> = {}) => ({ PATH: '/usr/bin:/bin', HOME: state, ...settings, ...more })
  const ops = (...words: string[]) =>
    execFileSync(join(folder, 'bin/malipo-ops'), words, { cwd: state, env: env(), encoding: 'utf8', ...runAs })
  function start(
    role: string,
    more: Record<string, string> = {},
  ): { child: ChildProcess; output(): string; gone: Promise<number | null> } {
    const child = spawn(node, ['server/main.ts', role], {
      cwd: folder,
      env: env(more),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...runAs,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream!.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
    t.after(() => child.kill('SIGKILL'))
    return { child, output: () => output, gone }
  }

  // It cannot change the files of the program.
  assert.throws(() =>
    execFileSync('/bin/sh', ['-c', `touch ${folder}/server/main.ts || touch ${folder}/new`], { stdio: 'ignore', ...runAs }),
  )

  // Unsafe settings, and the local start, end with a message and no stack.
  for (const [role, unsafe, sentence] of [
    ['api', { SERVER_SECRET: 'x'.repeat(40) }, /^Refused to start in production: SERVER_SECRET must be random/],
    ['worker', { BASE_URL: 'http://api.malipo.example' }, /^Refused to start in production: the api address must be https/],
    ['api', { MALIPO_MODE: 'local' }, /^Refused to start: NODE_ENV is production/],
    ['local', {}, /^Refused to start: NODE_ENV is production/],
  ] as const) {
    const refused = start(role, unsafe)
    assert.equal(await refused.gone, 1)
    assert.match(refused.output(), sentence)
    assert.doesNotMatch(refused.output(), /\.ts:\d+/)
  }

  // A login that may not migrate gets a message that names the missing right.
  const lacking = spawnSync(join(folder, 'bin/malipo-ops'), ['migrate'], {
    cwd: state,
    env: env({ DATABASE_OWNER_URL: withLogin(bare, servingLogin) }),
    encoding: 'utf8',
    ...runAs,
  })
  assert.equal(lacking.status, 1)
  assert.match(lacking.stderr, /^The login lacks a right: permission denied .* ops\/logins\.sql/)
  assert.match(ops('migrate'), /up to date|Applied/)
  const running = [start('api'), start('worker', { METRICS_PORT: String(metrics) })]
  const isReady = (port: number) =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  for (const port of [api!, metrics!]) {
    await eventually(`it is ready on ${port}: ${running.map(({ output }) => output()).join('\n')}`, () => isReady(port), 120_000)
  }

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<any> {
    const response = await fetch(`http://127.0.0.1:${api}${path}`, {
      method,
      headers: { 'x-forwarded-for': '192.0.2.7', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text).data
  }
  const person = { email: 'neema@example.com', password: 'a-long-password' }
  const { access_token } = await call('POST', '/v1/auth/register', {
    ...person,
    full_name: 'Neema Joseph',
    phone_number: '+255754000001',
    student_id: 'S-1',
    institution: 'UDSM',
  })
  assert.match(ops('kyc', 'verify', person.email), /is verified/)
  const asNeema = { authorization: `Bearer ${access_token}` }
  const page = await call(
    'POST',
    '/v1/merchant/payment-pages?environment=test',
    { type: 'payment', title: 'Chai', amount: 1500 },
    asNeema,
  )
  assert.match(page.url, /^https:\/\/pay\.malipo\.example\//)
  const { reference } = await call('POST', '/v1/payments/checkout', {
    slug: page.slug,
    phone_number: '0754123789',
    customer_name: 'Juma',
    customer_email: 'juma@example.com',
    idempotency_key: 'one',
  })
  await eventually(
    'the payment is completed',
    async () => (await call('GET', `/v1/payments/${reference}/status?wait=5`)).status === 'completed',
    120_000,
  )
  assert.equal((await call('GET', '/v1/merchant/balance?environment=test', undefined, asNeema)).available, 1500)
  const dashboard = await fetch(`http://127.0.0.1:${api}/dashboard/`)
  assert.equal(dashboard.status, 200)
  // What a local start shows to every visitor is no part of production.
  for (const path of ['/local', '/local/code', '/local/mail'])
    assert.equal((await fetch(`http://127.0.0.1:${api}${path}`)).status, 404, path)
  assert.match(ops('verify'), /Everything that must be true of the money is true/)
  assert.match(ops('keys', 'status'), /k1 {2}in use/)

  for (const { child } of running) child.kill('SIGTERM')
  assert.deepEqual(await Promise.all(running.map(({ gone }) => gone)), [0, 0])
  const written = execFileSync('find', [folder, '-newer', made], { encoding: 'utf8' })
  assert.equal(written, '')
})
