/**
 * The five-minute check of the books reads only changed rows, however long the past is: measured by PostgreSQL's counts, not in
 * time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costOfCheck, explained, labelOf, sealAsBefore } from './check-cost.ts'
import { seedPast } from '../bench/seed.ts'
import { makePages, makePending, successOf } from '../bench/postgres.ts'
import { verify } from '../server/assurance/invariants/verify.ts'
import { partsOfAll } from '../server/assurance/invariants/verify-all.ts'
import { applySettlements } from '../server/collect/payments/settle.sql.ts'
import { startTestApp } from './app.ts'
import { makeChargeCodes } from './fixtures/order-codes.ts'

const recentPayments = 400

async function costBeside(t: Parameters<typeof startTestApp>[0], payments: number): ReturnType<typeof costOfCheck> {
  const app = await startTestApp(t)
  const pages = await makePages(app.db, 100)
  await seedPast(app.owner, pages, payments)
  await makeChargeCodes(app.owner, app.deps.recordMac)
  const pending = await makePending(app.db, pages, recentPayments, app.deps.recordMac)
  await applySettlements(app.db, pending.map(successOf), '')
  await sealAsBefore(app.db)
  await app.owner.script('vacuum analyze')
  const cost = await costOfCheck(app.db, new Date(Date.now() - 3_600_000))
  assert.deepEqual(cost.violations, [])
  return cost
}

/** The smallest of the history tables has seven times as many. A statement may read a new row in several of its steps. */
const rowsOfAStatement = 20 * recentPayments

/** Tables with changed rows, some read twice: payments, payouts, transfers, events, deliveries; and their digests. */
const timeScansAtMost = 15

test('a check of new rows costs no more with sixty thousand payments than with ten thousand [T10]', async (t) => {
  const [short, long] = [await costBeside(t, 10_000), await costBeside(t, 60_000)]
  t.diagnostic(`${short.rows} rows on ${short.pages} pages, then ${long.rows} on ${long.pages}; ${long.timeScans} scans by time`)
  // Fewer is no fault: small tables are read whole, large ones through an index.
  assert.ok(long.rows <= 1.2 * short.rows, `${short.rows} rows, then ${long.rows}`)
  // A row lookup reads a page of each level of an index, and large tables have one more level.
  assert.ok(long.pages <= 1.6 * short.pages, `${short.pages} pages, then ${long.pages}`)
  const reading = long.statements.filter(({ rows }) => rows > rowsOfAStatement)
  assert.deepEqual(
    reading.map(({ rows, words }) => `${labelOf(words)}: ${rows} rows`),
    [],
  )
  assert.ok(long.timeScans <= timeScansAtMost, `indexes by time were read ${long.timeScans} times`)
})

test('a step of the full check reads its own rows only, also of tables without statistics', async (t) => {
  const app = await startTestApp(t)
  await seedPast(app.owner, await makePages(app.db, 60), 30_000)
  await makeChargeCodes(app.owner, app.deps.recordMac)
  await app.owner.script('alter system set autovacuum = off')
  await app.owner.script('select pg_reload_conf()')
  const rows = 500
  const long = ['payments', 'ledger_transfers', 'events', 'webhook_deliveries', 'charge order']
  const readTooMuch = async (): Promise<string[]> => {
    const found: string[] = []
    for (const name of long) {
      const { statements } = await explained(app.owner, async (source) => {
        const part = partsOfAll({ db: { ...app.owner, ...source }, recordMac: app.deps.recordMac }).find(
          (one) => one.name === name,
        )!
        return (await part.step({ home: 128, id: '00000000-0000-0000-0000-000000000000' }, rows))!.violations
      })
      for (const one of statements) if (one.rows > 12 * rows) found.push(`${name}, ${labelOf(one.words)}: ${one.rows} rows`)
    }
    return found
  }
  assert.deepEqual(await readTooMuch(), [])
  await app.owner.script('delete from pg_statistic; update pg_class set reltuples = -1, relpages = 0, relallvisible = 0')
  assert.deepEqual(await readTooMuch(), [], 'without statistics')
})

test('more new rows than are listed are all checked', async (t) => {
  const app = await startTestApp(t)
  const payments = 8_000
  await seedPast(app.owner, await makePages(app.db, 20), payments)
  await makeChargeCodes(app.owner, app.deps.recordMac)
  const check = async () => (await verify(app.db, { since: new Date(0) })).map(({ invariant }) => invariant)
  assert.deepEqual(await check(), [])
  for (const order of ['asc', 'desc']) {
    const spoil = (code: string) =>
      app.owner.script(`
        begin; set local session_replication_role = replica;
        update payments set failure_code = ${code} where id = (select id from payments where status = 'completed' order by created_at ${order} limit 1);
        commit`)
    await spoil(`'wrong_pin'`)
    assert.deepEqual(await check(), ['I9'], `the ${order === 'asc' ? 'first' : 'last'} one`)
    await spoil('null')
  }
})
