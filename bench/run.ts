/**
 * `npm run bench`: the hot paths against floors of the same run, with the money checked at the end. Only the ratios mean something,
 * and only within one run: throughput of one path varies fourfold on a shared machine. No floor uses a table of the product (floor.ts,
 * obvious.ts), so a slower product has a lower ratio.
 *
 *   npm run bench                          about five minutes, and 4 GB in the temp folder: seven shuffled rounds
 *   npm run bench -- --quick               about a minute: three short rounds; exit 1 below half of a floor, or when money is wrong
 *   npm run bench -- --against <commit>    this commit and that one in turns (against.ts): 10 minutes; 3 with --quick
 *   --only settle|http|delivery|whole      one part, of either
 *   --rounds 15                            more rounds, for a narrower spread
 *   --json                                 the same figures as JSON, for storage
 *
 * A ratio is the median of the rounds' ratios; per second, p50 and p99 are medians of the windows. Settling runs in this process, on
 * both sides of its ratio. Each server is a separate process, and the generator is this one: with two cores they and PostgreSQL share
 * them, which favours neither side. The databases are durable and in the temp folder.
 */
import { readOptions } from '../scripts/read-options.ts'
import { verify, type Violation } from '../server/assurance/invariants/verify.ts'
import { compareCommits, type Effort } from './against.ts'
import type { Db } from '../server/platform/db/db.ts'
import { createFloor, openFloors, type Floor } from './floor.ts'
import { deliveryFloor, httpFloors, settleFloors } from './floors.ts'
import { deliveryLines, httpLines, settleLines, startReceiver, type Measured } from './measures.ts'
import { startShop } from './members.ts'
import { makePages, startBenchPostgres, type BenchDatabase, type BenchPostgres } from './postgres.ts'
import { describe, machineOf, middle, number, ratioOf, row, runRounds } from './rounds.ts'
import { runBench, within, type Scope } from './scope.ts'
import { fairnessOf, missedWakeUps, startFleet, startObvious, wholeLine } from './whole-payments.ts'

const { values: flags } = readOptions({
  options: {
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
    only: { type: 'string' },
    against: { type: 'string' },
    rounds: { type: 'string' },
  },
})

const efforts: Record<'quick' | 'full' | 'againstQuick' | 'against', Effort> = {
  quick: { rounds: 3, windowMs: 400, wholeMs: 800, merchants: 200, logFiles: 48 },
  full: { rounds: 7, windowMs: 600, wholeMs: 2000, merchants: 500, logFiles: 192 },
  againstQuick: { rounds: 7, windowMs: 200, wholeMs: 500, merchants: 100, logFiles: 32 },
  against: { rounds: 9, windowMs: 1000, wholeMs: 3000, merchants: 500, logFiles: 128 },
}

/**
 * Every floor and goal. A floor is what the product reached when the floor was set; `goal` is what it shall reach. `most` marks
 * figures that shall be small. `isGated`: the figure hardly depends on the machine, and `--quick` requires half of its floor.
 */
type Wanted = { name: string; floor: number; goal: number; most?: true; digits?: number; isGated?: true }
const wanted = {
  hot: { name: 'settle, one hot account ÷ bare tables', floor: 1.5, goal: 3, isGated: true },
  spread: { name: 'settle, spread accounts ÷ bare tables', floor: 1.1, goal: 3, isGated: true },
  checkout: { name: 'checkout ÷ bare node:http', floor: 0.8, goal: 2.5, isGated: true },
  status: { name: 'status ÷ bare node:http', floor: 1.2, goal: 1.8, isGated: true },
  balance: { name: 'balance by key ÷ bare node:http', floor: 0.5, goal: 0.9, isGated: true },
  page: { name: 'page of transactions by key ÷ bare', floor: 0.25, goal: 0.7, isGated: true },
  webhook: { name: 'provider webhook to credited ÷ bare', floor: 1, goal: 4.5, isGated: true },
  delivery: { name: 'delivery, recorded ÷ signed POST loop', floor: 0.33, goal: 0.8, isGated: true },
  whole: { name: 'whole payments ÷ the obvious service', floor: 0.7, goal: 2.5, isGated: true },
  twoCpu: { name: 'processor a payment, two of each ÷ one', floor: 1.75, goal: 1.15, most: true, isGated: true },
  logKb: { name: 'log written a payment, kB', floor: 13.3, goal: 7, most: true, digits: 1, isGated: true },
  cpuMs: { name: 'processor of api + worker a payment, ms', floor: 0.86, goal: 0.5, most: true },
  wholeP99: { name: 'p99 of a whole payment, 64 payers, ms', floor: 147, goal: 90, most: true, digits: 0 },
  hotPerSecond: { name: 'settle a second, hot', floor: 5800, goal: 8000, digits: 0 },
  spreadPerSecond: { name: 'settle a second, spread', floor: 4500, goal: 8000, digits: 0 },
  hotP99: { name: 'settle p99 at 64 at once, hot, ms', floor: 15, goal: 6, most: true, digits: 0 },
  spreadP99: { name: 'settle p99 at 64 at once, spread, ms', floor: 30, goal: 10, most: true, digits: 0 },
} satisfies Record<string, Wanted>
type Line = keyof typeof wanted

