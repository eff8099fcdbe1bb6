/**
 * What the image and the units do, step by step and without a container: a release from the committed tree, its packages installed
 * for production, started by a user who cannot change any of its files, in production mode, on its own database, with the simulator as
 * another user; and test payments, also while the simulator is killed and after its books are lost.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { startOwnDatabase } from './faults/own-database.ts'
import { eventually, freePorts } from './app.ts'
import { makeLogins, owningLogin, servingLogin, withLogin } from '../server/platform/db/logins.sql.ts'

const root = join(import.meta.dirname, '..')
const isRoot = process.getuid?.() === 0
const unprivileged = 65_534
type User = { uid?: number; gid?: number }
const runAs: User = isRoot ? { uid: unprivileged, gid: unprivileged } : {}
const runSimulatorAs: User = isRoot ? { uid: unprivileged - 1, gid: unprivileged - 1 } : {}

/** The files that the image copies from the tree (ops/Containerfile), and no others. */
const released =
  /^(package\.json|package-lock\.json|LICENSE|bin\/|server\/|simulator\/|migrations\/|docs\/|(?:sdk|cli)\/README\.md)/

function makeOwned(folder: string, { uid, gid }: User): void {
  mkdirSync(folder, { mode: 0o700 })
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
}

function makeRelease(t: TestContext): { folder: string; state: string; books: string; made: string } {
  const place = mkdtempSync(join(tmpdir(), 'malipo-release-'))
  t.after(() => {
    execFileSync('chmod', ['-R', 'u+w', place])
    rmSync(place, { recursive: true, force: true })
  })
  chmodSync(place, 0o755)
  const [folder, state, books] = [join(place, 'opt'), join(place, 'state'), join(place, 'books')]
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
  makeOwned(state, runAs)
  makeOwned(books, runSimulatorAs)
  // Marks the time when the release was complete; the service has written every newer file.
  const made = join(place, 'made')
  writeFileSync(made, '')
  return { folder, state, books, made }
}

/** A database beside this one, without migrations. */
async function makeBareDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create database bare')
  await client.end()
  return url.replace('/malipo?', '/bare?')
}

type Ran = { code: number | null; output: string }

/** What an operator has: a link in another folder, settings in two files of root, and nothing in the environment. */
function makeOperator(folder: string, settings: Record<string, string>) {
  const place = dirname(folder)
  const [link, etc] = [join(place, 'malipo-ops'), join(place, 'etc')]
  mkdirSync(etc, { mode: 0o700 })
  symlinkSync(join(folder, 'bin/malipo-ops'), link)
  const { DATABASE_OWNER_URL, ...others } = settings
  const write = (file: string, lines: Record<string, string>) =>
    writeFileSync(
      join(etc, file),
      Object.entries(lines)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
      { mode: 0o600 },
    )
  write('malipo.env', others)
  write('owner.env', { DATABASE_OWNER_URL: DATABASE_OWNER_URL! })
  const settingsFile = join(etc, 'malipo.env')
  const run = (words: string[], as: { uid?: number; gid?: number } = {}): Ran => {
    const env = { PATH: '/usr/bin:/bin', SETTINGS_FILE: settingsFile }
    const { status, stdout, stderr } = spawnSync(link, words, { cwd: '/', env, encoding: 'utf8', ...as })
    return { code: status, output: stdout + stderr }
  }
  return { run, settingsFile, place }
}

/** The command line as root, which gives its rights up, and as other users. */
function operate(folder: string, settings: Record<string, string>): void {
  const { run, settingsFile, place } = makeOperator(folder, settings)
  assert.deepEqual(run(['migrate']), { code: 0, output: 'The schema is up to date.\n' })
  assert.deepEqual(run(['verify']), { code: 0, output: 'Everything that must be true of the money is true.\n' })
  assert.match(run(['keys', 'export']).output, new RegExp(`^SERVER_SECRET=${settings['SERVER_SECRET']}$`, 'm'))
  if (isRoot) {
    assert.deepEqual(run(['person', 'export', '--phone', '0754123789', '--out', join(place, 'payer.json')]), {
      code: 1,
      output: `${place}/payer.json may not be used by the user with the id ${unprivileged}.\n`,
    })
    assert.deepEqual(run(['verify'], runAs), {
      code: 1,
      output: `The settings in ${settingsFile} are not readable for this user (EACCES): run the command as root, with sudo.\n`,
    })
  }
  chmodSync(settingsFile, 0o644)
  assert.match(run(['verify']).output, /^\S+ holds secrets and every user may read it: chmod 600 \S+\n$/)

  // A tree without packages says so, and stays as it is.
  const bare = join(place, 'bare')
  mkdirSync(join(bare, 'bin'), { recursive: true })
  cpSync(join(folder, 'bin/malipo-ops'), join(bare, 'bin/malipo-ops'))
  const { status, stderr } = spawnSync(join(bare, 'bin/malipo-ops'), ['verify'], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /^The packages of \S+ are not installed: run "npm ci --omit=dev --ignore-scripts" there.*\n$/)
  assert.deepEqual(readdirSync(bare), ['bin'])
}

