/**
 * `npm run bench:growth`: whether the service gets slower with its past. Two databases of one server have the same merchants: one
 * has a few recent payments for each, the other a million older ones beside them. Each measure runs on both in turns, in random
 * order.
 *
 *   npm run bench:growth                      a million payments: some minutes and 5 GB in the temp folder
 *   npm run bench:growth -- --payments 10m    ten million: the best part of an hour, and 50 GB while they are written
 *   npm run bench:growth -- --cold            measured as after a restart, not as in use
 *   npm run bench:growth -- --payments 20k --rounds 3 --window 300 --json
 *
 * A ratio is the median of the rounds' ratios, past ÷ empty. All measures are the product's own functions on the product's own
 * pool, without HTTP, which would hide the database behind the processor time of both sides. The exception is the most frequent
 * request of payers, which is also measured over HTTP. The past is measured as in use: a checkout reads a random page of the index
 * of idempotency keys, so before the first window three were made for each page of it. Then nearly all of the pages are in memory,
 * and in the log since the last checkpoint.
 */
import { verify } from '../server/assurance/invariants/verify.ts'
import { readWallet } from '../server/money/ledger/account.sql.ts'
import { createSettle } from '../server/collect/payments/settle.ts'
import { recordAcceptances } from '../server/collect/payments/acceptance.sql.ts'
import type { Acceptance } from '../server/collect/payments/settlement.ts'
import { findPaymentViews, insertPayments, type NewPayment } from '../server/collect/payments/payment.sql.ts'
import { createBatch } from '../server/platform/db/batch.ts'
import { toWire } from '../server/platform/ids.ts'
import { createLog } from '../server/platform/process/log.ts'
import { createCursors } from '../server/platform/http/page.ts'
import { listTransactions } from '../server/views/merchant-account/list-transactions.ts'
import { readOptions } from '../scripts/read-options.ts'
import { runWindow, type Window } from './load.ts'
import { anyOf, asking, clients, openSide, over, type Variant } from './measures.ts'
import { memberSettings, startApi } from './members.ts'
import { seedPast } from './seed.ts'
import {
  environment,
  makePages,
  makePending,
  newPayment,
  ownerOf,
  providerReference,
  setAsInProduction,
  startBenchPostgres,
  successOf,
  type BenchDatabase,
  type BenchPage,
} from './postgres.ts'
import { median, shuffled } from './ratios.ts'
import { describe, machineOf } from './rounds.ts'
import { runBench, type Scope } from './scope.ts'

const { values: flags } = readOptions({
  options: {
    payments: { type: 'string', default: '1m' },
    rounds: { type: 'string', default: '7' },
    window: { type: 'string', default: '1000' },
    cold: { type: 'boolean' },
    json: { type: 'boolean' },
  },
})

function countOf(text: string): number {
  const [, digits, unit = ''] = /^(\d+)([km]?)$/.exec(text) ?? []
  if (digits === undefined) throw new Error(`--payments ${text}: write it as 20000, 20k or 1m.`)
  return Number(digits) * { '': 1, k: 1_000, m: 1_000_000 }[unit]!
}

const payments = countOf(flags.payments)
const rounds = Number(flags.rounds)
const windowMs = Number(flags.window)
const merchants = 200
/** Payments that each side has made itself before the measurement; on average a hundred for each merchant. */
const recentPayments = Math.min(20_000, payments)
const pageLength = 20

/** The wanted ratio of each measure, past ÷ empty. */
const floors: Record<string, { floor: number; goal: number }> = {
  'recent status over HTTP': { floor: 0.9, goal: 1 },
  'recent status, the function': { floor: 0.9, goal: 1 },
  'first page of transactions': { floor: 0.9, goal: 1 },
  'second page of transactions': { floor: 0.9, goal: 1 },
  balance: { floor: 0.9, goal: 1 },
  checkout: { floor: 0.85, goal: 0.95 },
  settle: { floor: 0.75, goal: 0.95 },
}

/** Makes enough checkouts to touch nearly every page of the index of keys; returns their number. */
async function warmKeys({ db, owner }: BenchDatabase, pages: BenchPage[]): Promise<number> {
  const { rows } = await owner.pool.query<{ pages: number }>(
    `select pg_relation_size('payments_one_per_idempotency_key')::integer / 8192 as pages`,
  )
  const count = 3 * rows[0]!.pages
  const size = 200
  for (let made = 0; made < count; made += size) {
    await insertPayments(
      db,
      Array.from({ length: size }, () => newPayment(anyOf(pages))),
    )
  }
  return count
}

