/** For the tests of users, apps and keys: a separate database, the real routes, and a movable clock. */
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { createTestDatabase } from '../../test/databases.ts'
import { listEntries, type AuditRow } from '../audit/audit.sql.ts'
import { loadConfig, type Config } from '../config.ts'
import type { Clock } from '../platform/clock.ts'
import { createRecordMac } from '../platform/crypto/record-mac.ts'
import { openDb, sql, type Db, type Sql } from '../platform/db/db.ts'
import { createHttp, type Http } from '../platform/http/http.ts'
import { createLimits, type Limit } from '../platform/http/limits.ts'
import type { LogEvent } from '../domain/log-events.ts'
import type { Log } from '../platform/process/log.ts'
import { createCursors } from '../platform/http/page.ts'
import { createSealer, type Sealer } from '../platform/crypto/secrets.ts'
import { createSecurityLog, type SecurityLog } from '../platform/http/security-log.ts'
import { fromWire } from '../platform/ids.ts'
import { openContent, type MailContent } from '../mail/mail.ts'
import { isInvited } from '../members/accept-invitation.ts'
import { createSandbox } from '../pages/create-sandbox.ts'
import { identityRoutes, type IdentityDeps } from '../identity/routes.ts'
import { createKeyFinder, type KeyFinder } from './authenticate-key.ts'
import { guardOperations } from './guard-operations.ts'
import { guardLargeBodies } from './large-bodies.ts'
import { resolveOwners } from './owner-auth.ts'
import { appRoutes } from './routes.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = Record<string, any>

export type Answer = { status: number; body: Json; headers: Record<string, unknown> }

export type Person = { id: string; email: string; phone: string; password: string; access: string; refresh: string }

export type PeopleApi = {
  db: Db
  findKey: KeyFinder
  /** Connected as the owner of the schema, who may do more than the service. */
  owner: Db
  http: Http
  /** The environment that `config` was read from. */
  settings: Record<string, string>
  config: Config
  clock: Clock
  log: Log
  security: SecurityLog
  limits: Record<'signIn' | 'key' | 'passwordReset', Limit>
  warnings: { event: LogEvent; fields: Record<string, unknown> }[]
  /** The number of statements that the service has run. */
  queryCount(): number
  sealer: Sealer
  /** Waits for the background work of answered requests. */
  backgroundDone(): Promise<void>
  /** The mails to an address, oldest first, decrypted. */
  mailsTo(email: string): Promise<(MailContent & { kind: string })[]>
  moveClock(seconds: number): Promise<void>
  /** Starts `work` while another transaction has made `change`, and commits that transaction once `work` waits for it (or has finished). */
  during<Result>(change: Sql, work: () => Promise<Result>): Promise<Result>
  call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    options?: { token?: string; key?: string; body?: unknown; headers?: Record<string, string>; ip?: string },
  ): Promise<Answer>
  register(changes?: Json): Promise<Person>
  signIn(person: Pick<Person, 'email' | 'password'>): Promise<Answer>
  /** The code of an authenticator app now, or this many steps later (or, below 0, earlier). */
  codeOf(secret: string, steps?: number): string
  /** Moves the clock to the start of the next step, so that a code is unused and stays current, and returns that code. */
  freshCode(secret: string): Promise<string>
  /** Enrols a second factor for a person in the session of `access`. */
  enroll(person: Pick<Person, 'access'>): Promise<{ secret: string; recoveryCodes: string[] }>
  /** The audit log entries of an object, oldest first. */
  auditOf(wireId: string): Promise<AuditRow[]>
}

function testSettings(databaseUrl: string): Record<string, string> {
  const key = () => `k${randomInt(1_000_000)}:${randomBytes(32).toString('base64url')}`
  const provider = { BASE_URL: 'http://127.0.0.1:9', API_KEY: 'x', WEBHOOK_SECRETS: 'x'.repeat(32) }
  const account = (name: string) => Object.entries(provider).map(([field, value]) => [`SNIPPE_${name}_${field}`, value])
  return {
    MALIPO_MODE: 'local',
    DATABASE_URL: databaseUrl,
    SERVER_SECRET: randomBytes(32).toString('base64url'),
    JWT_SIGNING_KEYS: `${key()},${key()}`,
    API_KEY_PEPPERS: `${key()},${key()}`,
    INTEGRITY_KEYS: key(),
    ENVELOPE_KEYS: key(),
    SECURITY_LOG_LINES_PER_MINUTE: '100000',
    ...Object.fromEntries([...account('TEST'), ...account('LIVE')]),
  }
}