const effort = efforts[flags.against === undefined ? (flags.quick ? 'quick' : 'full') : flags.quick ? 'againstQuick' : 'against']
if (flags.rounds !== undefined) effort.rounds = Number(flags.rounds)
if (flags.only !== undefined) effort.only = flags.only
const { rounds, windowMs, wholeMs, merchants } = effort

const say = (text: string) => {
  if (!flags.json) console.log(text)
}
const startedAt = performance.now()
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0)

type Result = Record<'perSecond' | 'floorPerSecond' | 'p50Ms' | 'p99Ms' | 'cpuMicros' | 'floorCpuMicros', number> & {
  name: string
}
const results: Result[] = []
const values: Partial<Record<Line, number>> = {}

const widths = [36, 9, 9, 8, 8, 8, 10]

function show(name: string, windows: Measured[], floors: Measured[] = []): void {
  const result = {
    name,
    perSecond: middle(windows, 'perSecond'),
    floorPerSecond: middle(floors, 'perSecond'),
    p50Ms: middle(windows, 'p50Ms'),
    p99Ms: middle(windows, 'p99Ms'),
    cpuMicros: middle(windows, 'cpuMicros'),
    floorCpuMicros: middle(floors, 'cpuMicros'),
  }
  results.push(result)
  const digits = { perSecond: 0, floorPerSecond: 0, p50Ms: 1, p99Ms: 1, cpuMicros: 0, floorCpuMicros: 0 }
  const figures = Object.entries(digits) as [keyof typeof digits, number][]
  say(row(widths, [name, ...figures.map(([figure, count]) => number(result[figure], count))]))
}

/** What a section measures with: databases that are checked at the end, and those of the floors. */
type Bench = { scope: Scope; postgres: BenchPostgres; floors: BenchDatabase; floor: Floor; checked: Db[] }

async function measureSettling({ postgres: { db, owner }, floors, floor }: Bench): Promise<void> {
  const product = settleLines(db, await makePages(db, merchants), windowMs)
  const bare = settleFloors(floors.db, floor, windowMs)
  const { hot, spread, alone } = product
  const all = { hot, spread, alone, bareHot: bare.hot, bareSpread: bare.spread }
  const measured = await runRounds([owner, floors.owner], rounds, all)
  show('settle, one hot account', measured.hot, measured.bareHot)
  show('settle, spread accounts', measured.spread, measured.bareSpread)
  show('settle, spread, batching taken out', measured.alone, measured.bareSpread)
  values.hot = ratioOf(measured.hot, measured.bareHot)
  values.spread = ratioOf(measured.spread, measured.bareSpread)
  values.hotPerSecond = middle(measured.hot, 'perSecond')
  values.spreadPerSecond = middle(measured.spread, 'perSecond')
  values.hotP99 = middle(measured.hot, 'p99Ms')
  values.spreadP99 = middle(measured.spread, 'p99Ms')
}

async function measureHttp({ scope, postgres, floors, floor }: Bench): Promise<void> {
  const product = await httpLines(scope, postgres, await makePages(postgres.db, merchants), windowMs)
  const bare = await httpFloors(scope, floors, floor, windowMs)
  const names = {
    checkout: 'checkout',
    status: 'status',
    balance: 'balance',
    page: 'transactions page',
    webhook: 'provider webhook to credited row',
  }
  for (const [key, name] of Object.entries(names) as [keyof typeof names, string][]) {
    const owners = [postgres.owner, floors.owner]
    const { ours, theirs } = await runRounds(owners, rounds, { ours: product[key], theirs: bare[key] })
    show(name, ours, theirs)
    values[key] = ratioOf(ours, theirs)
  }
}

async function measureDelivery({ scope, postgres, floors, checked }: Bench): Promise<void> {
  const database = await postgres.another('deliveries')
  checked.push(database.owner)
  const receiver = await startReceiver(scope, floors.url)
  const product = await deliveryLines(scope, database, receiver, windowMs)
  const { ours, theirs } = await runRounds([database.owner], rounds, {
    ours: product.delivery,
    theirs: deliveryFloor(receiver, windowMs).delivery,
  })
  show('webhook delivery, recorded', ours, theirs)
  values.delivery = ratioOf(ours, theirs)
}

let missed: Awaited<ReturnType<typeof missedWakeUps>> = { payers: 0, merchants: 0 }
let fairness: Awaited<ReturnType<typeof fairnessOf>> | null = null

