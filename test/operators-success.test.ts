/** The chart of success by hour: it counts what ended, by network, and costs the same after any history. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSuccessByHour, shownHours } from '../server/operations/operators/success-by-hour.ts'
import { sql } from '../server/platform/db/db.ts'
import { seedHistory } from './fixtures/history.ts'
import { startTestApp } from './app.ts'

test('each network has its completed and failed payments in the hour in which they began', async (t) => {
  const app = await startTestApp(t)
  const [admin, student] = [await app.admin(), await app.student()]
  const page = await app.page(student, { amount: 2_000 })
  // The last digits of a number tell the simulator how its payer answers.
  for (const phone of ['+255754123789', '+255754123789', '+255754123049', '+255784123789']) {
    await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
  }
  await app.checkout(page.slug, { phone_number: '+255754000111' })
  const { status, body } = await app.call('GET', '/v1/admin/networks/success', { token: admin.token })
  assert.equal(status, 200, JSON.stringify(body))
  const counted = body.data.map(({ environment, network, hours }: any) => {
    assert.equal(hours.length, shownHours)
    const sum = (of: string) => hours.reduce((total: number, hour: Record<string, number>) => total + hour[of]!, 0)
    const first = Date.parse(hours[0].begins)
    hours.forEach(({ begins }: { begins: string }, place: number) => assert.equal(Date.parse(begins), first + place * 3_600_000))
    // The payments may have begun on both sides of a full hour.
    const recent = hours.slice(-2).reduce((total: number, hour: any) => total + hour.completed + hour.failed, 0)
    assert.equal(recent, sum('completed') + sum('failed'))
    return [environment, network, sum('completed'), sum('failed')]
  })
  assert.deepEqual(counted, [
    ['test', 'mpesa', 2, 1],
    ['test', 'airtel', 1, 0],
  ])
})

test('the chart of success reads no payment that began before its hours', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  await seedHistory(app, page.id, { count: 3000, amount: 500, firstAt: '2026-01-01T00:00:00.000Z', everySeconds: 60 })
  await app.owner.pool.query('analyze payments')
  const rowsRead = await app.db.snapshot(async (db) => {
    const count = async (): Promise<number> => {
      const [read] = await db.rows<{ count: number }>(sql`
        select sum(seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_all_tables where relname = 'payments'`)
      return read!.count
    }
    const before = await count()
    assert.deepEqual(await readSuccessByHour(db), [])
    return (await count()) - before
  })
  assert.equal(rowsRead, 0)
})
