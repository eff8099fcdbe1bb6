/**
 * `npm run bench:peers`: whole payments a second and settlements a second, beside the transfers a second of other ledgers, in shuffled
 * rounds. The ratios mean something, and only within one run.
 *
 *   npm run bench:peers -- --pgledger ../pgledger                 a checkout of https://github.com/pgr0ss/pgledger: about two minutes
 *   npm run bench:peers -- --formance http://127.0.0.1:3068       a running Formance ledger v2; may be given beside --pgledger
 *   npm run bench:peers                                           without a peer
 *   --rounds 2 --window 1000 --json
 *
 * A transfer of pgledger writes one transfer and two entries, on the same durable PostgreSQL as Malipo. A transaction of Formance has
 * one posting, from `world` to one account, over HTTP, with the database of that service. A settlement also completes the payment,
 * counts on its page, and stores the event and the merchant's webhook. A whole payment is that with its HTTP: checkout, a payer who
 * waits, the provider's signed message, and the delivered webhook, through one api and one worker. The provider accepts each charge at
 * once, so no time of a network or a person is in it. pgledger has 20 connections and as many workers, as in its own
 * performance_check.go; Formance has 64 clients, and Malipo settles on 8 connections for 64 clients.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from 'undici'
import { readOptions } from '../scripts/read-options.ts'
import { verify } from '../server/assurance/invariants/verify.ts'
import type { Db } from '../server/platform/db/db.ts'
import { runWindow, type Window } from './load.ts'
import { clients, settleLines, type Variant } from './measures.ts'
import { startShop } from './members.ts'
import { amount, makePages, openBenchDb, startBenchPostgres, type BenchServer } from './postgres.ts'
import { sql } from './product.ts'
import { describe, machineOf, middle, number, ratioOf, row, runRounds } from './rounds.ts'
import { runBench, soon, type Scope } from './scope.ts'
import { startFleet, wholeLine } from './whole-payments.ts'

const { values: flags } = readOptions({
  options: {
    pgledger: { type: 'string' },
    formance: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    window: { type: 'string', default: '2000' },
    json: { type: 'boolean' },
  },
})
const rounds = Number(flags.rounds)
const windowMs = Number(flags.window)
const accounts = 500
const workersOfPgledger = 20

function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

const pgledgerFiles = [
  'vendor/scoville-pgsql-ulid/ulid-to-uuid.sql',
  'vendor/scoville-pgsql-ulid/uuid-to-ulid.sql',
  'pgledger.sql',
]

/** Transfers of pgledger from one account to one of many, or always between the same two: its functions, as its README calls them. */
async function pgledger(
  scope: Scope,
  server: BenchServer,
  folder: string,
): Promise<{ db: Db; variants: Record<string, Variant> }> {
  const url = await server.empty('pgledger')
  const db = await scope.use(Promise.resolve(openBenchDb(url, undefined, workersOfPgledger)), (opened) => soon(opened.close()))
  for (const file of pgledgerFiles) await db.script(readFileSync(join(folder, file), 'utf8'))
  const made = await db.rows<{ id: string }>(sql`
    select a.id from generate_series(1, ${accounts}::integer) n, pgledger_create_account('account ' || n, 'TZS') a`)
  const ids = made.map(({ id }) => id)
  const between = (pair: () => [string, string]): Variant => ({
    run: () =>
      runWindow(workersOfPgledger, windowMs, () => {
        const [from, to] = pair()
        return db.rows(sql`select id from pgledger_create_transfer(${from}, ${to}, ${amount}::numeric)`)
      }),
  })
  const variants = {
    'pgledger, transfers between two accounts': between(() => [ids[0]!, ids[1]!]),
    [`pgledger, transfers among ${accounts} accounts`]: between(() => {
      const from = Math.floor(Math.random() * accounts)
      return [ids[from]!, ids[(from + 1 + Math.floor(Math.random() * (accounts - 1))) % accounts]!]
    }),
  }
  return { db, variants }
}

