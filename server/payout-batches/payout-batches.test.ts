/** Payout batches over real HTTP against the simulator: from the file to the last payout. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startTestApp } from '../../test/app.ts'
import { balance, providersOf } from '../payouts/payouts-fixture.ts'
import { ended, fileOf, itemsOf, richStudent, running, uploadCsv } from './batches-fixture.ts'

test('a file becomes a draft, a person approves it, and every row is paid once', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await richStudent(app)
  const { key } = student
  const batch = await running(app, student, fileOf(30))
  assert.deepEqual([batch.status, batch.rows, batch.total], ['running', 30, 300_000])
  const done = await ended(app, key, batch.id)
  assert.deepEqual(done.progress, { waiting: 0, sent: 0, completed: 30, failed: 0, cancelled: 0, paid_amount: 300_000 })
  assert.deepEqual(await balance(app, key), [5_000_000 - done.total_debited, 0])
  const items = await itemsOf(app, key, batch.id)
  assert.deepEqual(
    items.map(({ row, line, status }) => [row, line, status]),
    items.map((_, index) => [index + 1, index + 2, 'completed']),
  )
  const there = await providersOf(app)
  assert.equal(there.length, 30)
  const repeated = await uploadCsv(app, key, fileOf(30), { key: randomUUID() })
  assert.deepEqual(repeated.body.data.warnings, [{ code: 'same_file', batch_id: batch.id, created_at: batch.created_at }])
})
