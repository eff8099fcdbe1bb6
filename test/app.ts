/**
 * The service for a test: its own database, the real service in this process, the provider simulator beside it. No part of the
 * service is mocked. At its end, every test app checks all invariants of the money.
 */
import type { Environment } from '../server/domain/environment.ts'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { createApi, type Api } from '../server/start/api.ts'
import { loadConfig, type Config } from '../server/config/config.ts'
import { openDependencies, type Dependencies } from '../server/start/dependencies.ts'
import { createAdmin } from '../server/accounts/identity/create-admin.ts'
import { createContentCheck, type ContentCheck } from '../server/merchants/documents/check-content.ts'
import { createPasswords } from '../server/accounts/identity/password.ts'
import { setKycStatus } from '../server/merchants/onboarding/decide-by-operator.ts'
import { eventBody, eventSchema, type EventRow } from '../server/merchants/webhooks/event.ts'
import { sentData } from '../server/merchants/webhooks/event.sql.ts'
import { verifyAll } from '../server/assurance/invariants/verify-all.ts'
import { openDb, sql, type Db } from '../server/platform/db/db.ts'
import { toWire } from '../server/platform/ids.ts'
import { createLog, type LogLevel } from '../server/platform/process/log.ts'
import { startWorker } from '../server/start/worker.ts'
import { defaults as simulatorDefaults, type SimulatorConfig } from '../simulator/config.ts'
import { startSimulator } from '../simulator/start.ts'
import { Secret, TOTP } from 'otpauth'
import { createTestDatabase, type TestDatabase } from './databases.ts'
import { readDescription, readSharedDocument, type Description } from './api-description.ts'

export type Answer = { status: number; headers: Headers; body: any }

export type CallOptions = {
  token?: string
  key?: string
  body?: unknown
  headers?: Record<string, string>
  rawBody?: string | Uint8Array
}

export type Student = {
  email: string
  password: string
  phoneNumber: string
  token: string
  refreshToken: string
  userId: string
}

/** An operator, signed in with a second factor. */
export type Admin = {
  email: string
  password: string
  token: string
  refreshToken: string
  userId: string
  /** Each code works once; used when the app's code of this half minute is used up. */
  recoveryCodes: string[]
}

export type TestAppOptions = {
  /** Runs the worker's jobs too. */
  worker?: boolean
  /** A separate database for the test, migrated; the default is a copy of the template. */
  database?: TestDatabase
  settings?: Record<string, string>
  /** Values that no variable changes, such as a window of a minute that a test need not wait for. */
  fixed?: Partial<Config>
  simulator?: Partial<SimulatorConfig>
  /** Wraps the dependencies of the slices: the only way for a test to stop the service at a step. */
  wrap?(deps: Dependencies): Dependencies
  logLevel?: LogLevel
  /** Gets every line of the log instead of the terminal. */
  logTo?(line: string): void
}

export type TestApp = {
  config: Config
  /** The settings of this service. */
  settings: Record<string, string>
  deps: Dependencies
  api: Api
  /** The service's own role. */
  db: Db
  /** The owner of the schema, for actions that no service may take. */
  owner: Db
  simulatorUrl: string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  truth(query?: string): Promise<any>
  /** Tells the simulator what happens next (`/__control`). */
  control(method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown): Promise<any>
  admin(): Promise<Admin>
  /** `home` puts the student's money into another one's home, so that only the owner's filter separates the two. */
  student(options?: { verified?: boolean; home?: number }): Promise<Student>
  /** Moves a merchant without money, so that only the owner's filter separates it from another one of that home. */
  setHome(merchantId: string, home: number): Promise<void>
  key(student: Student, environment?: Environment, scopes?: string[]): Promise<{ appId: string; keyId: string; key: string }>
  page(student: Student, fields?: Record<string, unknown>, environment?: Environment): Promise<any>
  checkout(slug: string, fields?: Record<string, unknown>): Promise<Answer>
  /** Waits on the public status until it is an end state (or one of `until`), and returns it. */
  settled(reference: string, until?: string[]): Promise<any>
  /** Registers work that must end before the app does: processes that use its database. */
  beforeClose(end: () => Promise<void>): void
  close(): Promise<void>
}

