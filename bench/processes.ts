/**
 * `npm run bench:processes`: one api and one worker against two of each, in turns, each fleet on its own database. A payment here
 * is the whole path: checkout at one api, its payer waiting at another one, the provider's message, the credit, the webhook at the
 * merchant.
 *
 *   npm run bench:processes                     about two minutes
 *   npm run bench:processes -- --rounds 2 --window 1000 --json
 *
 * Then, with two of each: whether every wake-up arrives at its waiter (payments one by one, so that a lost one would show as a wait
 * for the next poll), and whether merchants keep their pace beside one with nine tenths of all payments. Generator, four processes,
 * the shop and PostgreSQL share the cores of this machine: with two cores, more processes have no more cores to run on.
 */
import { availableParallelism, loadavg } from 'node:os'
import { fromWire } from '../server/platform/ids.ts'
import { verify } from '../server/invariants/verify.ts'
import { readOptions } from '../scripts/read-options.ts'
import { median, openHttpClient, percentile, runWindow, shuffled, type HttpClient, type Window } from './load.ts'
import { checkoutOn, webhookOf } from './measures.ts'
import { startMembers, startShop, type Members, type Shop } from './members.ts'
import { makePages, providerReference, startBenchPostgres, type BenchPage } from './postgres.ts'

const { values: flags } = readOptions({
  options: { rounds: { type: 'string', default: '5' }, window: { type: 'string', default: '3000' }, json: { type: 'boolean' } },
})
const rounds = Number(flags.rounds)
const windowMs = Number(flags.window)
const clients = 64
const quietPayments = 300
const merchants = 100

/** When a payment's payer and its merchant were notified, after the provider's message was sent. */
type Notified = { page: BenchPage; payerMs: number; merchantMs: number }

type Fleet = {
  members: Members
  pages: BenchPage[]
  lines: { pay: HttpClient; wait: HttpClient; report: HttpClient }[]
  shop: Shop
}

async function must(answer: Promise<{ status: number; body: string }>, wanted: number): Promise<string> {
  const { status, body } = await answer
  if (status !== wanted) throw new Error(`answered ${status} instead of ${wanted}: ${body}`)
  return body
}

/**
 * One payment from its checkout until both its payer and its merchant are notified; the payer waits at another api than the one
 * that receives the provider's message.
 */
async function pay({ members, lines, shop }: Fleet, client: number, page: BenchPage): Promise<Notified> {
  const line = lines[client]!
  const checkout = checkoutOn([page])
  const made = await must(line.pay.send(checkout.method, checkout.path, checkout.headers, checkout.body), 201)
  const { reference } = (JSON.parse(made) as { data: { reference: string } }).data
  const id = fromWire('pay', reference)!
  const merchantReceives = shop.receives(reference)
  const payerReceives = must(line.wait.send('GET', `/v1/payments/${reference}/status?wait=25`), 200).then((body) => {
    const { status } = (JSON.parse(body) as { data: { status: string } }).data
    if (status !== 'completed') throw new Error(`A payer received ${status}.`)
    return performance.now()
  })
  const message = webhookOf({ ...page, id, reference: providerReference(id) }, members.providerSecret)
  const sentAt = performance.now()
  await must(line.report.send(message.method, message.path, message.headers, message.body), 200)
  const [payerAt, merchantAt] = await Promise.all([payerReceives, merchantReceives])
  return { page, payerMs: payerAt - sentAt, merchantMs: merchantAt - sentAt }
}

const any = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!

const say = (line: string) => {
  if (!flags.json) console.log(line)
}
const postgres = await startBenchPostgres()
const shop = await startShop()
const fleets: Fleet[] = []
process.once('SIGINT', () => void postgres.close().finally(() => process.exit(130)))

async function startFleet(databaseUrl: string, db: typeof postgres.db, each: number): Promise<Fleet> {
  const members = await startMembers(databaseUrl, each, each)
  const pages = await makePages(db, merchants, { url: shop.url, sealer: members.sealer })
  const lines = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const [here, there] = [members.apis[client % each]!, members.apis[(client + 1) % each]!]
      return {
        pay: await openHttpClient(here.url),
        wait: await openHttpClient(there.url),
        report: await openHttpClient(here.url),
      }
    }),
  )
  const fleet = { members, pages, lines, shop }
  fleets.push(fleet)
  return fleet
}

