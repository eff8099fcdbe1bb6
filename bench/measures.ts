/**
 * The measured lines of the product, each a window of load that may run again and again. They reach the product through product.ts
 * only, so that they run in the tree of another commit too. floors.ts has the floor of each.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../server/platform/db/db.ts'
import type { Egress } from '../server/platform/outbound/egress.ts'
import type { Settled } from '../server/collect/payments/settle.sql.ts'
import { startChild, type Child } from './child.ts'
import { openHttpClient, runWindow, windowOf, type HttpClient, type Window } from './load.ts'
import { memberSettings, startApi } from './members.ts'
import {
  amount,
  environment,
  makeKey,
  makePages,
  makePending,
  providerReference,
  successOf,
  type BenchDatabase,
  type BenchPage,
  type Pending,
} from './postgres.ts'
import {
  applySettlements,
  createEgress,
  createLog,
  createMeters,
  createSealer,
  createSettle,
  freePorts,
  loadConfig,
  openNotifications,
  startDeliveries,
  toWire,
  waitingKey,
} from './product.ts'
import type { Scope } from './scope.ts'

/** `cpuMicros` and `logKb` are for one request or payment: processor time of the servers, and log that PostgreSQL wrote. */
export type Measured = Window & { cpuMicros?: number; logKb?: number }

/** `prepare` makes the work before the window begins. `warmUps` windows, one at least, come first and are not counted. */
export type Variant = { warmUps?: number; prepare?(): Promise<void>; run(): Promise<Measured> }

export type Lines<Name extends string> = Record<Name, Variant>

export const clients = 64
/**
 * HTTP connections on both sides: enough that neither waits for a client. Of 64, most go through the same batch, and api and
 * database run in turns.
 */
const connections = 256
/**
 * A freshly started server compiles its code for this long, at the cost of the measured work; the more work it does, the more it
 * compiles.
 */
const coldMs = 4_000
export const warmUpsOf = (windowMs: number): number => Math.ceil(coldMs / windowMs)

export const anyOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!

/** Work for a window, made before the window begins: as much as the speed of the last window needs, and a quarter more. */
export function supplyFor<Item>(windowMs: number, make: (count: number) => Promise<Item[]>) {
  let items: Item[] = []
  let next = 0
  let wanted = 1000
  return {
    async prepare() {
      items = items.slice(next)
      next = 0
      if (items.length < wanted) items.push(...(await make(wanted - items.length)))
    },
    take: (): Item | undefined => items[next++],
    saw<Seen extends Window>(window: Seen): Seen {
      wanted = Math.ceil((window.perSecond * windowMs * 1.25) / 1000)
      return window
    },
  }
}

/** Closed loops over work that was made before the window. */
export function over<Item>(
  loops: number,
  windowMs: number,
  make: (count: number) => Promise<Item[]>,
  apply: (item: Item) => Promise<void>,
): Variant {
  const supply = supplyFor(windowMs, make)
  return {
    prepare: supply.prepare,
    async run() {
      const next = () => {
        const item = supply.take()
        return item && apply(item)
      }
      return supply.saw(await runWindow(loops, windowMs, next))
    },
  }
}

function mustApply({ verdict }: Settled): void {
  if (verdict !== 'applied') throw new Error(`A settlement of the bench was ${verdict}.`)
}

/** Settlement by direct function calls, on one merchant and on many, and with the batching taken out. */
export function settleLines(db: Db, pages: BenchPage[], windowMs: number): Lines<'hot' | 'spread' | 'alone'> {
  const settle = createSettle({ db, log: createLog({ level: 'warn', role: 'bench' }) })
  const on = (some: BenchPage[], apply: (payment: Pending) => Promise<void>) =>
    over(clients, windowMs, (count) => makePending(db, some, count), apply)
  const inBatches = async (payment: Pending) => mustApply(await settle(successOf(payment)))
  const alone = async (payment: Pending) => {
    const [settled] = await applySettlements(db, [successOf(payment)], waitingKey(payment.id))
    mustApply(settled!)
  }
  return { hot: on(pages.slice(0, 1), inBatches), spread: on(pages, inBatches), alone: on(pages, alone) }
}

export type Request = { path: string; method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string }

/** A server with clients that send one request after the other on each connection. */
export type Side = { url: string; child: Child; clients: HttpClient[] }