/** What a key of a test may do, unless the test says otherwise. */
export const allScopes = [
  'profile:read',
  'balance:read',
  'pages:read',
  'pages:write',
  'payments:read',
  'payments:write',
  'transactions:read',
  'payouts:read',
  'payouts:write',
]

/**
 * Each test process takes its ports from its own range of a hundred, below the range that the kernel gives to outgoing connections,
 * so that no other process can take one between the check and the use.
 */
const firstPort = 10_000 + (process.pid % 220) * 100
let portsTaken = 0
/** `fetch` refuses it as the port of another protocol, and no other one of its list is in these ranges: https://fetch.spec.whatwg.org/#port-blocking */
const refusedByFetch = 10_080

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (isListening) await new Promise((resolve) => server.close(resolve))
  return isListening
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  for (let looks = 0; ports.length < count; looks += 1) {
    if (looks === 200) throw new Error(`No ${count} ports are free from ${firstPort} on.`)
    const port = firstPort + (portsTaken++ % 100)
    if (port !== refusedByFetch && (await isFree(port))) ports.push(port)
  }
  return ports
}

const key = () => randomBytes(32).toString('base64url')

/** One for each process: every app serves the same API. */
let description: Description | undefined

async function readDescriptionOf(url: string): Promise<Description> {
  // A machine that is busy with the start may answer so.
  const read = () =>
    eventually('the API describes itself', async () => {
      const response = await fetch(`${url}/openapi.json`)
      return response.status === 200 && ((await response.json()) as Parameters<typeof readDescription>[0])
    })
  return readDescription(await readSharedDocument(read))
}

/** Settings of a service for tests; `simulatorUrl` is its provider in both environments. */
export function testSettings(
  databaseUrl: string,
  ports: { api: number; checkout: number; storage: number },
  simulatorUrl: string,
): Record<string, string> {
  return {
    MALIPO_MODE: 'local',
    LOG_LEVEL: 'silent',
    PORT: String(ports.api),
    CHECKOUT_PORT: String(ports.checkout),
    STORAGE_PORT: String(ports.storage),
    DATABASE_URL: databaseUrl,
    SERVER_SECRET: key(),
    JWT_SIGNING_KEYS: `test:${key()}`,
    API_KEY_PEPPERS: `test:${key()}`,
    INTEGRITY_KEYS: `test:${key()}`,
    ENVELOPE_KEYS: `test:${key()}`,
    SNIPPE_TEST_BASE_URL: simulatorUrl,
    SNIPPE_TEST_API_KEY: 'snp_test_0123456789',
    SNIPPE_TEST_WEBHOOK_SECRETS: `test-secret-${'t'.repeat(32)}`,
    SNIPPE_LIVE_BASE_URL: simulatorUrl,
    SNIPPE_LIVE_API_KEY: 'snp_live_0123456789',
    SNIPPE_LIVE_WEBHOOK_SECRETS: `live-secret-${'l'.repeat(32)}`,
    ...clickPesaSettings('TEST', `${simulatorUrl}/clickpesa/third-parties`),
    ...clickPesaSettings('LIVE', `${simulatorUrl}/clickpesa/third-parties`),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  }
}

function clickPesaSettings(side: 'TEST' | 'LIVE', baseUrl: string): Record<string, string> {
  const { clientId, apiKey, checksumKey } = simulatorDefaults.clickPesa[side === 'TEST' ? 'clickpesa-test' : 'clickpesa-live']
  return {
    [`CLICKPESA_${side}_BASE_URL`]: baseUrl,
    [`CLICKPESA_${side}_CLIENT_ID`]: clientId,
    [`CLICKPESA_${side}_API_KEY`]: apiKey,
    [`CLICKPESA_${side}_CHECKSUM_KEYS`]: checksumKey,
  }
}