/** `addRoutes` adds routes of a test to the real ones. */
export async function startPeopleApi(
  addRoutes: (http: Http, deps: IdentityDeps) => void = () => undefined,
): Promise<PeopleApi & { stop(): Promise<void> }> {
  const database = await createTestDatabase()
  const settings = testSettings(database.url)
  const config = loadConfig(settings, {})
  const dbOptions = {
    url: config.database.url,
    poolSize: 8,
    connectTimeoutMs: 5000,
    statementTimeoutMs: 15_000,
    applicationName: 'people-test',
    onError: () => {},
  }
  const owner = openDb(dbOptions)
  const service = openDb({
    ...dbOptions,
    role: 'malipo_service',
    recordMac: createRecordMac(config.keys.integrity),
    refusesPoolInsideTx: true,
  })
  let queries = 0
  const db: Db = {
    ...service,
    rows: (query) => {
      queries += 1
      return service.rows(query)
    },
  }
  let offsetMs = 0
  const clock: Clock = { now: () => Date.now() + offsetMs }
  const warnings: PeopleApi['warnings'] = []
  const log: Log = {
    debug() {},
    info() {},
    warn: (event, fields = {}) => void warnings.push({ event, fields }),
    error(event, error) {
      // A connection that ends with the test is no error of a test.
      if (!stopping) process.stderr.write(`${event}: ${error instanceof Error ? error.stack : String(error)}\n`)
    },
  }
  let stopping = false
  const security = createSecurityLog({ ...config.securityLog, log, clock })
  const http = await createHttp({
    log,
    security,
    trustedProxies: 0,
    dashboardOrigins: [],
    isPublicPath: () => false,
    swahiliOf: () => undefined,
    bodyLimitBytes: config.http.bodyLimitBytes,
    maxEventLoopDelayMs: 60_000,
    docUrl: 'http://127.0.0.1:3000/docs/errors',
    isDraining: () => false,
  })
  const sealer = createSealer(config.keys.envelope)
  const background = new Set<Promise<unknown>>()
  const inBackground = (work: Promise<unknown>): void => {
    background.add(work)
    void work.finally(() => background.delete(work)).catch(() => undefined)
  }
  const backgroundDone = async (): Promise<void> => {
    while (background.size > 0) await Promise.allSettled(background)
  }
  const limits = createLimits({ ...config.limits, hashKey: config.keys.limits, db, log })
  const shared = { db, log, clock, config, cursors: createCursors(config.keys.cursor), limits, sealer, inBackground }
  const deps = { ...shared, createSandbox: createSandbox.bind(null, shared), isInvited }
  resolveOwners(http)
  guardLargeBodies(http, shared)
  guardOperations(http, { ...shared, findKey: createKeyFinder(db) })
  await identityRoutes(http, deps)
  await appRoutes(http, deps)
  addRoutes(http, deps)

  const call: PeopleApi['call'] = async (method, url, { token, key, body, headers, ip } = {}) => {
    const response = await http.inject({
      method,
      ...(ip !== undefined && { remoteAddress: ip }),
      url,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
      payload: body as object,
    })
    return { status: response.statusCode, body: response.json<Json>(), headers: response.headers }
  }

  const moveClock: PeopleApi['moveClock'] = async (seconds) => {
    offsetMs += seconds * 1000
    await owner.script(
      `create or replace function clock_now() returns timestamptz language sql stable as
       $$ select now() + interval '${offsetMs} milliseconds' $$`,
    )
  }
  const codeOf: PeopleApi['codeOf'] = (secret, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() + steps * 30_000 })
  const freshCode: PeopleApi['freshCode'] = async (secret) => {
    // Slightly after its start: rounding must not place it just before.
    await moveClock(30.05 - ((clock.now() / 1000) % 30))
    return codeOf(secret)
  }

  return {
    db,
    findKey: createKeyFinder(db),
    owner,
    http,
    settings,
    config,
    clock,
    log,
    security,
    limits,
    warnings,
    queryCount: () => queries,
    call,
    sealer,
    backgroundDone,
    async mailsTo(email) {
      await backgroundDone()
      const mails = await owner.rows<{ id: string; kind: string; sealedContent: string }>(sql`
        select id, kind, sealed_content from mails where recipient = ${email} order by created_at, id`)
      return mails.map(({ id, kind, sealedContent }) => ({ kind, ...openContent(sealer, id, sealedContent) }))
    },
    moveClock,
    codeOf,
    freshCode,
    async enroll({ access }) {
      const begun = await call('POST', '/v1/auth/2fa/enroll', { token: access })
      assert.equal(begun.status, 200, JSON.stringify(begun.body))
      const { secret } = begun.body.data
      const confirmed = await call('POST', '/v1/auth/2fa/confirm', { token: access, body: { code: await freshCode(secret) } })
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
      return { secret, recoveryCodes: confirmed.body.data.recovery_codes }
    },
    signIn: ({ email, password }) => call('POST', '/v1/auth/login', { body: { identifier: email, password } }),
    async auditOf(wireId) {
      const entries = await listEntries(owner, { beforeSeq: null, object: wireId, actor: null, action: null, limit: 100 })
      return entries.reverse()
    },
    async during(change, work) {
      return owner
        .tx(async (tx) => {
          await tx.rows(change)
          let isThrough = false
          const result = work().finally(() => void (isThrough = true))
          const isWaiting = async () =>
            (
              await owner.rows(sql`
            select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
            ).length > 0
          while (!isThrough && !(await isWaiting()));
          return { result }
        })
        .then(({ result }) => result)
    },
    async register(changes = {}) {
      const person = {
        full_name: 'Asha Mwinyi',
        email: `asha.${randomBytes(6).toString('hex')}@udsm.ac.tz`,
        phone_number: `+2557${randomInt(12_000_000, 89_999_999)}`,
        password: 'correct horse battery',
        student_id: '2023-04-01234',
        institution: 'University of Dar es Salaam',
        ...changes,
      }
      const { status, body } = await call('POST', '/v1/auth/register', { body: person })
      assert.equal(status, 201, JSON.stringify(body))
      const { user, access_token, refresh_token } = body.data
      // The tests count only the apps and keys that they make themselves.
      const apps = sql`select id from apps where merchant_id = ${fromWire('usr', user.id)!}`
      await owner.rows(sql`delete from api_keys where app_id in (${apps})`)
      await owner.rows(sql`delete from apps where id in (${apps})`)
      return {
        id: user.id,
        email: user.email,
        phone: user.phone_number,
        password: person.password,
        access: access_token,
        refresh: refresh_token,
      }
    },
    async stop() {
      stopping = true
      await http.close()
      await backgroundDone()
      await Promise.all([service.close(), owner.close()])
      await database.drop()
    },
  }
}
