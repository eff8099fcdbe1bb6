/**
 * `npm run bench:processes`: ten thousand payers who wait for their payment on one api process, by `GET
 * /v1/payments/{reference}/status?wait=25`.
 *
 *   npm run bench:processes                    about a minute and a half
 *   npm run bench:processes -- --payers 2000 --idle 5 --json
 *
 * Each payer is one connection. Generator and api are two processes, and each needs as many file descriptors as there are payers
 * (`ulimit -n`; raise it before, or use fewer payers). A payer's time runs from the commit that credits the payment to the answer
 * on the payer's connection. First all wait and nothing happens; then payments complete at 200 a second, which is the rate of all
 * mobile money payments in Tanzania; then a thousand at once.
 */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { createSettle } from '../server/collect/payments/settle.ts'
import { toWire } from '../server/platform/ids.ts'
import { createLog } from '../server/platform/process/log.ts'
import { verify } from '../server/assurance/invariants/verify.ts'
import { readOptions } from '../scripts/read-options.ts'
import { openHttpClient, type HttpClient } from './load.ts'
import { memberSettings, startApi } from './members.ts'
import { makePages, makePending, startBenchPostgres, successOf, type Pending } from './postgres.ts'
import { percentile } from './ratios.ts'
import { runBench } from './scope.ts'

const { values: flags } = readOptions({
  options: { payers: { type: 'string', default: '10000' }, idle: { type: 'string', default: '15' }, json: { type: 'boolean' } },
})
const payers = Number(flags.payers)
const idleMs = Number(flags.idle) * 1000
const steadyPerSecond = 200
const steadyMs = 10_000
const burst = Math.min(1_000, Math.floor(payers / 4))
const connectAtOnce = 100

/** The limit of open files. This process needs one for each payer, and so does the api. */
function mayOpen(): number {
  try {
    return Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const say = (line: string) => {
  if (!flags.json) console.log(line)
}
if (mayOpen() < payers + 200) {
  console.error(
    `${payers} payers need ${payers + 200} file descriptors, and this shell allows ${mayOpen()}: ulimit -n ${payers + 200}, or --payers ${mayOpen() - 200}.`,
  )
  process.exit(1)
}

await runBench(async (scope) => {
  const postgres = await startBenchPostgres(scope, 32)
  const { url: apiUrl, child: api } = await startApi(scope, memberSettings(postgres.url))
  const connections: HttpClient[] = []
  await scope.use(Promise.resolve(), () => connections.forEach((connection) => connection.close()))
  say(`load before the start ${loadavg()[0]!.toFixed(1)}; ${payers} payers, ${mayOpen()} file descriptors`)
  const settle = createSettle({ db: postgres.db, log: createLog({ level: 'warn', role: 'bench' }) })
  const pages = await makePages(postgres.db, 200)
  const payments = await makePending(postgres.db, pages, payers)
  const empty = await api.usage()

  /** When each payment's completion arrived on its payer's connection. */
  const seen = new Map<string, number>()
  const waiters = new Map<string, () => void>()
  let isOver = false
  async function wait(connection: HttpClient, payment: Pending): Promise<void> {
    const path = `/v1/payments/${toWire('pay', payment.id)}/status?wait=25`
    while (!isOver) {
      const { status, body } = await connection.send('GET', path)
      if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`)
      if (body.includes('"status":"completed"')) {
        seen.set(payment.id, performance.now())
        waiters.get(payment.id)?.()
        return
      }
    }
  }
  const waiting: Promise<void>[] = []
  for (let first = 0; first < payers; first += connectAtOnce) {
    const some = payments.slice(first, first + connectAtOnce)
    const opened = await Promise.all(some.map(() => openHttpClient(apiUrl)))
    connections.push(...opened)
    for (const [index, payment] of some.entries())
      waiting.push(wait(opened[index]!, payment).catch((error: unknown) => (isOver ? undefined : Promise.reject(error))))
  }

  const over = async (work: () => Promise<unknown>) => {
    const before = await api.usage()
    const startedAt = performance.now()
    await work()
    const elapsedMs = performance.now() - startedAt
    const after = await api.usage()
    return { cores: (after.cpuMs - before.cpuMs) / elapsedMs, residentMb: after.residentMb }
  }
  const idle = await over(() => new Promise((resolve) => setTimeout(resolve, idleMs)))
  say(
    `all wait: ${idle.cores.toFixed(2)} of a core, ${idle.residentMb.toFixed(0)} MB resident (${empty.residentMb.toFixed(0)} before), ${(((idle.residentMb - empty.residentMb) * 1000) / payers).toFixed(1)} kB a payer`,
  )

  let next = 0
  const complete = async (count: number): Promise<number[]> => {
    const some = payments.slice(next, next + count)
    next += count
    return Promise.all(
      some.map(async (payment) => {
        const isSeen = new Promise<void>((resolve) => waiters.set(payment.id, resolve))
        await settle(successOf(payment))
        const committedAt = performance.now()
        await isSeen
        // The answer may arrive before this process learns about the commit.
        return Math.max(0, seen.get(payment.id)! - committedAt)
      }),
    )
  }
  const steadyTimes: number[] = []
  const stepMs = 50
  const steady = await over(async () => {
    const steps: Promise<unknown>[] = []
    for (let step = 0; step < steadyMs / stepMs && next < payers - burst; step += 1) {
      steps.push(complete((steadyPerSecond * stepMs) / 1000).then((times) => steadyTimes.push(...times)))
      await new Promise((resolve) => setTimeout(resolve, stepMs))
    }
    await Promise.all(steps)
  })
  const p = (times: number[], share: number) => percentile(times, share)
  const line = (what: string, times: number[], use: { cores: number }) =>
    say(
      `${what}: a payer sees it after ${p(times, 0.5).toFixed(1)} ms (p50), ${p(times, 0.99).toFixed(1)} ms (p99), ${Math.max(...times).toFixed(1)} ms at most; ${use.cores.toFixed(2)} of a core`,
    )
  line(`${steadyPerSecond} a second`, steadyTimes, steady)
  let burstTimes: number[] = []
  const atOnce = await over(async () => {
    burstTimes = await complete(burst)
  })
  line(`${burst} at once`, burstTimes, atOnce)
  isOver = true
  for (const connection of connections) connection.close()
  say('floor: p99 at 200 a second below 50 ms, goal 20 ms')

  const violations = await verify(postgres.owner)
  say(`invariants: ${violations.length === 0 ? 'clean' : `${violations.length} VIOLATIONS`}`)
  const figures = (times: number[]) => ({
    p50Ms: p(times, 0.5),
    p99Ms: p(times, 0.99),
    maxMs: Math.max(...times),
    count: times.length,
  })
  if (flags.json) {
    console.log(
      JSON.stringify(
        {
          payers,
          empty,
          idle,
          steady: { ...steady, ...figures(steadyTimes) },
          burst: { ...atOnce, ...figures(burstTimes) },
          violations,
        },
        null,
        2,
      ),
    )
  }
  if (violations.length > 0) process.exitCode = 1
})
