/** The five-minute check of the books reads what has changed, however long the past is: counted in pages that PostgreSQL looked at, not in time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costOfCheck } from '../bench/check-cost.ts'
import { seedPast } from '../bench/seed.ts'
import { makePages, makePending, successOf } from '../bench/world.ts'
import { applySettlements } from '../server/payments/settle.sql.ts'
import { startWorld } from './world.ts'

const recentPayments = 400

async function pagesRead(t: Parameters<typeof startWorld>[0], payments: number): Promise<number> {
  const world = await startWorld(t)
  const pages = await makePages(world.db, 100)
  await seedPast(world.owner, pages, payments)
  const pending = await makePending(world.db, pages, recentPayments, world.deps.recordMac)
  await applySettlements(world.db, pending.map(successOf), '')
  await world.owner.script('vacuum analyze')
  const { pages: looked, violations } = await costOfCheck(world.db, new Date(Date.now() - 3_600_000))
  assert.deepEqual(violations, [])
  return looked
}

test('a check of what is new costs the same beside ten thousand payments and beside six times as many [T10]', async (t) => {
  const [short, long] = [await pagesRead(t, 10_000), await pagesRead(t, 60_000)]
  t.diagnostic(`${short} pages, ${long} pages: ${(long / short).toFixed(2)}`)
  assert.ok(long <= 1.2 * short && long >= 0.8 * short, `${short} pages, then ${long}`)
})
