import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createTestDatabase } from '../../../test/databases.ts'
import { count, countWithin } from './counts.sql.ts'
import { openDb, sql, type Db, type Runner } from './db.ts'

async function openDatabase(t: TestContext): Promise<Db> {
  const database = await createTestDatabase()
  const db = openDb({
    url: database.url,
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    applicationName: 'test',
    onError: () => undefined,
  })
  t.after(async () => {
    await db.close()
    await database.drop()
  })
  return db
}

test('a call that began before the window did counts in it, and opens no new one', async (t) => {
  const db = await openDatabase(t)
  for (const windowMs of [1_000_000, 3_600_000]) {
    const counts = [
      (runner: Runner) => count(runner, `count ${windowMs}`, 1, windowMs),
      (runner: Runner) => countWithin(runner, `within ${windowMs}`, { quota: 5, kept: 0, windowMs }),
    ]
    for (const take of counts) {
      const later = await db.tx(async (early) => {
        // The time of a transaction is that of its first statement: as of one that waits for the row while another call counts.
        await early.rows(sql`select pg_sleep(0.01)`)
        await take(db)
        return take(early)
      })
      assert.equal(later.count, 2)
    }
  }
})

test('a refund subtracts nothing from a window that began after its call', async (t) => {
  const db = await openDatabase(t)
  const first = await count(db, 'tries', 1, 1)
  await db.rows(sql`select pg_sleep(0.01)`)
  const second = await count(db, 'tries', 1, 3_600_000)
  assert.equal((await count(db, 'tries', -1, 3_600_000, first.window)).count, 1)
  assert.equal((await count(db, 'tries', -1, 3_600_000, second.window)).count, 0)
})
