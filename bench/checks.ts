/**
 * `npm run bench:checks`: whether the five-minute check of the books costs more in a service with a long past. One database for each length of the
 * past, the same merchants and the same recent payments in all. Time is the median of the rounds; pages are those of 8 KiB that PostgreSQL looked at.
 *
 *   npm run bench:checks                                   ten thousand and a million payments: some minutes and 5 GB
 *   npm run bench:checks -- --payments 10000,10000000      the best part of an hour, and 50 GB while they are written
 *   npm run bench:checks -- --payments 2000,8000 --json
 *
 * No day is closed: a check digests 20,000 transfers of one closed day at most, or one home of it.
 */
import { parseArgs } from 'node:util'
import { verify, verifyNew } from '../server/invariants/verify.ts'
import { createSettle } from '../server/payments/settle.ts'
import { createLog } from '../server/platform/log.ts'
import { costOfCheck } from './check-cost.ts'
import { median } from './load.ts'
import { seedPast } from './seed.ts'
import { makePages, makePending, setAsInProduction, startBenchWorld, successOf, type BenchDatabase } from './world.ts'

const { values: flags } = parseArgs({
  options: {
    payments: { type: 'string', default: '10000,1000000' },
    rounds: { type: 'string', default: '9' },
    whole: { type: 'boolean' },
    json: { type: 'boolean' },
  },
})

const merchants = 200
/** What each check finds to be new. */
const recentPayments = 1_000

const say = (line: string): void => {
  if (!flags.json) console.log(line)
}

type Result = { payments: number; ms: number; pages: number; rows: number; wholeSeconds: number | null; violations: string[] }

async function measure({ db, owner }: BenchDatabase, payments: number): Promise<Result> {
  const pages = await makePages(db, merchants)
  await seedPast(owner, pages, payments)
  await setAsInProduction(owner)
  const settle = createSettle({ db, log: createLog({ level: 'warn', role: 'bench' }) })
  const made = await makePending(db, pages, recentPayments)
  await Promise.all(made.map((payment) => settle(successOf(payment))))
  await owner.script('vacuum analyze')
  const since = new Date(Date.now() - 3_600_000)
  const times: number[] = []
  for (let round = 0; round <= Number(flags.rounds); round += 1) {
    const startedAt = performance.now()
    await verifyNew(db, since)
    // The first round only warms up.
    if (round > 0) times.push(performance.now() - startedAt)
  }
  const cost = await costOfCheck(db, since)
  for (const { pages: looked, words } of cost.statements.toSorted((one, other) => other.pages - one.pages).slice(0, 5))
    say(`  ${String(looked).padStart(7)} pages: ${words.replace(/^.*?as found from \(/, '').slice(0, 150)}`)
  const startedAt = performance.now()
  const violations = flags.whole ? (await verify(owner)).map(({ what }) => what) : []
  return {
    payments,
    ms: median(times),
    pages: cost.pages,
    rows: cost.rows,
    wholeSeconds: flags.whole ? (performance.now() - startedAt) / 1000 : null,
    violations: [...cost.violations, ...violations],
  }
}

const world = await startBenchWorld()
process.once('SIGINT', () => void world.close().finally(() => process.exit(130)))
try {
  const results: Result[] = []
  for (const [index, text] of flags.payments.split(',').entries()) {
    const payments = Number(text)
    const result = await measure(await world.another(`past${index}`), payments)
    results.push(result)
    say(
      `${payments.toLocaleString('en').padStart(12)} payments: ${result.ms.toFixed(0)} ms, ${result.rows.toLocaleString('en')} rows on ${result.pages.toLocaleString('en')} pages${
        result.wholeSeconds === null ? '' : `; everything in ${result.wholeSeconds.toFixed(0)} s`
      }`,
    )
  }
  const [first, last] = [results[0]!, results.at(-1)!]
  const ratios = { time: last.ms / first.ms, rows: last.rows / first.rows, pages: last.pages / first.pages }
  const told = Object.entries(ratios).map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`)
  say(
    `ratio of the last to the first: ${told.join(', ')} (wanted: 0.8 to 1.2; an index that is a level deeper has a page more to look at)`,
  )
  for (const violation of results.flatMap(({ violations }) => violations)) say(violation)
  if (flags.json) console.log(JSON.stringify({ results, ratios, violations: results.flatMap(({ violations }) => violations) }))
  if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1
} finally {
  await world.close()
}
