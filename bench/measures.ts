/** Measures each product path beside its floor in the same rounds, then checks that the money is still right. */
import { fork, type ChildProcess } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Agent } from 'undici'
import { loadConfig } from '../server/config.ts'
import { createSettle, waitingKey } from '../server/payments/settle.ts'
import { applySettlements, type Settled } from '../server/payments/settle.sql.ts'
import type { Db } from '../server/platform/db/db.ts'
import { createEgress, type Egress } from '../server/platform/outbound/egress.ts'
import { toWire } from '../server/platform/ids.ts'
import { createLog } from '../server/platform/process/log.ts'
import { servingLogin, withLogin } from '../server/platform/db/logins.sql.ts'
import { createMeters } from '../server/platform/process/meters.ts'
import { openNotifications } from '../server/platform/db/notifications.ts'
import { createSealer } from '../server/platform/crypto/secrets.ts'
import { startDeliveries } from '../server/webhooks/deliver-webhooks.ts'
import { newSecret } from '../server/webhooks/endpoint.ts'
import { signatureHeaders, signingKeyOf, unsignedHeaders } from '../server/webhooks/signature.ts'
import { freePorts, testSettings } from '../test/app.ts'
import type { Floor, FloorPayment } from './floor.ts'
import { median, openHttpClient, runWindow, shuffled, windowOf, type HttpClient, type Window } from './load.ts'
import {
  amount,
  environment,
  makeKey,
  makePages,
  makePending,
  successOf,
  type BenchPage,
  type BenchPostgres,
  type Pending,
} from './postgres.ts'

export type Effort = { rounds: number; windowMs: number; merchants: number }

export type Result = {
  name: string
  perSecond: number
  floorPerSecond: number
  ratio: number
  p50Ms: number
  p99Ms: number
  /** Processor time of the server process for one request, ours and the floor's; only where there is a server process. */
  cpuMicros: number | null
  floorCpuMicros: number | null
}

const clients = 64
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
const floorClients = 8

type Measured = Window & { cpuMicros?: number }
type Variant = { prepare?(): Promise<void>; run(): Promise<Measured> }

/**
 * Each round runs every variant once, in random order, so that a busy second of the machine affects no side more than the other.
 * `warmUps` rounds come first and are not counted.
 */
async function runRounds<Name extends string>(
  owner: Db,
  rounds: number,
  variants: Record<Name, Variant>,
  warmUps = 1,
): Promise<Record<Name, Measured[]>> {
  const entries = Object.entries(variants) as [Name, Variant][]
  const measured = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<Name, Measured[]>
  for (let round = -warmUps; round < rounds; round += 1) {
    // A database in use has statistics; this one would otherwise collect its first ones inside some window.
    if (round === 0) await owner.script('vacuum analyze')
    for (const [name, variant] of shuffled(entries)) {
      await variant.prepare?.()
      const window = await variant.run()
      if (round >= 0) measured[name].push(window)
    }
  }
  return measured
}

function compare(name: string, product: Measured[], floor: Measured[]): Result {
  const middle = (windows: Measured[], figure: (window: Measured) => number | undefined) =>
    median(windows.map((window) => figure(window) ?? Number.NaN))
  const cpu = (windows: Measured[]) =>
    windows[0]?.cpuMicros === undefined ? null : middle(windows, (window) => window.cpuMicros)
  return {
    name,
    perSecond: middle(product, (window) => window.perSecond),
    floorPerSecond: middle(floor, (window) => window.perSecond),
    ratio: median(product.map((window, round) => window.perSecond / floor[round]!.perSecond)),
    p50Ms: middle(product, (window) => window.p50Ms),
    p99Ms: middle(product, (window) => window.p99Ms),
    cpuMicros: cpu(product),
    floorCpuMicros: cpu(floor),
  }
}

/** Work for a window, made before the window begins: as much as the speed of the last window needs, plus half as much again. */
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
      wanted = Math.ceil((window.perSecond * windowMs * 1.5) / 1000)
      return window
    },
  }
}

export function mustApply({ verdict }: Settled): void {
  if (verdict !== 'applied') throw new Error(`A settlement of the bench was ${verdict}.`)
}

