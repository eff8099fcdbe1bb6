/**
 * `npm run bench:peers -- --pgledger PATH`: whole payments a second and settlements a second, beside the transfers a second of
 * pgledger (https://github.com/pgr0ss/pgledger, a checkout of which is at PATH), in shuffled rounds on one durable PostgreSQL with the
 * same settings. The ratios mean something, and only within one run.
 *
 *   npm run bench:peers -- --pgledger ../pgledger    about two minutes
 *   npm run bench:peers                              without the peer
 *   --rounds 2 --window 1000 --json
 *
 * A transfer of pgledger writes one transfer and two entries. A settlement also completes the payment, counts on its page, and stores
 * the event and the merchant's webhook. A whole payment is that with its HTTP: checkout, a payer who waits, the provider's signed
 * message, and the delivered webhook, through one api and one worker. The provider accepts each charge at once, so no time of a network
 * or a person is in it. pgledger has 20 connections and as many workers, as in its own performance_check.go; Malipo settles on 8.
 */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { verify } from '../server/invariants/verify.ts'
import { createSettle } from '../server/payments/settle.ts'
import { sql, type Db } from '../server/platform/db/db.ts'
import { createLog } from '../server/platform/process/log.ts'
import { readOptions } from '../scripts/read-options.ts'
import { median, runWindow, shuffled, type Window } from './load.ts'
import { mustApply, supplyFor } from './measures.ts'
import { startShop } from './members.ts'
import { amount, makePages, makePending, openBenchDb, startBenchPostgres, successOf, type BenchPage } from './postgres.ts'
import { clients, pay, startFleet, stopFleet } from './whole-payments.ts'

const { values: flags } = readOptions({
  options: {
    pgledger: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    window: { type: 'string', default: '2000' },
    json: { type: 'boolean' },
  },
})
const rounds = Number(flags.rounds)
const windowMs = Number(flags.window)
const accounts = 500
const workersOfPeer = 20

type Variant = { prepare?(): Promise<void>; run(): Promise<Window> }

const any = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!

/** Transfers of pgledger from one account to one of many, or always between the same two: its functions, as its README calls them. */
async function pgledger(db: Db, folder: string): Promise<Record<string, Variant>> {
  for (const file of [
    'vendor/scoville-pgsql-ulid/ulid-to-uuid.sql',
    'vendor/scoville-pgsql-ulid/uuid-to-ulid.sql',
    'pgledger.sql',
  ])
    await db.script(readFileSync(join(folder, file), 'utf8'))
  const made = await db.rows<{ id: string }>(sql`
    select a.id from generate_series(1, ${accounts}::integer) n, pgledger_create_account('account ' || n, 'TZS') a`)
  const ids = made.map(({ id }) => id)
  const transfer = async (from: string, to: string) => {
    await db.rows(sql`select id from pgledger_create_transfer(${from}, ${to}, ${amount}::numeric)`)
  }
  const between = (pair: () => [string, string]): Variant => ({
    run: () => runWindow(workersOfPeer, windowMs, () => transfer(...pair())),
  })
  return {
    'pgledger, transfers between two accounts': between(() => [ids[0]!, ids[1]!]),
    [`pgledger, transfers among ${accounts} accounts`]: between(() => {
      const from = Math.floor(Math.random() * accounts)
      return [ids[from]!, ids[(from + 1 + Math.floor(Math.random() * (accounts - 1))) % accounts]!]
    }),
  }
}

if (flags.pgledger !== undefined && !existsSync(join(flags.pgledger, 'pgledger.sql'))) {
  console.error(
    `${flags.pgledger} has no pgledger.sql: run "git clone https://github.com/pgr0ss/pgledger", and name that folder.`,
  )
  process.exit(2)
}
const postgres = await startBenchPostgres()
process.once('SIGINT', () => void postgres.close().finally(() => process.exit(130)))
const shop = await startShop()
const whole = await postgres.another('whole')
const fleet = await startFleet(whole.url, whole.db, shop, 1)
const peer = flags.pgledger === undefined ? undefined : openBenchDb(await postgres.empty('pgledger'), undefined, workersOfPeer)