/** The measures on one database whose pages have had recent payments. */
async function measuresOn(scope: Scope, { db, url }: BenchDatabase, pages: BenchPage[]): Promise<Record<string, Variant>> {
  const settle = createSettle({ db, log: createLog({ level: 'warn', role: 'bench' }) })
  const settled = async (count: number) => {
    const made = await makePending(db, pages, count)
    await Promise.all(made.map((payment) => settle(successOf(payment))))
    return made
  }
  const recent: { home: number; id: string }[] = []
  while (recent.length < recentPayments) recent.push(...(await settled(Math.min(2_000, recentPayments - recent.length))))

  const loadStatus = createBatch({ run: (keys: { home: number; id: string }[]) => findPaymentViews(db, keys) })
  const deps = { db, cursors: createCursors([Buffer.alloc(32)]) }
  const list = (page: BenchPage, cursor?: string) =>
    listTransactions(deps, ownerOf(page), { direction: 'all', limit: pageLength, ...(cursor !== undefined && { cursor }) })
  // Merchants with a second page of results, in the empty database too.
  const withCursor: { page: BenchPage; cursor: string }[] = []
  for (const page of pages) {
    const { nextCursor } = await list(page)
    if (nextCursor !== null) withCursor.push({ page, cursor: nextCursor })
  }
  const claim = createBatch({ run: (items: NewPayment[]) => insertPayments(db, items) })
  const accept = createBatch({ run: (items: Acceptance[]) => recordAcceptances(db, items) })

  const api = await startApi(scope, memberSettings(url))
  const side = await openSide(scope, api.url, api.child)
  const paths = recent.map(({ id }) => `/v1/payments/${toWire('pay', id)}/status`)

  const reading = (operation: () => Promise<unknown>): Variant => ({ run: () => runWindow(clients, windowMs, operation) })
  return {
    'recent status over HTTP': asking(side, windowMs, () => ({ method: 'GET', path: anyOf(paths) })),
    'recent status, the function': reading(() => loadStatus(anyOf(recent))),
    'first page of transactions': reading(() => list(anyOf(pages))),
    'second page of transactions': reading(() => {
      const { page, cursor } = anyOf(withCursor)
      return list(page, cursor)
    }),
    balance: reading(() => {
      const { home, merchantId } = anyOf(pages)
      return readWallet(db, { home, merchantId, environment })
    }),
    checkout: reading(async () => {
      const payment = newPayment(anyOf(pages))
      await claim(payment)
      const { home, id, provider } = payment
      const reference = providerReference(id)
      await accept({ home, paymentId: id, environment, provider, reference, nextAttemptSeconds: 20, providerExpiresAt: null })
    }),
    settle: over(
      clients,
      windowMs,
      (count) => makePending(db, pages, count),
      async (payment) => void (await settle(successOf(payment))),
    ),
  }
}

const say = (line: string) => {
  if (!flags.json) console.log(line)
}
const startedAt = performance.now()
const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`

await runBench(async (scope) => {
  const postgres = await startBenchPostgres(scope, Math.min(192, Math.ceil(payments / 1_000)))
  const machine = machineOf(postgres)
  say(describe(machine))

  const past = await postgres.another('past')
  const pagesOfPast = await makePages(past.db, merchants)
  await seedPast(past.owner, pagesOfPast, payments, (done) => {
    if (done % 1_000_000 === 0 || done === payments) say(`${done.toLocaleString('en')} payments after ${elapsed()}`)
  })
  // Writing the past has changed the log's size and then reset it to PostgreSQL's default.
  await setAsInProduction(past.owner)
  const { rows } = await past.owner.pool.query<{ mb: number }>(
    'select pg_database_size(current_database())::double precision / 1e6 as mb',
  )
  say(`indexes and statistics after ${elapsed()}`)
  say(`${(rows[0]!.mb / 1000).toFixed(1)} GB with their indexes, ${((rows[0]!.mb * 1e6) / payments).toFixed(0)} bytes a payment`)
  const sides = {
    empty: await measuresOn(scope, postgres, await makePages(postgres.db, merchants)),
    past: await measuresOn(scope, past, pagesOfPast),
  }
  if (!flags.cold) say(`${(await warmKeys(past, pagesOfPast)).toLocaleString('en')} checkouts more after ${elapsed()}`)
  const windows = Object.keys(floors).map((name) => ({ name, empty: [] as Window[], past: [] as Window[] }))
  for (let round = -1; round < rounds; round += 1) {
    if (round === 0) for (const { owner } of [postgres, past]) await owner.script('vacuum analyze')
    for (const measured of shuffled(windows)) {
      for (const side of shuffled(['empty', 'past'] as const)) {
        const measure = sides[side][measured.name]!
        await measure.prepare?.()
        const window = await measure.run()
        // The first round only warms up.
        if (round >= 0) measured[side].push(window)
      }
    }
  }

  const middle = (all: Window[], figure: (window: Window) => number) => median(all.map(figure))
  const results = windows.map(({ name, empty, past: long }) => ({
    name,
    ratio: median(long.map((window, round) => window.perSecond / empty[round]!.perSecond)),
    ...floors[name]!,
    emptyPerSecond: middle(empty, (window) => window.perSecond),
    pastPerSecond: middle(long, (window) => window.perSecond),
    emptyP99Ms: middle(empty, (window) => window.p99Ms),
    pastP99Ms: middle(long, (window) => window.p99Ms),
  }))
  say(
    `\n${''.padEnd(30)}${['empty/s', 'past/s', 'ratio', 'floor', 'goal', 'p99 ms', 'past p99'].map((head) => head.padStart(9)).join('')}`,
  )
  for (const { name, ratio, floor, goal, emptyPerSecond, pastPerSecond, emptyP99Ms, pastP99Ms } of results) {
    const cells = [emptyPerSecond.toFixed(0), pastPerSecond.toFixed(0), ratio.toFixed(2), floor.toFixed(2), goal.toFixed(2)]
    say(`${name.padEnd(30)}${[...cells, emptyP99Ms.toFixed(1), pastP99Ms.toFixed(1)].map((cell) => cell.padStart(9)).join('')}`)
  }
  const violations = [...(await verify(postgres.owner)), ...(await verify(past.owner))]
  say(`\ninvariants of both: ${violations.length === 0 ? 'clean' : `${violations.length} VIOLATIONS`}. Done in ${elapsed()}.`)
  for (const violation of violations) say(`  ${violation.invariant}: ${violation.what}`)
  if (flags.json) console.log(JSON.stringify({ machine, payments, rounds, windowMs, results, violations }, null, 2))
  if (violations.length > 0) process.exitCode = 1
})