/** Settlement by direct function calls, on one merchant and on many, with batching and without. */
export async function measureSettle(
  postgres: BenchPostgres,
  floor: Floor,
  { rounds, windowMs, merchants }: Effort,
): Promise<Result[]> {
  const { db, owner } = postgres
  const settle = createSettle({ db, log: createLog({ level: 'warn', role: 'bench' }) })
  const settleAlone = async (payment: Pending) => {
    const [settled] = await applySettlements(db, [successOf(payment)], waitingKey(payment.id))
    mustApply(settled!)
  }
  const pages = await makePages(db, merchants)

  /** Closed loops over work that was made before the window. */
  const over = <Item>(loops: number, make: (count: number) => Promise<Item[]>, apply: (item: Item) => Promise<void>): Variant => {
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
  const pendingOn = (on: BenchPage[]) => (count: number) => makePending(db, on, count)
  const product = (on: BenchPage[], apply: (payment: Pending) => Promise<void>) => over(clients, pendingOn(on), apply)
  const same = (on: BenchPage[]) => over(floorClients, pendingOn(on), floor.settleSame)
  const bare = (wallets: string[]) => over<FloorPayment>(floorClients, (count) => floor.makePending(wallets, count), floor.settle)
  const inBatches = async (payment: Pending) => mustApply(await settle(successOf(payment)))
  const measured = await runRounds(owner, rounds, {
    hot: product(pages.slice(0, 1), inBatches),
    spread: product(pages, inBatches),
    alone: product(pages, settleAlone),
    hotFloor: same(pages.slice(0, 1)),
    spreadFloor: same(pages),
    bareHotFloor: bare(floor.wallets.slice(0, 1)),
    bareSpreadFloor: bare(floor.wallets),
  })
  return [
    compare('settle, one hot account', measured.hot, measured.hotFloor),
    compare('settle, spread accounts', measured.spread, measured.spreadFloor),
    compare('settle, spread, batching taken out', measured.alone, measured.spreadFloor),
    compare('settle hot ÷ bare tables', measured.hot, measured.bareHotFloor),
    compare('settle spread ÷ bare tables', measured.spread, measured.bareSpreadFloor),
  ]
}

/** Merchants with forty lines in their wallets and an API key each. */
async function makeReaders(db: Db, pages: BenchPage[], pepper: string): Promise<(BenchPage & { key: string })[]> {
  const pending = await makePending(db, pages, pages.length * 40)
  while (pending.length > 0) await applySettlements(db, pending.splice(0, 200).map(successOf), '')
  return Promise.all(pages.map(async (page) => ({ ...page, key: await makeKey(db, page, pepper) })))
}

type Server = { url: string; cpuMs(): Promise<number>; stop(): Promise<void> }

async function startServer(kind: 'product' | 'bare', settings: Record<string, string>): Promise<Server> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), [kind], {
    env: { PATH: process.env['PATH'], ...settings },
    serialization: 'advanced',
  })
  const nextMessage = <Message>() =>
    new Promise<Message>((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`The ${kind} server ended with ${code}.`))
      child.once('exit', ended)
      child.once('message', (message) => {
        child.off('exit', ended)
        resolve(message as Message)
      })
    })
  await nextMessage()
  return {
    url: `http://127.0.0.1:${settings['PORT']}`,
    async cpuMs() {
      const answer = nextMessage<{ cpuMs: number }>()
      child.send('cpu')
      return (await answer).cpuMs
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await exited
    },
  }
}

type Side = { server: Server; clients: HttpClient[] }

async function sideOf(server: Server): Promise<Side> {
  return { server, clients: await Promise.all(Array.from({ length: connections }, () => openHttpClient(server.url))) }
}

/** The settings of the real api; it needs its own port and no provider. */
async function productSettings(url: string): Promise<Record<string, string>> {
  const [api, checkout, storage] = (await freePorts(3)) as [number, number, number]
  return {
    ...testSettings(withLogin(url, servingLogin), { api, checkout, storage }, 'http://127.0.0.1:9'),
    LOG_LEVEL: 'warn',
    // The generator is one client.
    RATE_LIMITS: 'off',
  }
}

/** Starts the real api on a database, with clients that request one path after the other on each connection. */
export async function startAsking(
  url: string,
): Promise<{ load(durationMs: number, next: () => string): Promise<Window>; close(): Promise<void> }> {
  const settings = await productSettings(url)
  const server = await startServer('product', settings)
  const side = await sideOf(server)
  return {
    load: (durationMs, next) =>
      runWindow(connections, durationMs, (client) => send(side.clients[client]!, { method: 'GET', path: next() }, 200)),
    async close() {
      for (const client of side.clients) client.close()
      await server.stop()
    },
  }
}

