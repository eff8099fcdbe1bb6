/** Whole payments through real processes: checkout, a payer who waits, the provider's message, the credit, the merchant's webhook. */
import type { Db } from '../server/platform/db/db.ts'
import { startChild, type Child } from './child.ts'
import { openHttpClient, runWindow, type HttpClient } from './load.ts'
import { anyOf, checkoutOn, clients, referencesOf, send, warmUpsOf, webhookOf, withCpu, type Variant } from './measures.ts'
import { startMembers, type Shop } from './members.ts'
import { makeObvious } from './obvious.ts'
import { makePages, type BenchDatabase } from './postgres.ts'
import { freePorts, fromWire } from './product.ts'
import { percentile } from './ratios.ts'
import type { Scope } from './scope.ts'

const merchants = 100

/** When a payment's payer and its merchant were notified, after the provider's message was sent. */
export type Notified = { slug: string; payerMs: number; merchantMs: number }

export type Fleet = {
  processes: Child[]
  slugs: string[]
  lines: { pay: HttpClient; wait: HttpClient; report: HttpClient }[]
  shop: Shop
  providerSecret: string
  theirReference(ours: string): string
  owner: Db
}

/**
 * One payment from its checkout until both its payer and its merchant are notified; the payer waits at another api than the one
 * that receives the provider's message.
 */
export async function pay(
  { lines, shop, providerSecret, theirReference }: Fleet,
  client: number,
  slug: string,
): Promise<Notified> {
  const line = lines[client]!
  const made = await send(line.pay, checkoutOn(slug), 201)
  const { reference } = (JSON.parse(made) as { data: { reference: string } }).data
  const merchantReceives = shop.receives(reference)
  const payerReceives = send(line.wait, { method: 'GET', path: `/v1/payments/${reference}/status?wait=25` }, 200).then((body) => {
    const { status } = (JSON.parse(body) as { data: { status: string } }).data
    if (status !== 'completed') throw new Error(`A payer received ${status}.`)
    return performance.now()
  })
  const sentAt = performance.now()
  await send(line.report, webhookOf({ ours: reference, theirs: theirReference(reference) }, providerSecret), 200)
  const [payerAt, merchantAt] = await Promise.all([payerReceives, merchantReceives])
  return { slug, payerMs: payerAt - sentAt, merchantMs: merchantAt - sentAt }
}

function openLines(scope: Scope, urls: string[]): Promise<Fleet['lines']> {
  const opening = Array.from({ length: clients }, async (_, client) => {
    const [here, there] = [urls[client % urls.length]!, urls[(client + 1) % urls.length]!]
    return { pay: await openHttpClient(here), wait: await openHttpClient(there), report: await openHttpClient(here) }
  })
  return scope.use(Promise.all(opening), (lines) => lines.forEach((line) => Object.values(line).forEach((one) => one.close())))
}

/** Starts this many apis, and as many workers, on a database, with pages whose webhooks go to the shop. */
export async function startFleet(scope: Scope, { url, db, owner }: BenchDatabase, shop: Shop, each: number): Promise<Fleet> {
  const { apis, workers, providerSecret, sealer } = await startMembers(scope, url, each, each)
  const pages = await makePages(db, merchants, { url: shop.url, sealer })
  const lines = await openLines(
    scope,
    apis.map((api) => api.url),
  )
  return {
    processes: [...apis, ...workers].map(({ child }) => child),
    slugs: pages.map(({ slug }) => slug),
    lines,
    shop,
    providerSecret,
    theirReference: (ours) => referencesOf(fromWire('pay', ours)!).theirs,
    owner,
  }
}

/** The obvious service on an empty database. */
export async function startObvious(scope: Scope, url: string, owner: Db, shop: Shop): Promise<Fleet> {
  const slugs = await makeObvious(url, merchants, shop.url)
  const [port] = (await freePorts(1)) as [number]
  const providerSecret = 'the-secret-of-the-bench'
  const settings = { DATABASE_URL: url, PORT: String(port), PROVIDER_SECRET: providerSecret }
  const child = await startChild(scope, ['obvious.ts'], settings)
  const lines = await openLines(scope, [`http://127.0.0.1:${port}`])
  return { processes: [child], slugs, lines, shop, providerSecret, theirReference: (ours) => `SN${ours.slice(4)}`, owner }
}

/** Whole payments by 64 payers at once. */
export function wholeLine(fleet: Fleet, windowMs: number): Variant {
  const loggedBytes = async (): Promise<number> => {
    const { rows } = await fleet.owner.pool.query<{ bytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::double precision as bytes`,
    )
    return rows[0]!.bytes
  }
  return {
    warmUps: warmUpsOf(windowMs),
    async run() {
      const before = await loggedBytes()
      let paid = 0
      const load = () =>
        runWindow(clients, windowMs, async (client) => {
          await pay(fleet, client, anyOf(fleet.slugs))
          paid += 1
        })
      const window = await withCpu(fleet.processes, load)
      return { ...window, logKb: ((await loggedBytes()) - before) / 1000 / paid }
    },
  }
}

const quietPayments = 300

/** Payments one by one: a lost wake-up shows as a wait for the next poll. */
export async function missedWakeUps(fleet: Fleet): Promise<{ payers: number; merchants: number }> {
  const alone: Notified[] = []
  for (let count = 0; count < quietPayments; count += 1) alone.push(await pay(fleet, count % clients, anyOf(fleet.slugs)))
  // After a missed wake-up the next poll comes after 5 s (payers) or 2 s (workers): on average after half of that.
  return {
    payers: alone.filter(({ payerMs }) => payerMs > 1_500).length,
    merchants: alone.filter(({ merchantMs }) => merchantMs > 800).length,
  }
}

/** How long webhooks take when one merchant has nine tenths of all payments: its own, and those of the others. */
export async function fairnessOf(
  fleet: Fleet,
  windowMs: number,
): Promise<Record<'hot' | 'others', { p50Ms: number; p99Ms: number }>> {
  const crowded: Notified[] = []
  const [hot, ...others] = fleet.slugs as [string, ...string[]]
  await runWindow(clients, windowMs, async (client) => {
    crowded.push(await pay(fleet, client, client % 10 === 0 ? anyOf(others) : hot))
  })
  const waits = (isHot: boolean) => {
    const times = crowded.filter(({ slug }) => (slug === hot) === isHot).map(({ merchantMs }) => merchantMs)
    return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
  }
  return { hot: waits(true), others: waits(false) }
}
