/**
 * `npm run bench`: the hot paths against floors of the same run, with the money checked after each load. Only the ratios mean
 * something, and only within one run: throughput of one path varies fourfold on a shared machine.
 *
 *   npm run bench              under four minutes, and 4 GB in the temp folder: seven shuffled rounds
 *   npm run bench -- --quick   about a minute: three short rounds; exit 1 below half of a floor, or when an invariant is broken
 *   npm run bench -- --json    the same figures as JSON, for storage
 *   npm run bench -- --only settle|http  one half; the ratio of the webhook needs both
 *
 * A ratio is the median of the rounds' ratios; per second, p50 and p99 are medians of the windows. Settling runs in this process,
 * on both sides of its ratio. Over HTTP each server is a separate process, and the generator is this one: with two cores they, the
 * generator and PostgreSQL still share them, which favours neither side. The database is durable and is in the temp folder.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { verify, type Violation } from '../server/invariants/verify.ts'
import { readOptions } from '../scripts/read-options.ts'
import { createFloor } from './floor.ts'
import { measureDeliveries, measureHttp, measureSettle, type Effort, type Result } from './measures.ts'
import { startBenchPostgres } from './postgres.ts'

const { values: flags } = readOptions({
  options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, only: { type: 'string' } },
})

const effort: Effort = flags.quick ? { rounds: 3, windowMs: 400, merchants: 200 } : { rounds: 7, windowMs: 1000, merchants: 500 }

/** The wanted ratios; below half of `floor` something is wrong. */
const ratios: Record<string, { floor: number; goal: number }> = {
  'settle, one hot account': { floor: 5, goal: 8 },
  'settle, spread accounts': { floor: 4, goal: 6.5 },
  'checkout over HTTP': { floor: 1.8, goal: 2.5 },
  'status over HTTP': { floor: 1.2, goal: 1.7 },
  'provider webhook to credited row': { floor: 2.5, goal: 4 },
  'webhook delivery, recorded': { floor: 0.6, goal: 0.75 },
}

function git(...words: string[]): string {
  return spawnSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' }).stdout?.trim() ?? ''
}

const say = (line: string) => {
  if (!flags.json) console.log(line)
}

const startedAt = performance.now()
const postgres = await startBenchPostgres()
process.once('SIGINT', () => void postgres.close().finally(() => process.exit(130)))
const machine = {
  commit: `${git('rev-parse', '--short', 'HEAD') || 'unknown'}${git('status', '--porcelain', '--', 'server', 'migrations') ? ', changed' : ''}`,
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  node: process.versions.node,
  postgres: postgres.postgresVersion,
  syncMs: Number(postgres.syncMs.toFixed(2)),
  logFileMs: Number(postgres.logFileMs.toFixed(0)),
  otherLoad: loadavg()[0]!,
}
say(
  `commit ${machine.commit} · ${machine.cores} cores, ${machine.processor} · Node ${machine.node} · PostgreSQL ${machine.postgres}`,
)
say(
  `sync of 8 KiB ${machine.syncMs} ms, a new file of the log ${machine.logFileMs} ms · load before the start ${machine.otherLoad.toFixed(1)}, best near 0`,
)
say(
  `settling by 64 at once, its floors by 8, HTTP by 256; ${effort.rounds} rounds of ${effort.windowMs} ms windows; generator, servers and database share the cores`,
)

const number = (value: number | null, digits: number) =>
  value === null || Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

const heads = ['', 'per s', 'floor/s', 'ratio', 'floor', 'goal', 'p50 ms', 'p99 ms', 'cpu µs', 'floor cpu']
const widths = [36, 9, 9, 7, 7, 6, 8, 8, 8, 10]
const line = (cells: string[]) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!))).join('')

function show(result: Result): void {
  const wanted = ratios[result.name]
  say(
    line([
      result.name,
      number(result.perSecond, 0),
      number(result.floorPerSecond, 0),
      number(result.ratio, 2),
      number(wanted?.floor ?? null, 1),
      number(wanted?.goal ?? null, 1),
      number(result.p50Ms, 1),
      number(result.p99Ms, 1),
      number(result.cpuMicros, 0),
      number(result.floorCpuMicros, 0),
    ]),
  )
}

const results: Result[] = []
const violations: Violation[] = []

async function checkMoney(after: string): Promise<void> {
  const found = await verify(postgres.owner)
  violations.push(...found)
  say(`invariants after ${after}: ${found.length === 0 ? 'clean' : `${found.length} VIOLATIONS`}`)
  for (const violation of found) say(`  ${violation.invariant}: ${violation.what}`)
}

try {
  const floor = await createFloor(postgres.owner, postgres.db, effort.merchants)
  say(`\n${line(heads)}`)
  if (flags.only !== 'http') {
    const settled = await measureSettle(postgres, floor, effort)
    results.push(...settled)
    settled.forEach(show)
    await checkMoney('settling')
  }
  if (flags.only !== 'settle') {
    const floorPerSecond = results.find(({ name }) => name === 'settle, spread accounts')?.floorPerSecond ?? Number.NaN
    const served = await measureHttp(postgres, effort, floorPerSecond)
    results.push(...served)
    served.forEach(show)
    const delivered = await measureDeliveries(postgres, effort)
    results.push(delivered)
    show(delivered)
    await checkMoney('the load over HTTP')
  }
} finally {
  await postgres.close()
}

const tooLow = results.filter(({ name, ratio }) => ratio < (ratios[name]?.floor ?? 0) / 2)
say(`\nsettle p99 at 64 at once: floor 10 ms, goal 5 ms. Done in ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`)
for (const { name, ratio } of tooLow) say(`BELOW HALF OF ITS FLOOR: ${name}, ${ratio.toFixed(2)}`)
if (flags.json) console.log(JSON.stringify({ machine, effort, ratios, results, violations }, null, 2))
if (flags.quick && (tooLow.length > 0 || violations.length > 0)) process.exitCode = 1