type Request = { path: string; method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string }

async function send(client: HttpClient, request: Request, wanted: number): Promise<void> {
  const { status, body } = await client.send(request.method, request.path, request.headers, request.body)
  if (status !== wanted) throw new Error(`${request.method} ${request.path} answered ${status}: ${body}`)
}

async function withCpu(side: Side, load: () => Promise<Window>): Promise<Measured> {
  const before = await side.server.cpuMs()
  const startedAt = performance.now()
  const window = await load()
  const elapsedMs = performance.now() - startedAt
  const requests = (window.perSecond * elapsedMs) / 1000
  return { ...window, cpuMicros: ((await side.server.cpuMs()) - before) * (1000 / requests) }
}

const json = { 'content-type': 'application/json' }

const anyOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!

export function checkoutOn(pages: BenchPage[]): Request {
  const body = {
    slug: anyOf(pages).slug,
    phone_number: '+255754123789',
    customer_name: 'Juma Hamisi',
    customer_email: 'juma@example.com',
    idempotency_key: randomBytes(16).toString('hex'),
  }
  return { method: 'POST', path: '/v1/payments/checkout', headers: json, body: JSON.stringify(body) }
}

/** The same for the bare server: the request says what to store, so that the server need not look up the page. */
function bareCheckoutOn(pages: BenchPage[]): Request {
  const { home, merchantId, pageId } = anyOf(pages)
  const body = {
    page: { home, merchantId, pageId },
    phone_number: '+255754123789',
    customer_name: 'Juma Hamisi',
    customer_email: 'juma@example.com',
    idempotency_key: randomBytes(16).toString('hex'),
  }
  return { method: 'POST', path: '/checkout', headers: json, body: JSON.stringify(body) }
}

