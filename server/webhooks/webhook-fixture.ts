/**
 * The environment of the webhook tests: a separate database, the real routes, real receivers on loopback, and payments that complete with
 * the same SQL piece that settlement uses.
 */
import type { Environment } from '../domain/environment.ts'
import type { LogEvent } from '../domain/log-events.ts'
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createTestDatabase } from '../../test/databases.ts'
import { createKeyFinder } from '../developers/authenticate-key.ts'
import { resolveOwners } from '../developers/owner-auth.ts'
import { appRoutes } from '../developers/routes.ts'
import { loadConfig, type Config } from '../config.ts'
import { isInvited } from '../members/accept-invitation.ts'
import { createSandbox } from '../pages/create-sandbox.ts'
import { identityRoutes } from '../identity/routes.ts'
import type { Clock } from '../platform/clock.ts'
import { createRecordMac } from '../platform/crypto/record-mac.ts'
import { openDb, sql, type Db } from '../platform/db/db.ts'
import { createEgress, type Egress, type EgressOptions } from '../platform/outbound/egress.ts'
import { createHttp } from '../platform/http/http.ts'
import { createLimits } from '../platform/http/limits.ts'
import { fromWire, homeOfMerchant, newMoneyId } from '../platform/ids.ts'
import type { Log } from '../platform/process/log.ts'
import { createMeters } from '../platform/process/meters.ts'
import { createCursors } from '../platform/http/page.ts'
import { createSealer, type Sealer } from '../platform/crypto/secrets.ts'
import { startDeliveries, type Deliveries, type DeliveryDeps } from './deliver-webhooks.ts'
import { eventData, recordEvents } from './event.sql.ts'
import { webhookRoutes } from './routes.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

export type Answer = { status: number; body: Json; headers: Record<string, unknown> }
export type Person = { userId: string; token: string; pageIds: Map<Environment, string> }
export type ReceivedRequest = { headers: IncomingHttpHeaders; body: string; path: string; at: number }
export type Receiver = { url: string; port: number; requests: ReceivedRequest[] }
export type DeliveryRow = {
  id: string
  status: string
  trigger: string
  attempts: number
  postponements: number
  leasedBy: string | null
  secondsLeft: number | null
  leaseSecondsLeft: number | null
  endpointId: string
  eventId: string
}

export type WebhookApi = {
  config: Config
  /** The service's role. */
  db: Db
  /** The owner of the schema. */
  owner: Db
  sealer: Sealer
  egress: Egress
  logLines: string[]
  /** The names that the resolver knows. All other names do not exist. */
  names: Map<string, string[] | Error>
  call(
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    options?: { token?: string; key?: string; body?: unknown },
  ): Promise<Answer>
  person(): Promise<Person>
  createApp(person: Person, environment?: Environment): Promise<string>
  /** A key of an existing app, or of a new one. */
  key(person: Person, environment?: Environment, scopes?: string[], ofApp?: string): Promise<string>
  webhook(person: Person, url: string, environment?: Environment): Promise<{ appId: string; secret: string; id: string }>
  /** Completes payments, all in one statement. Returns the ids of their events without the wire prefix. */
  complete(person: Person, count?: number, environment?: Environment): Promise<string[]>
  receiver(answer?: (response: ServerResponse, request: ReceivedRequest, count: number) => void): Promise<Receiver>
  deliveries(): Promise<DeliveryRow[]>
  attempts(): Promise<
    { attempt: number; outcome: string; errorCode: string | null; responseStatus: number | null; deliveryId: string }[]
  >
  /** Makes every pending delivery due now. */
  makeDue(): Promise<void>
  moveClock(seconds: number): Promise<void>
  send(changes?: Partial<DeliveryDeps>): Deliveries
}

function testConfig(databaseUrl: string, settings: Record<string, string>): Config {
  const key = () => `k${randomInt(1_000_000)}:${randomBytes(32).toString('base64url')}`
  const account = (name: string) => ({
    [`SNIPPE_${name}_BASE_URL`]: 'http://127.0.0.1:9',
    [`SNIPPE_${name}_API_KEY`]: 'x',
    [`SNIPPE_${name}_WEBHOOK_SECRETS`]: 'x'.repeat(32),
  })
  return loadConfig(
    {
      MALIPO_MODE: 'local',
      DATABASE_URL: databaseUrl,
      SERVER_SECRET: randomBytes(32).toString('base64url'),
      JWT_SIGNING_KEYS: key(),
      API_KEY_PEPPERS: key(),
      INTEGRITY_KEYS: key(),
      ENVELOPE_KEYS: key(),
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      ...account('TEST'),
      ...account('LIVE'),
      ...settings,
    },
    {},
  )
}