async function cpuMsOf({ members }: Fleet): Promise<number> {
  const used = await Promise.all([...members.apis, ...members.workers].map((member) => member.usage()))
  return used.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

try {
  say(
    `${availableParallelism()} cores, load before the start ${loadavg()[0]!.toFixed(1)}; ${clients} payers at once, ${rounds} rounds of ${windowMs} ms`,
  )
  const second = await postgres.another('second')
  const one = await startFleet(postgres.url, postgres.db, 1)
  const two = await startFleet(second.url, second.db, 2)
  const measured = { one: [] as (Window & { cpuMs: number })[], two: [] as (Window & { cpuMs: number })[] }
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, fleet] of shuffled([
      ['one', one],
      ['two', two],
    ] as const)) {
      const before = await cpuMsOf(fleet)
      const window = await runWindow(clients, windowMs, (client) => pay(fleet, client, any(fleet.pages)))
      const paid = (window.perSecond * windowMs) / 1000
      // The first round only warms up.
      if (round >= 0) measured[name].push({ ...window, cpuMs: ((await cpuMsOf(fleet)) - before) / paid })
    }
  }
  const middle = (windows: (Window & { cpuMs: number })[], figure: keyof Window | 'cpuMs') =>
    median(windows.map((window) => window[figure]))
  const ratio = median(measured.two.map((window, round) => window.perSecond / measured.one[round]!.perSecond))
  for (const [name, windows] of [
    ['1 api + 1 worker', measured.one],
    ['2 apis + 2 workers', measured.two],
  ] as const) {
    say(
      `${name.padEnd(20)}${middle(windows, 'perSecond').toFixed(0).padStart(6)} payments/s   p50 ${middle(windows, 'p50Ms').toFixed(0)} ms   p99 ${middle(windows, 'p99Ms').toFixed(0)} ms   ${middle(windows, 'cpuMs').toFixed(2)} ms of processor for a payment`,
    )
  }
  say(`ratio ${ratio.toFixed(2)}`)

  const alone: Notified[] = []
  for (let count = 0; count < quietPayments; count += 1) alone.push(await pay(two, count % clients, any(two.pages)))
  const slowest = {
    payerMs: Math.max(...alone.map(({ payerMs }) => payerMs)),
    merchantMs: Math.max(...alone.map(({ merchantMs }) => merchantMs)),
  }
  // After a missed wake-up the next poll comes after 5 s (payers) or 2 s (workers): on average after half of that.
  const missed = {
    payers: alone.filter(({ payerMs }) => payerMs > 1_500).length,
    merchants: alone.filter(({ merchantMs }) => merchantMs > 800).length,
  }
  say(
    `${quietPayments} payments one by one: payers are notified after ${median(alone.map(({ payerMs }) => payerMs)).toFixed(0)} ms, at most ${slowest.payerMs.toFixed(0)}; merchants after ${median(alone.map(({ merchantMs }) => merchantMs)).toFixed(0)}, at most ${slowest.merchantMs.toFixed(0)}; wake-ups missed: ${missed.payers} and ${missed.merchants}`,
  )

  const crowded: Notified[] = []
  const [hot, ...others] = two.pages as [BenchPage, ...BenchPage[]]
  await runWindow(clients, 2 * windowMs, async (client) => {
    crowded.push(await pay(two, client, client % 10 === 0 ? any(others) : hot))
  })
  const waits = (isHot: boolean, share: number) =>
    percentile(
      crowded.filter(({ page }) => (page === hot) === isHot).map(({ merchantMs }) => merchantMs),
      share,
    )
  const fairness = {
    hotP50Ms: waits(true, 0.5),
    hotP99Ms: waits(true, 0.99),
    othersP50Ms: waits(false, 0.5),
    othersP99Ms: waits(false, 0.99),
  }
  say(
    `one merchant with nine tenths: its webhooks come after ${fairness.hotP50Ms.toFixed(0)} ms (p99 ${fairness.hotP99Ms.toFixed(0)}), those of the others after ${fairness.othersP50Ms.toFixed(0)} ms (p99 ${fairness.othersP99Ms.toFixed(0)})`,
  )
  for (const { lines } of fleets) for (const line of lines) for (const connection of Object.values(line)) connection.close()
  const violations = [...(await verify(postgres.owner)), ...(await verify(second.owner))]
  say(`invariants of both: ${violations.length === 0 ? 'clean' : `${violations.length} VIOLATIONS`}`)
  for (const violation of violations) say(`  ${violation.invariant}: ${violation.what}`)
  if (flags.json) console.log(JSON.stringify({ measured, ratio, slowest, missed, fairness, violations }, null, 2))
  if (violations.length > 0 || missed.payers + missed.merchants > 0) process.exitCode = 1
} finally {
  await Promise.all(fleets.map(({ members }) => members.stop()))
  shop.stop()
  await postgres.close()
}