async function measureWhole({ scope, postgres, checked }: Bench): Promise<void> {
  const shop = await startShop(scope)
  const [oneOfEach, twoOfEach] = [await postgres.another('one'), await postgres.another('two')]
  checked.push(oneOfEach.owner, twoOfEach.owner)
  const fleets = {
    one: await startFleet(scope, oneOfEach, shop, 1),
    two: await startFleet(scope, twoOfEach, shop, 2),
    obvious: await startObvious(scope, await postgres.empty('obvious'), postgres.owner, shop),
  }
  const measured = await runRounds([oneOfEach.owner, twoOfEach.owner], rounds, {
    one: wholeLine(fleets.one, wholeMs),
    two: wholeLine(fleets.two, wholeMs),
    obvious: wholeLine(fleets.obvious, wholeMs),
  })
  show('whole payments, 1 api + 1 worker', measured.one, measured.obvious)
  show('whole payments, 2 apis + 2 workers', measured.two, measured.obvious)
  values.whole = ratioOf(measured.one, measured.obvious)
  values.twoCpu = ratioOf(measured.two, measured.one, 'cpuMicros')
  values.logKb = middle(measured.one, 'logKb')
  values.cpuMs = middle(measured.one, 'cpuMicros') / 1000
  values.wholeP99 = middle(measured.one, 'p99Ms')
  missed = await missedWakeUps(fleets.two)
  say(`300 payments one by one on two of each: wake-ups missed by payers ${missed.payers}, by workers ${missed.merchants}`)
  fairness = await fairnessOf(fleets.two, 2 * wholeMs)
  const { hot, others } = fairness
  say(
    `one merchant with nine tenths: its webhooks come after ${number(hot.p50Ms, 0)} ms (p99 ${number(hot.p99Ms, 0)}), those of the others after ${number(others.p50Ms, 0)} ms (p99 ${number(others.p99Ms, 0)})`,
  )
}

const sections: Record<string, (bench: Bench) => Promise<void>> = {
  settle: measureSettling,
  http: measureHttp,
  delivery: measureDelivery,
  whole: measureWhole,
}

/** A ratio below half of its floor, or a size above the double. */
const isTooLow = ([line, value]: [Line, number]): boolean => {
  const { floor, most, isGated }: Wanted = wanted[line]
  return isGated === true && (most ? value > floor * 2 : value < floor / 2)
}

async function measure(scope: Scope): Promise<void> {
  const postgres = await startBenchPostgres(scope, effort.logFiles)
  const machine = machineOf(postgres)
  say(describe(machine))
  say(
    `${rounds} rounds of ${windowMs} ms, whole payments ${wholeMs} ms; settling by 64 at once, its floors by 8, HTTP by 256; all share the cores`,
  )
  const floors = await openFloors(scope, postgres)
  const floor = await createFloor(floors.db, merchants)
  const checked = [postgres.owner]
  say(`\n${row(widths, ['', 'per s', 'floor/s', 'p50 ms', 'p99 ms', 'cpu µs', 'floor cpu'])}`)
  for (const [name, section] of Object.entries(sections)) {
    if (flags.only !== undefined && flags.only !== name) continue
    // Its servers are stopped before the next section begins.
    await within(scope, (inner) => section({ scope: inner, postgres, floors, floor, checked }))
  }
  const found = Object.entries(values) as [Line, number][]
  say(`\n${row([42, 9, 9, 9], ['floors and goals', 'now', 'floor', 'goal'])}`)
  for (const [line, value] of found) {
    const { name, floor: least, goal, digits = 2 }: Wanted = wanted[line]
    say(row([42, 9, 9, 9], [name, ...[value, least, goal].map((figure) => number(figure, digits))]))
  }
  const measuredSeconds = seconds()
  const violations: Violation[] = []
  for (const owner of checked) violations.push(...(await verify(owner)))
  const tooLow = found.filter(isTooLow)
  say(`\ninvariants of ${checked.length} databases: ${violations.length === 0 ? 'clean' : `${violations.length} VIOLATIONS`}`)
  for (const violation of violations) say(`  ${violation.invariant}: ${violation.what}`)
  for (const [line, value] of tooLow) say(`HALF OF ITS FLOOR IS MISSED: ${wanted[line].name}, ${value.toFixed(2)}`)
  say(`Done in ${seconds()} s: ${measuredSeconds} s to measure, the rest to check the money.`)
  if (flags.json) console.log(JSON.stringify({ machine, effort, wanted, results, values, missed, fairness, violations }, null, 2))
  const isWrong = violations.length > 0 || missed.payers + missed.merchants > 0
  if (isWrong || (flags.quick && tooLow.length > 0)) process.exitCode = 1
}

if (flags.only !== undefined && !Object.hasOwn(sections, flags.only)) {
  console.error(`--only ${flags.only}: use one of ${Object.keys(sections).join(', ')}.`)
  process.exit(2)
}
await runBench(async (scope) => {
  if (flags.against === undefined) return measure(scope)
  const worse = await compareCommits(scope, flags.against, effort, flags.json ?? false)
  say(`Done in ${seconds()} s.`)
  if (worse.length > 0) process.exitCode = 1
})