export async function startWebhookApi(
  t: TestContext,
  options: { settings?: Record<string, string>; egress?: Partial<EgressOptions> } = {},
): Promise<WebhookApi> {
  const database = await createTestDatabase()
  const config = testConfig(database.url, options.settings ?? {})
  const open = (role?: string) =>
    openDb({
      ...config.database,
      role,
      recordMac: createRecordMac(config.keys.integrity),
      applicationName: 'webhook-test',
      refusesPoolInsideTx: role !== undefined,
      onError: () => undefined,
    })
  const [db, owner] = [open('malipo_service'), open()]
  const clock: Clock = { now: () => Date.now() }
  const logLines: string[] = []
  const line = (level: string) => (event: LogEvent, fields?: object) =>
    void logLines.push(JSON.stringify({ level, event, ...fields }))
  const log: Log = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: (event, error, fields) => line('error')(event, { ...fields, error: error instanceof Error ? error.message : error }),
  }
  const names = new Map<string, string[] | Error>()
  const resolver = async (hostname: string) => {
    const known = names.get(hostname) ?? Object.assign(new Error('unknown name'), { code: 'ENOTFOUND' })
    if (known instanceof Error) throw known
    return known
  }
  const egress = createEgress({ clock, allowPrivate: true, ownUrls: Object.values(config.urls), resolver, ...options.egress })
  const sealer = createSealer(config.keys.envelope)
  const deps = {
    db,
    findKey: createKeyFinder(db),
    log,
    meters: createMeters(),
    clock,
    config,
    sealer,
    egress,
    cursors: createCursors(config.keys.cursor),
    limits: createLimits({ ...config.limits, hashKey: config.keys.limits, db, log }),
    random: () => 0.5,
    inBackground: () => undefined,
  }
  const http = await createHttp({
    log,
    security: { note: () => undefined },
    trustedProxies: 0,
    dashboardOrigins: [],
    isPublicPath: () => false,
    swahiliOf: () => undefined,
    bodyLimitBytes: config.http.bodyLimitBytes,
    maxEventLoopDelayMs: 60_000,
    docUrl: 'http://127.0.0.1:3000/docs/errors',
    isDraining: () => false,
  })
  resolveOwners(http)
  await identityRoutes(http, { ...deps, createSandbox: createSandbox.bind(null, deps), isInvited })
  await appRoutes(http, deps)
  await webhookRoutes(http, deps)
  const senders: Deliveries[] = []
  const closers: (() => void)[] = []

  t.after(async () => {
    // A stop waits for a receiver that never answers, so its connections are closed first.
    for (const close of closers) close()
    await Promise.all(senders.map((sender) => sender.stop()))
    await http.close()
    await egress.close()
    await Promise.all([db.close(), owner.close()])
    await database.drop()
  })

  const app: WebhookApi = {
    config,
    db,
    owner,
    sealer,
    egress,
    logLines,
    names,

    async call(method, url, { token, key, body } = {}) {
      const response = await http.inject({
        method,
        url,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'x-api-key': key }),
        },
        payload: body as object,
      })
      return { status: response.statusCode, body: response.json<Json>(), headers: response.headers }
    },

    async person() {
      const id = randomBytes(5).toString('hex')
      const { status, body } = await app.call('POST', '/v1/auth/register', {
        body: {
          full_name: 'Asha Mwinyi',
          email: `${id}@udsm.ac.tz`,
          phone_number: `+2557${randomInt(54_000_000, 54_999_999)}`,
          password: 'correct horse battery',
          student_id: id,
          institution: 'University of Dar es Salaam',
        },
      })
      assert.equal(status, 201, JSON.stringify(body))
      return { userId: fromWire('usr', body.data.user.id)!, token: body.data.access_token, pageIds: new Map() }
    },

    async createApp({ token }, environment = 'test') {
      const { status, body } = await app.call('POST', '/developers/apps', { token, body: { name: 'Shop', environment } })
      assert.equal(status, 201, JSON.stringify(body))
      return body.data.id as string
    },

    async key(person, environment = 'test', scopes = ['transactions:read'], ofApp) {
      const { status, body } = await app.call('POST', '/developers/keys', {
        token: person.token,
        body: { app_id: ofApp ?? (await app.createApp(person, environment)), key_name: 'k', scopes },
      })
      assert.equal(status, 201, JSON.stringify(body))
      return body.data.key as string
    },

    async webhook(person, url, environment = 'test') {
      const appId = await app.createApp(person, environment)
      const { status, body } = await app.call('POST', `/developers/apps/${appId}/webhook`, {
        token: person.token,
        body: { url },
      })
      assert.equal(status, 201, JSON.stringify(body))
      return { appId, secret: body.data.secret as string, id: fromWire('wh', body.data.id)! }
    },

    async complete(person, count = 1, environment = 'test') {
      const home = homeOfMerchant(person.userId)
      let pageId = person.pageIds.get(environment)
      if (pageId === undefined) {
        pageId = newMoneyId(home)
        person.pageIds.set(environment, pageId)
        await owner.rows(sql`
          insert into payment_pages (home, id, merchant_id, environment, type, slug, title, amount)
          values (${home}, ${pageId}, ${person.userId}, ${environment}, 'payment', ${pageId.slice(0, 13)}, 'Chai', 1500)`)
      }
      const paymentIds = Array.from({ length: count }, () => newMoneyId(home))
      await owner.rows(sql`
        insert into payments (home, id, merchant_id, environment, page_id, status, amount, phone_number, customer_name, customer_email,
          idempotency_hash, request_hash, expires_at, completed_at, request_id)
        select ${home}, p.id, ${person.userId}, ${environment}, ${pageId}, 'completed', 1500, '+255754000789', 'Juma', 'juma@example.com',
          sha256(p.id::text::bytea), ''::bytea, clock_now(), clock_now(), 'test'
        from unnest(${paymentIds}::uuid[]) as p (id)`)
      const events = await db.rows<{ id: string }>(sql`
        with new_events as (
          select p.home, event_id(p.home, 'payment.completed', p.id) as id, 'payment.completed' as type, p.merchant_id, p.environment,
            p.id as payment_id, null::uuid as payout_id, 1 as occurrence,
            ${eventData(sql`
              select wire_id('pay', p.id) as reference, wire_id('page', p.page_id) as payment_page_id, p.amount, p.currency,
                wire_time(p.completed_at) as completed_at, p.short_code`)} as data
          from unnest(${paymentIds}::uuid[]) with ordinality as i (payment_id, place)
          join payments p on p.home = ${home} and p.id = i.payment_id
          order by i.place
        ),
        ${recordEvents}
        select n.id from new_events n`)
      return events.map(({ id }) => id)
    },

    async receiver(answer = (response) => response.end()) {
      const requests: ReceivedRequest[] = []
      const server = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const one = {
            headers: request.headers,
            body: Buffer.concat(chunks).toString(),
            path: request.url ?? '',
            at: Date.now(),
          }
          requests.push(one)
          answer(response, one, requests.length)
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closers.push(() => {
        server.closeAllConnections()
        server.close()
      })
      const { port } = server.address() as AddressInfo
      return { url: `http://127.0.0.1:${port}/hook`, port, requests }
    },

    deliveries: () =>
      owner.rows<DeliveryRow>(sql`
        select id, status, trigger, attempts, postponements, leased_by, endpoint_id, event_id,
          extract(epoch from next_attempt_at - clock_now())::double precision as seconds_left,
          extract(epoch from lease_until - clock_now())::double precision as lease_seconds_left
        from webhook_deliveries order by id`),

    attempts: () =>
      owner.rows(
        sql`select attempt, outcome, error_code, response_status, delivery_id from webhook_attempts order by attempted_at, id`,
      ),

    async makeDue() {
      await owner.rows(sql`
        update webhook_deliveries set next_attempt_at = clock_now() - interval '1 second' where status = 'pending' and leased_by is null`)
    },

    async moveClock(seconds) {
      await owner.script(
        `create or replace function clock_now() returns timestamptz language sql stable as
         $$ select now() + interval '${seconds} seconds' $$`,
      )
    },

    send(changes = {}) {
      const sender = startDeliveries({ ...deps, ...changes })
      senders.push(sender)
      return sender
    },
  }
  return app
}

/** Waits for a condition. Fails with `what` if it is not met in time. */
export async function until<Result>(
  what: string,
  look: () => Promise<Result | undefined | false> | Result | undefined | false,
  withinMs = 10_000,
): Promise<Result> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const result = await look()
    if (result) return result
    assert.ok(Date.now() < deadline, `This did not come true within ${withinMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