/** The values set in the dashboard of a real account. */
function clickPesaWebhook(settings: Record<string, string>, environment: 'test' | 'live'): string | null {
  const base = settings['PROVIDER_CALLBACK_BASE_URL'] ?? (settings['PORT'] && `http://127.0.0.1:${settings['PORT']}`)
  return base ? `${base}/v1/providers/clickpesa/${environment}/webhook` : null
}

export async function controlSimulator(simulatorUrl: string, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${simulatorUrl}/__control${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${text}`)
  return JSON.parse(text)
}

export function simulatorConfig(settings: Record<string, string>, changes: Partial<SimulatorConfig> = {}): SimulatorConfig {
  return {
    ...simulatorDefaults,
    port: 0,
    dataDir: null,
    allowHttpWebhooks: true,
    delayMs: 20,
    webhookDelaysMs: [0, 100, 200, 400, 800],
    accounts: {
      test: { apiKey: settings['SNIPPE_TEST_API_KEY']!, webhookSecret: settings['SNIPPE_TEST_WEBHOOK_SECRETS']! },
      live: { apiKey: settings['SNIPPE_LIVE_API_KEY']!, webhookSecret: settings['SNIPPE_LIVE_WEBHOOK_SECRETS']! },
    },
    clickPesa: {
      'clickpesa-test': { ...simulatorDefaults.clickPesa['clickpesa-test'], webhookUrl: clickPesaWebhook(settings, 'test') },
      'clickpesa-live': { ...simulatorDefaults.clickPesa['clickpesa-live'], webhookUrl: clickPesaWebhook(settings, 'live') },
    },
    ...changes,
  }
}

/** The current code of an authenticator app; it works once. */
export function codeNow(secret: string, timestamp = Date.now()): string {
  return new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate({ timestamp })
}

/** What ends the things that a test has started: the test's context, or the end of a file. */
export type Ending = { after(end: () => unknown): void }

/**
 * One app for the tests of a file whose settings agree: `start` runs at the first call, and everything it has started ends, with
 * the check of all invariants, after the last test of the file. A test whose proof depends on an empty database, on counts over
 * all merchants, on the log or on the clock starts its own app.
 */
export function share<App>(start: (ending: Ending) => Promise<App>): () => Promise<App> {
  let started: Promise<App> | undefined
  const ends: (() => unknown)[] = []
  after(async () => {
    for (const end of ends) await end()
  })
  return () => (started ??= start({ after: (end) => void ends.push(end) }))
}

/** Stored events that their schema refuses, or of which the list would show other fields than the webhook sent. */
async function unreadableEvents(owner: Db): Promise<string[]> {
  const events = await owner.rows<EventRow>(
    sql`select id, type, ${sentData(sql`events`)}, created_at from events order by created_at desc limit 1000`,
  )
  return events.map(eventBody).filter((body) => {
    const read = eventSchema.safeParse(JSON.parse(body))
    return JSON.stringify(read.data) !== body
  })
}

/**
 * The check of uploaded files for all apps of this process: its child process takes most of a second to start, and ends with this
 * process.
 */
let inspection: ContentCheck | undefined

export async function startTestApp(t: Ending, options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'malipo-test-app-'))
  const [api, checkout, storage, simulatorPort] = await freePorts(4)
  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`
  const settings = {
    ...testSettings(database.url, { api: api!, checkout: checkout!, storage: storage! }, simulatorUrl),
    DATA_DIR: dataDir,
    PASSWORD_COST: 'least',
    // Each connection plans each statement again, which costs more than all else that the database does in a test.
    DATABASE_POOL_SIZE: '4',
    ...options.settings,
  }
  const simulator = await startSimulator(simulatorConfig(settings, { ...options.simulator, port: simulatorPort! }))
  // If the start fails from here on, nothing that runs may keep the process of the test alive.
  let close = (): Promise<void> => simulator.close()
  t.after(() => close())
  const config = { ...loadConfig(settings, {}), ...options.fixed }
  const log = createLog({
    level: options.logLevel ?? 'silent',
    role: 'test',
    destination: options.logTo && { write: (line: string) => options.logTo!(line) },
  })
  // A test may change the schema; only tests of the schema compare it.
  const opened: Dependencies = { ...(await openDependencies(config, log, 'test')), clocks: 'unchecked' }
  if (config.documents.clamdUrl === undefined)
    opened.contentCheck = inspection ??= createContentCheck({ ...config.documents, log })
  close = async () => void (await Promise.all([opened.close(), simulator.close()]))
  const deps = options.wrap ? options.wrap(opened) : opened
  const service = await createApi(deps)
  await service.listen()
  const worker = options.worker ? startWorker(deps) : undefined
  const owner = openDb({ ...config.database, poolSize: 2, applicationName: 'test-owner', onError: () => undefined })
  let isClosed = false
  const ends: (() => Promise<void>)[] = []

  /** Calls that a test needs before it begins: a machine that has just started a browser may answer for a moment that it is busy. */
  const setUp = (path: string, wanted: CallOptions): Promise<Answer> =>
    eventually(`${path} is taken`, async () => {
      const answer = await app.call('POST', path, wanted)
      return answer.body?.error?.code !== 'overloaded' && answer
    })

  const app: TestApp = {
    config,
    settings,
    deps,
    api: service,
    db: deps.db,
    owner,
    simulatorUrl,

    async call(method, path, { token, key: apiKey, body, headers = {}, rawBody } = {}) {
      const response = await fetch(`${config.urls.api}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(apiKey !== undefined && { 'x-api-key': apiKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(rawBody !== undefined && { body: rawBody as string }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      const answered = isJson ? JSON.parse(text) : text
      // A problem (RFC 9457) is requested explicitly and has a different shape.
      const isDescribed = response.headers.get('content-type')?.includes('application/json')
      description ??= await readDescriptionOf(config.urls.api)
      description.check(method, path, response.status, isDescribed ? answered : undefined)
      return { status: response.status, headers: response.headers, body: answered }
    },

    async truth(query = '') {
      const response = await fetch(`${simulatorUrl}/__truth${query}`)
      return response.json()
    },

    control: (method, path, body) => controlSimulator(simulatorUrl, method, path, body),

    async student({ verified = true, home } = {}) {
      const id = randomBytes(5).toString('hex')
      const phoneNumber = `+2557540${String(Math.floor(Math.random() * 1e5)).padStart(5, '0')}`
      const person = {
        full_name: `Student ${id}`,
        email: `${id}@example.com`,
        phone_number: phoneNumber,
        password: `siri ya ${randomBytes(6).toString('hex')}`,
        student_id: id,
        institution: 'UDSM',
      }
      const { status, body } = await setUp('/v1/auth/register', { body: person })
      if (status === 409) return app.student({ verified, home })
      assert.equal(status, 201, JSON.stringify(body))
      if (verified) await setKycStatus(deps, person.email, 'verified')
      if (home !== undefined) {
        const { id: merchantId } = (await owner.pool.query('select id from users where email = $1', [person.email])).rows[0]
        await app.setHome(merchantId, home)
      }
      const { access_token: token, refresh_token: refreshToken, user } = body.data
      return { email: person.email, password: person.password, phoneNumber, token, refreshToken, userId: user.id }
    },

    async setHome(merchantId, home) {
      // The sandbox has money ids of the first home.
      await owner.pool.query(
        `with pages as (delete from payment_pages where merchant_id = $1 returning id),
          slugs as (delete from payment_page_slugs where page_id in (select id from payment_pages where merchant_id = $1)),
          accounts as (delete from ledger_accounts where holder = $1)
        update merchants set home = $2 where id = $1`,
        [merchantId, home],
      )
    },

    async admin() {
      const email = `operator-${randomBytes(5).toString('hex')}@example.com`
      const made = await createAdmin(
        { ...deps, passwords: createPasswords(deps.config.passwords) },
        { email, fullName: 'Rehema Ops' },
      )
      const password = made.password!
      const asked = await setUp('/v1/auth/login', { body: { identifier: email, password } })
      assert.equal(asked.body.data.two_factor_required, true, JSON.stringify(asked.body))
      const { challenge_token } = asked.body.data
      // The service goes by the clock of its database, which a test may have moved.
      const { rows } = await owner.pool.query<{ now: Date }>('select clock_now() as now')
      const code = codeNow(made.secret, rows[0]!.now.getTime())
      const { status, body } = await setUp('/v1/auth/2fa/verify', { body: { challenge_token, code } })
      assert.equal(status, 200, JSON.stringify(body))
      const { access_token: token, refresh_token: refreshToken } = body.data
      return { email, password, token, refreshToken, userId: toWire('usr', made.user.id), recoveryCodes: made.recoveryCodes }
    },

    async key({ token }, environment = 'test', scopes = allScopes) {
      const shopApp = await setUp('/developers/apps', { token, body: { name: 'Shop', environment } })
      assert.equal(shopApp.status, 201, JSON.stringify(shopApp.body))
      const made = await setUp('/developers/keys', {
        token,
        body: { app_id: shopApp.body.data.id, key_name: 'k', scopes },
      })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      return { appId: shopApp.body.data.id, keyId: made.body.data.id, key: made.body.data.key }
    },

    async page({ token }, fields = {}, environment = 'test') {
      const made = await setUp(`/v1/merchant/payment-pages?environment=${environment}`, {
        token,
        body: { type: 'payment', title: 'Chai', amount: 1500, ...fields },
      })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      return made.body.data
    },

    checkout: (slug, fields = {}) =>
      app.call('POST', '/v1/payments/checkout', {
        body: {
          slug,
          phone_number: '+255754123789',
          customer_name: 'Juma Hamisi',
          customer_email: 'juma@example.com',
          idempotency_key: randomBytes(8).toString('hex'),
          ...fields,
        },
      }),

    async settled(reference, until = ['completed', 'failed', 'voided', 'expired']) {
      const deadline = Date.now() + 20_000
      for (;;) {
        const { status, body } = await app.call('GET', `/v1/payments/${reference}/status?wait=1`)
        assert.equal(status, 200, JSON.stringify(body))
        if (until.includes(body.data.status)) return body.data
        assert.ok(Date.now() < deadline, `still ${body.data.status} after 20 s`)
      }
    },

    beforeClose(end) {
      ends.push(end)
    },

    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.all(ends.map((end) => end()))
      await worker?.stop()
      await service.drain()
      const violations = await verifyAll({ db: owner, recordMac: deps.recordMac, clocks: deps.clocks })
      const unreadable = await unreadableEvents(owner)
      await deps.close()
      await simulator.close()
      await owner.close()
      // PostgreSQL sleeps a tenth of a second for the last connections to end. No test needs it gone, and a failure still fails the file.
      void database.drop()
      await rm(dataDir, { recursive: true, force: true })
      assert.deepEqual(violations, [])
      assert.deepEqual(unreadable, [], 'the schema of an event refuses what is stored: GET /v1/events would answer 500')
    },
  }
  close = () => app.close()
  return app
}

/** Waits for a condition; fails with `what` when it does not become true in time. */
export async function eventually<Result>(
  what: string,
  look: () => Promise<Result | undefined | false> | Result | undefined | false,
  withinMs = 15_000,
): Promise<Result> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const result = await look()
    if (result) return result
    if (Date.now() > deadline) assert.fail(`This did not come true within ${withinMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
