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
import { verify } from '../server/invariants/verify.ts'
import { readOptions } from '../scripts/read-options.ts'
import { median, percentile, runWindow, shuffled, type Window } from './load.ts'
import { startShop } from './members.ts'
import { startBenchPostgres, type BenchPage } from './postgres.ts'
import { clients, pay, startFleet, stopFleet, type Fleet, type Notified } from './whole-payments.ts'

const { values: flags } = readOptions({
  options: { rounds: { type: 'string', default: '5' }, window: { type: 'string', default: '3000' }, json: { type: 'boolean' } },
})
const rounds = Number(flags.rounds)
const windowMs = Number(flags.window)
const quietPayments = 300

const any = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!

const say = (line: string) => {
  if (!flags.json) console.log(line)
}
const postgres = await startBenchPostgres()
const shop = await startShop()
const fleets: Fleet[] = []
process.once('SIGINT', () => void postgres.close().finally(() => process.exit(130)))

async function cpuMsOf({ members }: Fleet): Promise<number> {
  const used = await Promise.all([...members.apis, ...members.workers].map((member) => member.usage()))
  return used.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

try {
  say(
    `${availableParallelism()} cores, load before the start ${loadavg()[0]!.toFixed(1)}; ${clients} payers at once, ${rounds} rounds of ${windowMs} ms`,
  )
  const second = await postgres.another('second')
  const one = await startFleet(postgres.url, postgres.db, shop, 1)
  fleets.push(one)
  const two = await startFleet(second.url, second.db, shop, 2)
  fleets.push(two)
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
  const violations = [...(await verify(postgres.owner)), ...(await verify(second.owner))]
  say(`invariants of both: ${violations.length === 0 ? 'clean' : `${violations.length} VIOLATIONS`}`)
  for (const violation of violations) say(`  ${violation.invariant}: ${violation.what}`)
  if (flags.json) console.log(JSON.stringify({ measured, ratio, slowest, missed, fairness, violations }, null, 2))
  if (violations.length > 0 || missed.payers + missed.merchants > 0) process.exitCode = 1
} finally {
  await Promise.all(fleets.map(stopFleet))
  shop.stop()
  await postgres.close()
}