/** A signed message of the provider that the money of a payment has arrived, with the provider's fee. */
export function webhookOf(payment: Pending, secret: string): Request {
  const body = JSON.stringify({
    id: `evt_${randomBytes(12).toString('hex')}`,
    type: 'payment.completed',
    data: {
      reference: payment.reference,
      status: 'completed',
      amount: { value: amount, currency: 'TZS' },
      settlement: { fees: { value: 99, currency: 'TZS' } },
      channel: { type: 'mobile_money', provider: 'mpesa' },
      metadata: { malipo_payment: toWire('pay', payment.id) },
    },
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const headers = { ...json, 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature }
  return { method: 'POST', path: `/v1/providers/snippe/${environment}/webhook`, headers, body }
}

/** Checkout, status and the provider's webhook over HTTP; each server is a separate process. */
export async function measureHttp(postgres: BenchPostgres, effort: Effort, settleFloorPerSecond: number): Promise<Result[]> {
  const { db, owner } = postgres
  const { rounds, windowMs } = effort
  const settings = await productSettings(postgres.url)
  const [barePort] = await freePorts(1)
  const servers = await Promise.all([
    startServer('product', settings),
    startServer('bare', { DATABASE_URL: postgres.url, PORT: String(barePort) }),
  ])
  const notifications = await openNotifications({
    url: postgres.url,
    channels: ['payments_changed'],
    log: createLog({ level: 'warn', role: 'bench' }),
  })
  try {
    const [product, bare] = await Promise.all([sideOf(servers[0]), sideOf(servers[1])])
    const pages = await makePages(db, effort.merchants)

    /** One request after the other on each connection. */
    const asking = (side: Side, next: () => Request, wanted = 200): Variant => ({
      run: () => withCpu(side, () => runWindow(connections, windowMs, (client) => send(side.clients[client]!, next(), wanted))),
    })
    const checkingOut = {
      product: asking(product, () => checkoutOn(pages), 201),
      bare: asking(bare, () => bareCheckoutOn(pages), 201),
    }
    const checkedOut = await runRounds(owner, rounds, checkingOut, Math.ceil(coldMs / windowMs))

    const paths = (await makePending(db, pages, 5000)).map(({ id }) => `/v1/payments/${toWire('pay', id)}/status`)
    const status = (): Request => ({ method: 'GET', path: anyOf(paths) })
    const read = await runRounds(owner, rounds, { product: asking(product, status), bare: asking(bare, status) })

    const readers = await makeReaders(db, pages.slice(0, 50), settings['API_KEY_PEPPERS']!)
    const byKey = (path: string) => (): Request => ({ method: 'GET', path, headers: { 'x-api-key': anyOf(readers).key } })
    const bareOf = (face: string) => (): Request => {
      const { home, merchantId } = anyOf(readers)
      return { method: 'GET', path: `/${face}/${home}/${merchantId}` }
    }
    const balance = await runRounds(owner, rounds, {
      product: asking(product, byKey('/v1/balance')),
      bare: asking(bare, bareOf('balance')),
    })
    const lines = await runRounds(owner, rounds, {
      product: asking(product, byKey('/v1/transactions?limit=20')),
      bare: asking(bare, bareOf('lines')),
    })

    const waiters = new Map<string, (atMs: number) => void>()
    notifications.on('payments_changed', (keys) => {
      const now = performance.now()
      for (const key of keys.split(',')) waiters.get(key)?.(now)
    })
    const secret = settings['SNIPPE_LIVE_WEBHOOK_SECRETS']!
    const supply = supplyFor(windowMs, async (count) =>
      (await makePending(db, pages, count)).map((payment) => ({
        key: waitingKey(payment.id),
        request: webhookOf(payment, secret),
      })),
    )
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
        return send(product.clients[client]!, message.request, 200)
      })
      const late = setTimeout(() => {
        throw new Error(`${waiters.size} payments were not credited within 20 s after their webhook.`)
      }, 20_000)
      await Promise.all(credits)
      clearTimeout(late)
      return supply.saw(windowOf(latenciesMs, performance.now() - startedAt))
    }
    const { webhook } = await runRounds(owner, rounds, {
      webhook: { prepare: supply.prepare, run: () => withCpu(product, credited) },
    })
    const settleFloor = webhook.map(() => ({ perSecond: settleFloorPerSecond, p50Ms: Number.NaN, p99Ms: Number.NaN }))

    for (const side of [product, bare]) for (const client of side.clients) client.close()
    return [
      compare('checkout over HTTP', checkedOut.product, checkedOut.bare),
      compare('status over HTTP', read.product, read.bare),
      compare('balance over HTTP', balance.product, balance.bare),
      compare('transactions page over HTTP', lines.product, lines.bare),
      compare('provider webhook to credited row', webhook, settleFloor),
    ]
  } finally {
    await notifications.close()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/**
 * Webhooks with recorded attempts, beside a loop that signs and posts the same and records nothing. Each window opens new
 * connections on either side: kept connections of the other side would expire and be closed inside it.
 */
export async function measureDeliveries(postgres: BenchPostgres, { rounds, windowMs }: Effort): Promise<Result> {
  const { url, db, owner } = await postgres.another('deliveries')
  const [api, checkout, storage, receiverPort] = (await freePorts(4)) as [number, number, number, number]
  const config = loadConfig(testSettings(url, { api, checkout, storage }, 'http://127.0.0.1:9'), {})
  const receiver = await startServer('bare', { DATABASE_URL: url, PORT: String(receiverPort) })
  const hook = `${receiver.url}/hook`
  const sealer = createSealer(config.keys.envelope)
  const clock = { now: () => Date.now() }
  const log = createLog({ level: 'warn', role: 'bench' })
  const { concurrency } = config.webhooks.lanes[environment]
  try {
    const pages = await makePages(db, 64, { url: hook, sealer })
    let due = 0
    // The first round warms up, and must do so as thoroughly here as there.
    let wanted = Math.ceil(windowMs * 5)
    const recorded: Variant = {
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
    const key = signingKeyOf(newSecret())
    const unrecorded: Variant = {
      async run() {
        const plain = new Agent()
        const window = await runWindow(concurrency, windowMs, async () => {
          const eventId = `evt_${randomBytes(13).toString('hex')}`
          const body = JSON.stringify({
            id: eventId,
            type: 'payment.completed',
            data: { amount, currency: 'TZS', note: 'x'.repeat(200) },
          })
          const content = {
            eventId,
            eventType: 'payment.completed',
            timestampSeconds: Math.floor(Date.now() / 1000),
            body,
            key,
          } as const
          const headers = { ...unsignedHeaders(content), ...signatureHeaders(content) }
          const answer = await plain.request({ origin: receiver.url, path: '/hook', method: 'POST', headers, body })
          await answer.body.dump()
          if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}.`)
        })
        await plain.close()
        return window
      },
    }
    const measured = await runRounds(owner, rounds, { recorded, unrecorded })
    return compare('webhook delivery, recorded', measured.recorded, measured.unrecorded)
  } finally {
    await receiver.stop()
  }
}
