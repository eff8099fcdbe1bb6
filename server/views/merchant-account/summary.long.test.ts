/** Measures the cost of the wallet summary with a long and busy history. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { closeDay } from '../../assurance/invariants/close-days.ts'
import { seedHistory } from '../../../test/fixtures/history.ts'
import { sumDay } from './sum-days.ts'

test('with 100,000 payments in its two periods, and as many before, a summary answers within 300 ms, and a year of stored days within 300 ms', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  const firstAt = new Date(Date.now() - 120 * 86_400_000).toISOString()
  await seedHistory(app, page.id, { count: 200_000, amount: 500, firstAt, everySeconds: 51.8 })
  const median = async (query: string, least: number): Promise<number> => {
    const times: number[] = []
    for (let turn = 0; turn < 7; turn += 1) {
      const startedAt = performance.now()
      const answer = await app.call('GET', `/v1/merchant/summary?environment=test${query}`, { token: student.token })
      times.push(performance.now() - startedAt)
      assert.equal(answer.status, 200)
      assert.ok(answer.body.data.period.count >= least, query)
    }
    return times.toSorted((a, b) => a - b)[3]!
  }
  const day = (daysAgo: number) => new Date(Date.now() + (3 - 24 * daysAgo) * 3_600_000).toISOString().slice(0, 10)
  const year = `&from=${day(365)}&to=${day(0)}`
  const before = {
    recent: await median('', 48_000),
    quarter: await median('&period=last_90_days', 148_000),
    year: await median(year, 200_000),
  }
  while (await closeDay(app.deps));
  while (await sumDay(app.deps));
  // Twenty-nine whole days plus the part of today so far.
  const after = {
    recent: await median('', 48_000),
    quarter: await median('&period=last_90_days', 148_000),
    year: await median(year, 200_000),
  }
  t.diagnostic(JSON.stringify({ before, after }))
  assert.ok(after.recent < 300, `${after.recent} ms`)
  assert.ok(after.year < 300, `${after.year} ms`)
})