try {
  const settle = createSettle({ db: postgres.db, log: createLog({ level: 'warn', role: 'bench' }) })
  const pages = await makePages(postgres.db, accounts)
  const settlements = (on: BenchPage[]): Variant => {
    const supply = supplyFor(windowMs, (count) => makePending(postgres.db, on, count))
    return {
      prepare: supply.prepare,
      async run() {
        const next = () => {
          const payment = supply.take()
          return payment && settle(successOf(payment)).then(mustApply)
        }
        return supply.saw(await runWindow(clients, windowMs, next))
      },
    }
  }
  const variants: [string, Variant][] = Object.entries({
    ...(peer && (await pgledger(peer, flags.pgledger!))),
    'Malipo, settlements on one wallet': settlements(pages.slice(0, 1)),
    [`Malipo, settlements on ${accounts} wallets`]: settlements(pages),
    'Malipo, whole payments': {
      run: () => runWindow(clients, windowMs, (client) => pay(fleet, client, any(fleet.pages))),
    },
  })
  const measured = new Map<string, Window[]>(variants.map(([name]) => [name, []]))
  // The first round only warms up.
  for (let round = -1; round < rounds; round += 1) {
    // A database in use has statistics; these would otherwise collect their first ones inside some window, and plan badly until then.
    if (round === 0) for (const db of [postgres.owner, whole.owner, ...(peer ? [peer] : [])]) await db.script('vacuum analyze')
    for (const [name, variant] of shuffled(variants)) {
      await variant.prepare?.()
      const window = await variant.run()
      if (round >= 0) measured.get(name)!.push(window)
    }
  }
  const base = peer && measured.get(`pgledger, transfers among ${accounts} accounts`)
  const results = variants.map(([name]) => {
    const windows = measured.get(name)!
    const perSecond = median(windows.map((window) => window.perSecond))
    const ratio = base ? median(windows.map((window, round) => window.perSecond / base[round]!.perSecond)) : null
    return {
      name,
      perSecond,
      ratio,
      p50Ms: median(windows.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(windows.map(({ p99Ms }) => p99Ms)),
    }
  })
  const violations = [...(await verify(postgres.owner)), ...(await verify(whole.owner))]
  const machine = {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    node: process.versions.node,
    postgres: postgres.postgresVersion,
    syncMs: Number(postgres.syncMs.toFixed(2)),
    load: loadavg()[0]!,
  }
  if (flags.json) console.log(JSON.stringify({ machine, results, violations }, null, 2))
  else {
    console.log(
      `${machine.cores} cores, ${machine.processor} · Node ${machine.node} · PostgreSQL ${machine.postgres}, durable, sync of 8 KiB ${machine.syncMs} ms · load at the end ${machine.load.toFixed(1)}`,
    )
    console.log(`${rounds} rounds of ${windowMs} ms; generator, processes and database share the cores\n`)
    console.log(`${''.padEnd(44)}${'per s'.padStart(8)}${'ratio'.padStart(8)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}`)
    for (const { name, perSecond, ratio, p50Ms, p99Ms } of results) {
      const figures = [perSecond.toFixed(0).padStart(8), (ratio?.toFixed(2) ?? '–').padStart(8)]
      console.log(`${name.padEnd(44)}${figures.join('')}${p50Ms.toFixed(1).padStart(9)}${p99Ms.toFixed(1).padStart(9)}`)
    }
    console.log(`\ninvariants of both databases: ${violations.length === 0 ? 'clean' : `${violations.length} VIOLATIONS`}`)
  }
  if (violations.length > 0) process.exitCode = 1
} finally {
  await stopFleet(fleet)
  shop.stop()
  await peer?.close()
  await postgres.close()
}