export function openSide(scope: Scope, url: string, child: Child): Promise<Side> {
  const opening = Promise.all(Array.from({ length: connections }, () => openHttpClient(url)))
  return scope.use(
    opening.then((opened) => ({ url, child, clients: opened })),
    (side) => side.clients.forEach((client) => client.close()),
  )
}

const overloadedMs = 20
const overloadedTries = 500

/** An overloaded server refuses: the client tries again, and the time counts. */
export async function send(client: HttpClient, request: Request, wanted: number): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const { status, body } = await client.send(request.method, request.path, request.headers, request.body)
    if (status === wanted) return body
    if (status !== 503 || tries === overloadedTries)
      throw new Error(`${request.method} ${request.path} answered ${status} instead of ${wanted}: ${body}`)
    await sleep(overloadedMs)
  }
}

/** Adds the processor time of the servers for each request of the load. */
export async function withCpu(children: Child[], load: () => Promise<Window>): Promise<Measured> {
  const used = async () => (await Promise.all(children.map((child) => child.usage()))).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  const before = await used()
  const startedAt = performance.now()
  const window = await load()
  const requests = (window.perSecond * (performance.now() - startedAt)) / 1000
  return { ...window, cpuMicros: ((await used()) - before) * (1000 / requests) }
}

export const asking = (side: Side, windowMs: number, next: () => Request, wanted = 200): Variant => ({
  run: () =>
    withCpu([side.child], () => runWindow(connections, windowMs, (client) => send(side.clients[client]!, next(), wanted))),
})

export const json = { 'content-type': 'application/json' }

/** The payer's part of a checkout. */
export const newPayer = () => ({
  phone_number: '+255754123789',
  customer_name: 'Juma Hamisi',
  customer_email: 'juma@example.com',
  idempotency_key: randomBytes(16).toString('hex'),
})

export const checkoutOn = (slug: string): Request => ({
  method: 'POST',
  path: '/v1/payments/checkout',
  headers: json,
  body: JSON.stringify({ slug, ...newPayer() }),
})

