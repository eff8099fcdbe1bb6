/** Measures the cost of the wallet summary with a long and busy history. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/app.ts'
import { seedHistory } from './history-fixture.ts'

test('with 100,000 payments in its two periods, and as many before, a summary answers within 300 ms', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  const firstAt = new Date(Date.now() - 120 * 86_400_000).toISOString()
  await seedHistory(app, page.id, { count: 200_000, amount: 500, firstAt, everySeconds: 51.8 })
  const times: number[] = []
  for (let turn = 0; turn < 7; turn += 1) {
    const startedAt = performance.now()
    const answer = await app.call('GET', '/v1/merchant/summary?environment=test', { token: student.token })
    times.push(performance.now() - startedAt)
    assert.equal(answer.status, 200)
    // Twenty-nine whole days plus the part of today so far.
    assert.ok(answer.body.data.last_30_days.count > 48_000)
  }
  const median = times.toSorted((a, b) => a - b)[3]!
  t.diagnostic(`${median.toFixed(1)} ms`)
  assert.ok(median < 300, `${median} ms`)
})