const key = () => randomBytes(32).toString('base64url')

test('a release that cannot be modified starts in production, takes a payment, and stops without a trace in its folder', async (t) => {
  const { folder, state, books, made } = makeRelease(t)
  const installed = readdirSync(join(folder, 'node_modules'))
  assert.ok(installed.includes('fastify') && !installed.includes('typescript') && !installed.includes('oxlint'))
  const [api, checkoutPort, storage, metrics, apiMetrics, simulatorPort] = await freePorts(6)
  const database = await startOwnDatabase()
  t.after(() => database.drop())
  await makeLogins(database.url, 5_000)
  const bare = await makeBareDatabase(database.url)
  const program = join(folder, 'bin/malipo-ops')
  const generated = execFileSync(program, ['keys', 'generate'], {
    cwd: state,
    env: { PATH: '/usr/bin:/bin', HOME: state },
    encoding: 'utf8',
    ...runAs,
  })
  const settings: Record<string, string> = {
    NODE_ENV: 'production',
    DATA_DIR: state,
    DATABASE_URL: withLogin(database.url, servingLogin),
    DATABASE_OWNER_URL: withLogin(database.url, owningLogin),
    PORT: String(api),
    CHECKOUT_PORT: String(checkoutPort),
    STORAGE_PORT: String(storage),
    BASE_URL: 'https://api.malipo.example',
    CHECKOUT_BASE_URL: 'https://pay.malipo.example',
    STORAGE_URL: 'https://files.malipo.example',
    TRUSTED_PROXIES: '1',
    ...Object.fromEntries([...generated.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value])),
    SNIPPE_TEST_BASE_URL: `http://127.0.0.1:${simulatorPort}`,
    SNIPPE_LIVE_BASE_URL: 'https://api.snippe.example',
    SNIPPE_LIVE_API_KEY: `snp_${key()}`,
    SNIPPE_LIVE_WEBHOOK_SECRETS: key(),
    SMTP_URL: 'smtps://malipo:none@mail.malipo.example:465',
    MAIL_FROM: 'Malipo <no-reply@malipo.example>',
    SUPPORT_EMAIL: 'support@malipo.example',
    PROVIDER_CONTACT_EMAIL: 'payments@malipo.example',
    CLAMD_URL: 'none',
    PAYMENT_CHECK_DELAYS_SECONDS: '1',
  }

  const node = join(folder, 'node_modules/.bin/node')
  const env = (more: Record<string, string> = {}) => ({ PATH: '/usr/bin:/bin', HOME: state, ...settings, ...more })
  const ops = (...words: string[]) => execFileSync(program, words, { cwd: state, env: env(), encoding: 'utf8', ...runAs })
  function run(words: string[], environment: Record<string, string>, user: User) {
    const child: ChildProcess = spawn(node, words, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'], ...user })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream!.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
    t.after(() => child.kill('SIGKILL'))
    return { child, output: () => output, gone }
  }
  const start = (role: string, more: Record<string, string> = {}) => run(['server/start/main.ts', role], env(more), runAs)

  // The settings of its unit, and the lines that docs/operations/providers.md copies for it.
  const forSimulator = {
    NODE_ENV: 'production',
    SIMULATOR_DATA_DIR: books,
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_DELIVER_TO: `http://127.0.0.1:${api}`,
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => /^(SNIPPE|CLICKPESA)_TEST_/.test(name))),
  }
  async function startSimulator() {
    const started = run(['simulator/main.ts'], forSimulator, runSimulatorAs)
    await eventually('the simulator listens', () => started.output().includes('simulator ready'), 120_000)
    return started
  }
  let simulator = await startSimulator()
  const withLiveKey = run(['simulator/main.ts'], env({ SIMULATOR_DATA_DIR: books }), runSimulatorAs)
  assert.equal(await withLiveKey.gone, 1)
  assert.match(withLiveKey.output(), /^The simulator plays the test environment only and must not have live keys/)

  // It cannot change the files of the program.
  assert.throws(() =>
    execFileSync('/bin/sh', ['-c', `touch ${folder}/server/start/main.ts || touch ${folder}/new`], { stdio: 'ignore', ...runAs }),
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
  const lacking = spawnSync(program, ['migrate'], {
    cwd: state,
    env: env({ DATABASE_OWNER_URL: withLogin(bare, servingLogin) }),
    encoding: 'utf8',
    ...runAs,
  })
  assert.equal(lacking.status, 1)
  assert.match(lacking.stderr, /^The login malipo_service serves and may not migrate\. Nothing was changed\. .* ops\/logins\.sql/)
  assert.match(ops('migrate'), /up to date|Applied/)
  const running = [start('api', { METRICS_PORT: String(apiMetrics) }), start('worker', { METRICS_PORT: String(metrics) })]
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
  const { access_token, sandbox } = await call('POST', '/v1/auth/register', {
    ...person,
    full_name: 'Neema Joseph',
    phone_number: '+255754000001',
    student_id: 'S-1',
    institution: 'UDSM',
  })
  // The sandbox works from the first minute, with the fixed numbers and without anyone at a phone.
  assert.match(sandbox.page_url, /^https:\/\/pay\.malipo\.example\//)
  async function checkout(phoneNumber: string): Promise<string> {
    const { reference } = await call('POST', '/v1/payments/checkout', {
      slug: sandbox.page_slug,
      amount: 1500,
      phone_number: phoneNumber,
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
      idempotency_key: phoneNumber,
    })
    return reference
  }
  const statusOf = async (reference: string) => (await call('GET', `/v1/payments/${reference}/status?wait=5`)).status
  const becomes = (reference: string, status: string) =>
    eventually(`the payment is ${status}`, async () => (await statusOf(reference)) === status, 120_000)
  const asSandbox = { 'x-api-key': sandbox.key }
  const [paid, refused] = [await checkout('0754123789'), await checkout('0754123049')]
  await becomes(paid, 'completed')
  await becomes(refused, 'failed')
  assert.equal((await call('GET', '/v1/balance', undefined, asSandbox)).available, 1500)
  const events = async (): Promise<string[]> =>
    (await call('GET', '/v1/events', undefined, asSandbox)).map((event: any) => `${event.type} ${event.data.reference}`)
  await eventually('the event is recorded', async () => (await events()).includes(`payment.completed ${paid}`))
  const shows = async (port: number, line: RegExp) => line.test(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
  // No webhook needs the public address.
  await eventually('the webhook of the simulator arrives', () =>
    shows(apiMetrics!, /^malipo_provider_messages_total\{(?=.*kind="charge")(?=.*environment="test").* [1-9]/m),
  )
  const checked = spawnSync(program, ['providers', 'check'], { cwd: state, env: env(), encoding: 'utf8', ...runAs })
  assert.equal(checked.status, 1)
  assert.match(checked.stdout, /^live snippe charges: gives no usable answer/m)
  assert.match(checked.stdout, /^test snippe charges: answers\ntest snippe payouts: answers$/m)

  const phoneOf = (number: string) => `http://127.0.0.1:${simulatorPort}/phone/255${number.slice(1)}`
  const promptOn = async (number: string) =>
    /name="reference" value="([^"]+)"/.exec(await (await fetch(phoneOf(number))).text())?.[1]

  // A killed simulator goes on with its books.
  const waiting = await checkout('0754123456')
  await eventually('the phone asks', async () => (await promptOn('0754123456')) !== undefined, 60_000)
  simulator.child.kill('SIGKILL')
  await simulator.gone
  simulator = await startSimulator()
  const reference = (await promptOn('0754123456')) ?? assert.fail('no prompt after the restart')
  const body = new URLSearchParams({ reference, action: 'pin', pin: '1234' })
  await fetch(phoneOf('0754123456'), { method: 'POST', body, redirect: 'manual' })
  await becomes(waiting, 'completed')

  // Without its books it knows no payment, which proves nothing: the payment stays open.
  const lost = await checkout('0754123457')
  await eventually('the phone asks', async () => (await promptOn('0754123457')) !== undefined, 60_000)
  simulator.child.kill('SIGKILL')
  await simulator.gone
  rmSync(books, { recursive: true })
  makeOwned(books, runSimulatorAs)
  simulator = await startSimulator()
  await eventually(
    'the service has asked for it',
    () => shows(metrics!, /^malipo_provider_calls_total\{(?=.*environment="test")(?=.*outcome="not_found").* [1-9]/m),
    120_000,
  )
  assert.equal(await statusOf(lost), 'pending')

  assert.match(ops('kyc', 'verify', person.email), /is verified/)
  const asNeema = { authorization: `Bearer ${access_token}` }
  assert.equal((await call('GET', '/v1/merchant/balance?environment=test', undefined, asNeema)).available, 3000)
  const dashboard = await fetch(`http://127.0.0.1:${api}/dashboard/`)
  assert.equal(dashboard.status, 200)
  // What a local start shows to every visitor is no part of production.
  for (const path of ['/local', '/local/code', '/local/mail'])
    assert.equal((await fetch(`http://127.0.0.1:${api}${path}`)).status, 404, path)
  assert.match(ops('verify'), /Everything that must be true of the money is true/)
  assert.match(ops('keys', 'status'), /k\d+\w+ {2}in use/)
  operate(folder, settings)

  const all = [...running, simulator]
  for (const { child } of all) child.kill('SIGTERM')
  assert.deepEqual(await Promise.all(all.map(({ gone }) => gone)), [0, 0, 0])
  const written = execFileSync('find', [folder, '-newer', made], { encoding: 'utf8' })
  assert.equal(written, '')
})