/** A signed message of the provider that the money of a payment has arrived, with the provider's fee. */
export function webhookOf({ ours, theirs }: { ours: string; theirs: string }, secret: string): Request {
  const body = JSON.stringify({
    id: `evt_${randomBytes(12).toString('hex')}`,
    type: 'payment.completed',
    data: {
      reference: theirs,
      status: 'completed',
      amount: { value: amount, currency: 'TZS' },
      settlement: { fees: { value: 99, currency: 'TZS' } },
      channel: { type: 'mobile_money', provider: 'mpesa' },
      metadata: { malipo_payment: ours },
    },
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const headers = { ...json, 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature }
  return { method: 'POST', path: `/v1/providers/snippe/${environment}/webhook`, headers, body }
}

/** Merchants with forty lines in their wallets and an API key each. */
async function makeReaders(db: Db, pages: BenchPage[], pepper: string): Promise<(BenchPage & { key: string })[]> {
  const pending = await makePending(db, pages, pages.length * 40)
  while (pending.length > 0) await applySettlements(db, pending.splice(0, 200).map(successOf), '')
  return Promise.all(pages.map(async (page) => ({ ...page, key: await makeKey(db, page, pepper) })))
}

/** Every line over HTTP, with the real api in a separate process. */
export async function httpLines(
  scope: Scope,
  { url, db }: BenchDatabase,
  pages: BenchPage[],
  windowMs: number,
): Promise<Lines<'checkout' | 'status' | 'balance' | 'page' | 'webhook'>> {
  const settings = memberSettings(url)
  const api = await startApi(scope, settings)
  const side = await openSide(scope, api.url, api.child)
  const paths = (await makePending(db, pages, 5000)).map(({ id }) => `/v1/payments/${toWire('pay', id)}/status`)
  const readers = await makeReaders(db, pages.slice(0, 50), settings['API_KEY_PEPPERS']!)
  const byKey = (path: string) => (): Request => ({ method: 'GET', path, headers: { 'x-api-key': anyOf(readers).key } })

  const waiters = new Map<string, (atMs: number) => void>()
  const log = createLog({ level: 'warn', role: 'bench' })
  const notifications = await scope.use(openNotifications({ url, channels: ['payments_changed'], log }), (opened) =>
    opened.close(),
  )
  notifications.on('payments_changed', (keys) => {
    const now = performance.now()
    for (const key of keys.split(',')) waiters.get(key)?.(now)
  })
  const secret = settings['SNIPPE_LIVE_WEBHOOK_SECRETS']!
  const supply = supplyFor(windowMs, async (count) =>
    (await makePending(db, pages, count)).map(({ id, reference }) => ({
      key: waitingKey(id),
      request: webhookOf({ ours: toWire('pay', id), theirs: reference }, secret),
    })),
  )
  /** From the provider's message to the notification of the credit. */
  const credited = async (): Promise<Window> => {
    const latenciesMs: number[] = []
    const startedAt = performance.now()
    const credits: Promise<void>[] = []
    await runWindow(connections, windowMs, (client) => {
      const message = supply.take()
      if (!message) return undefined
      const sentAt = performance.now()
      credits.push(
        new Promise((resolve) => {
          waiters.set(message.key, (atMs) => {
            latenciesMs.push(atMs - sentAt)
            waiters.delete(message.key)
            resolve()
          })
        }),
      )
      return send(side.clients[client]!, message.request, 200)
    })
    const late = setTimeout(() => {
      throw new Error(`${waiters.size} payments were not credited within 20 s after their webhook.`)
    }, 20_000)
    await Promise.all(credits)
    clearTimeout(late)
    return supply.saw(windowOf(latenciesMs, performance.now() - startedAt))
  }
  return {
    checkout: { ...asking(side, windowMs, () => checkoutOn(anyOf(pages).slug), 201), warmUps: warmUpsOf(windowMs) },
    status: asking(side, windowMs, () => ({ method: 'GET', path: anyOf(paths) })),
    balance: asking(side, windowMs, byKey('/v1/balance')),
    page: asking(side, windowMs, byKey('/v1/transactions?limit=20')),
    webhook: { prepare: supply.prepare, run: () => withCpu([side.child], credited) },
  }
}

/** A receiver of webhooks that answers at once, in a separate process. */
export async function startReceiver(scope: Scope, databaseUrl: string): Promise<string> {
  const [port] = (await freePorts(1)) as [number]
  await startChild(scope, ['bare.ts'], { DATABASE_URL: databaseUrl, PORT: String(port) })
  return `http://127.0.0.1:${port}`
}

/**
 * Webhooks with recorded attempts. Each window opens new connections, as the floor does: kept connections of the other side would
 * expire and be closed inside it.
 */
export async function deliveryLines(
  scope: Scope,
  { url, db }: BenchDatabase,
  receiver: string,
  windowMs: number,
): Promise<Lines<'delivery'>> {
  const config = loadConfig(memberSettings(url, { PORT: '1', CHECKOUT_PORT: '2', STORAGE_PORT: '3' }), {})
  const sealer = createSealer(config.keys.envelope)
  const clock = { now: () => Date.now() }
  const log = createLog({ level: 'warn', role: 'bench' })
  const pages = await makePages(db, clients, { url: `${receiver}/hook`, sealer })
  let due = 0
  // The first round warms up, and must do so as thoroughly here as there.
  let wanted = Math.ceil(windowMs * 5)
  const delivery: Variant = {
    async prepare() {
      const pending = await makePending(db, pages, wanted)
      while (pending.length > 0) await applySettlements(db, pending.splice(0, 200).map(successOf), '')
      due = wanted
    },
    async run() {
      const tookMs: number[] = []
      const done = Promise.withResolvers<void>()
      const egress = createEgress({ clock, allowPrivate: true, ownUrls: [] })
      const post: Egress['post'] = async (to, request) => {
        const outcome = await egress.post(to, request)
        if (outcome.kind !== 'answered' || outcome.status !== 200)
          throw new Error(`The receiver of the bench was not reached: ${outcome.kind}`)
        if (tookMs.push(outcome.durationMs) === due) done.resolve()
        return outcome
      }
      const startedAt = performance.now()
      const deps = { db, log, clock, config, sealer, meters: createMeters(), egress: { ...egress, post }, random: Math.random }
      const sender = startDeliveries(deps)
      await done.promise
      // Stopping waits until everything is recorded.
      await sender.stop()
      const window = windowOf(tookMs, performance.now() - startedAt)
      await egress.close()
      wanted = Math.max(500, Math.ceil((window.perSecond * windowMs) / 1000))
      return window
    },
  }
  return { delivery }
}

/** The references of a payment: ours, and the provider's. */
export const referencesOf = (id: string) => ({ ours: toWire('pay', id), theirs: providerReference(id) })
