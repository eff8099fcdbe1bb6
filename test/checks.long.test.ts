/** The five-minute check of the books reads what has changed, however long the past is: counted in rows that PostgreSQL read, not in time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costOfCheck } from '../bench/check-cost.ts'
import { seedPast } from '../bench/seed.ts'
import { makePages, makePending, successOf } from '../bench/world.ts'
import { applySettlements } from '../server/payments/settle.sql.ts'
import { startWorld } from './world.ts'

const recentPayments = 400

async function rowsRead(t: Parameters<typeof startWorld>[0], payments: number): Promise<number> {
  const world = await startWorld(t)
  const pages = await makePages(world.db, 100)
  await seedPast(world.owner, pages, payments)
  const pending = await makePending(world.db, pages, recentPayments, world.deps.recordMac)
  await applySettlements(world.db, pending.map(successOf), '')
  await world.owner.script('vacuum analyze')
  const { rows, violations } = await costOfCheck(world.db, new Date(Date.now() - 3_600_000))
  assert.deepEqual(violations, [])
  return rows
}

test('a check of what is new costs no more beside sixty thousand payments than beside ten thousand [T10]', async (t) => {
  const [short, long] = [await rowsRead(t, 10_000), await rowsRead(t, 60_000)]
  t.diagnostic(`${short} rows, ${long} rows: ${(long / short).toFixed(2)}`)
  // Less is no fault: small tables are read whole where large ones are looked into.
  assert.ok(long <= 1.2 * short, `${short} rows, then ${long}`)
})
