/**
 * `npm run bench:checks`: whether the five-minute check of the books costs more in a service with a long past. One database for
 * each length of the past, the same merchants and the same recent payments in all. Time is the least of the rounds; processor time
 * is that of the database's process, which other programs affect less (on Linux); pages are the 8 KiB pages that PostgreSQL read.
 *
 *   npm run bench:checks                                     ten thousand and a million payments: some minutes and 5 GB
 *   npm run bench:checks -- --payments 10000,10000000        the best part of an hour, and 50 GB while they are written
 *   npm run bench:checks -- --payments 2000,8000 --json
 *
 * No day is closed: a check digests 5,000 transfers of one closed day at most, or one home of it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { verify, verifyNew } from '../server/assurance/invariants/verify.ts'
import { createSettle } from '../server/collect/payments/settle.ts'
import { sql, type Db } from '../server/platform/db/db.ts'
import { createLog } from '../server/platform/process/log.ts'
import { readOptions } from '../scripts/read-options.ts'
import { costOfCheck, labelOf, sealAsBefore } from './check-cost.ts'
import { seedPast } from './seed.ts'
import { makePages, makePending, setAsInProduction, startBenchPostgres, successOf, type BenchDatabase } from './postgres.ts'
import { runBench } from './scope.ts'

const { values: flags } = readOptions({
  options: {
    payments: { type: 'string', default: '10000,1000000' },
    rounds: { type: 'string', default: '9' },
    whole: { type: 'boolean' },
    json: { type: 'boolean' },
  },
})

const merchants = 200
/** The number of new rows for each check. */
const recentPayments = 1_000

const say = (line: string): void => {
  if (!flags.json) console.log(line)
}

type Result = {
  payments: number
  ms: number
  processorMs: number
  statements: Awaited<ReturnType<typeof costOfCheck>>['statements']
  pages: number
  rows: number
  timeScans: number
  wholeSeconds: number | null
  violations: string[]
}

/** The processor time of the database's process in milliseconds; 0 where the system does not report it. */
function processorMs(pid: number): number {
  const path = `/proc/${pid}/schedstat`
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6 : 0
}

/** Runs the check; returns the run time of the database's process for it. */
async function processorTimeOf(db: Db, since: Date): Promise<number> {
  let took = 0
  const snapshot: Db['snapshot'] = (read, timeoutMs) =>
    db.snapshot(async (tx) => {
      const [backend] = await tx.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      const before = processorMs(backend!.pid)
      const result = await read(tx)
      took = processorMs(backend!.pid) - before
      return result
    }, timeoutMs)
  await verifyNew({ snapshot }, since)
  return took
}

/** The reads of each check in the first database and in the last, the slowest first. */
function sayStatements(first: Result, last: Result): void {
  say('  ms in the last (first), pages, rows:')
  const pairs = last.statements.map((statement, index) => ({ statement, before: first.statements[index]! }))
  for (const { statement, before } of pairs.toSorted((one, other) => other.statement.ms - one.statement.ms).slice(0, 20)) {
    const of = (what: 'pages' | 'rows'): string => `${statement[what]} (${before[what]})`.padStart(15)
    const ms = `${statement.ms.toFixed(1)} (${before.ms.toFixed(1)})`.padStart(13)
    say(`${ms} ${of('pages')} ${of('rows')}  ${statement.words}`)
  }
}

async function measure({ db, owner }: BenchDatabase, payments: number): Promise<Result> {
  const pages = await makePages(db, merchants)
  await seedPast(owner, pages, payments)
  await setAsInProduction(owner)
  const settle = createSettle({ db, log: createLog({ level: 'warn', role: 'bench' }) })
  const made = await makePending(db, pages, recentPayments)
  await Promise.all(made.map((payment) => settle(successOf(payment))))
  await sealAsBefore(db)
  await owner.script('vacuum analyze')
  const since = new Date(Date.now() - 3_600_000)
  const times: number[] = []
  const processorTimes: number[] = []
  for (let round = 0; round <= Number(flags.rounds); round += 1) {
    const startedAt = performance.now()
    const processorTime = await processorTimeOf(db, since)
    // The first round only warms up.
    if (round === 0) continue
    times.push(performance.now() - startedAt)
    processorTimes.push(processorTime)
  }
  const cost = await costOfCheck(db, since)
  const startedAt = performance.now()
  const violations = flags.whole ? (await verify(owner)).map(({ what }) => what) : []
  return {
    payments,
    ms: Math.min(...times),
    processorMs: Math.min(...processorTimes),
    statements: cost.statements.map(({ words, ...rest }) => ({ ...rest, words: labelOf(words) })),
    pages: cost.pages,
    rows: cost.rows,
    timeScans: cost.timeScans,
    wholeSeconds: flags.whole ? (performance.now() - startedAt) / 1000 : null,
    violations: [...cost.violations, ...violations],
  }
}

await runBench(async (scope) => {
  const postgres = await startBenchPostgres(scope)
  const results: Result[] = []
  for (const [index, text] of flags.payments.split(',').entries()) {
    const payments = Number(text)
    const result = await measure(await postgres.another(`past${index}`), payments)
    results.push(result)
    say(
      `${payments.toLocaleString('en').padStart(12)} payments: ${result.ms.toFixed(0)} ms (processor ${result.processorMs.toFixed(0)} ms), ${result.rows.toLocaleString('en')} rows on ${result.pages.toLocaleString('en')} pages, indexes by time read ${result.timeScans} times${
        result.wholeSeconds === null ? '' : `; everything in ${result.wholeSeconds.toFixed(0)} s`
      }`,
    )
  }
  const [first, last] = [results[0]!, results.at(-1)!]
  const ratios = {
    time: last.ms / first.ms,
    processor: last.processorMs / first.processorMs,
    rows: last.rows / first.rows,
    pages: last.pages / first.pages,
  }
  sayStatements(first, last)
  const shown = Object.entries(ratios).map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`)
  say(
    `ratio of the last to the first: ${shown.join(', ')} (wanted of the processor: 1.2 at most; an index that is a level deeper has one more page to read)`,
  )
  for (const violation of results.flatMap(({ violations }) => violations)) say(violation)
  if (flags.json) console.log(JSON.stringify({ results, ratios, violations: results.flatMap(({ violations }) => violations) }))
  if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1
})