/** Transactions of a new ledger of a Formance service: `POST /v2/{ledger}`, then `POST /v2/{ledger}/transactions`. */
async function formance(scope: Scope, base: string): Promise<Record<string, Variant>> {
  const { origin, pathname } = new URL(base)
  const ledger = `${pathname.replace(/\/$/, '')}/v2/malipo-bench-${randomBytes(4).toString('hex')}`
  const agent = await scope.use(Promise.resolve(new Agent({ connections: clients })), (opened) => opened.destroy())
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await agent.request({ origin, path, method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`Formance answered ${answer.statusCode} to POST ${path}: ${text}`)
  }
  await post(ledger, {})
  const into = (account: () => string): Variant => ({
    run: () =>
      runWindow(clients, windowMs, () => {
        const posting = { source: 'world', destination: account(), amount, asset: 'TZS' }
        return post(`${ledger}/transactions`, { postings: [posting], metadata: {} })
      }),
  })
  return {
    'Formance, transactions into one account': into(() => 'merchants:0'),
    [`Formance, transactions into ${accounts} accounts`]: into(() => `merchants:${Math.floor(Math.random() * accounts)}`),
  }
}

if (flags.pgledger !== undefined && !existsSync(join(flags.pgledger, 'pgledger.sql')))
  refuse(`${flags.pgledger} has no pgledger.sql: run "git clone https://github.com/pgr0ss/pgledger", and name that folder.`)
if (flags.formance !== undefined && !URL.canParse(flags.formance))
  refuse(`--formance ${flags.formance}: give the address of the ledger's HTTP server, as http://127.0.0.1:3068.`)

await runBench(async (scope) => {
  const postgres = await startBenchPostgres(scope, Math.min(192, Math.ceil((rounds * windowMs) / 50)))
  const whole = await postgres.another('whole')
  const fleet = await startFleet(scope, whole, await startShop(scope), 1)
  const peer = flags.pgledger === undefined ? undefined : await pgledger(scope, postgres, flags.pgledger)
  const { hot, spread } = settleLines(postgres.db, await makePages(postgres.db, accounts), windowMs)
  const variants: Record<string, Variant> = {
    ...peer?.variants,
    ...(flags.formance !== undefined && (await formance(scope, flags.formance))),
    'Malipo, settlements on one wallet': hot,
    [`Malipo, settlements on ${accounts} wallets`]: spread,
    'Malipo, whole payments': wholeLine(fleet, windowMs),
  }
  const measured = await runRounds([postgres.owner, whole.owner, ...(peer ? [peer.db] : [])], rounds, variants)
  // The transfers of the first peer among many accounts.
  const base =
    measured[`pgledger, transfers among ${accounts} accounts`] ?? measured[`Formance, transactions into ${accounts} accounts`]
  const results = Object.entries<Window[]>(measured).map(([name, windows]) => ({
    name,
    perSecond: middle(windows, 'perSecond'),
    ratio: base ? ratioOf(windows, base) : null,
    p50Ms: middle(windows, 'p50Ms'),
    p99Ms: middle(windows, 'p99Ms'),
  }))
  const violations = [...(await verify(postgres.owner)), ...(await verify(whole.owner))]
  const machine = machineOf(postgres)
  if (flags.json) console.log(JSON.stringify({ machine, results, violations }, null, 2))
  else {
    console.log(`${describe(machine)} (at the end)
${rounds} rounds of ${windowMs} ms; generator, processes and database share the cores\n`)
    const widths = [44, 9, 9, 9, 9]
    console.log(row(widths, ['', 'per s', 'ratio', 'p50 ms', 'p99 ms']))
    for (const { name, perSecond, ratio, p50Ms, p99Ms } of results)
      console.log(row(widths, [name, number(perSecond, 0), number(ratio ?? Number.NaN, 2), number(p50Ms, 1), number(p99Ms, 1)]))
    console.log(`\ninvariants of both databases: ${violations.length === 0 ? 'clean' : `${violations.length} VIOLATIONS`}`)
  }
  if (violations.length > 0) process.exitCode = 1
})
