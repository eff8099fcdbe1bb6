/**
 * Real workers that are killed, asked to stop, cut off from notifications or delayed, with webhooks in flight: none is lost, and an
 * operator is notified.
 */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startWorker } from '../server/start/worker.ts'
import { startFleet } from './fleet.ts'
import { deliveriesOf, startShop } from './webhook-shop.ts'
import { eventually, startTestApp } from './app.ts'

test('SIGTERM of a worker: webhooks in flight finish, the rest is left for others, and a receiver that hangs does not delay the exit [W31]', async (t) => {
  const fleet = await startFleet(t, { WEBHOOK_DEADLINE_MS: '2000' })
  await fleet.api()
  const waiting: ServerResponse[] = []
  const { received, sell } = await startShop(t, fleet.app, (response) => void waiting.push(response))
  await sell(12)
  const first = await fleet.worker()
  await eventually('the most allowed are in flight', () => waiting.length === 8)
  const left = first.stop()
  for (const response of waiting.splice(0)) response.end()
  assert.equal(await left, 0)
  assert.equal(received.length, 8)
  const untouched = { status: 'pending', attempts: 0, leasedBy: null }
  const taken = Array.from({ length: 8 }, () => ({ status: 'delivered', attempts: 1, leasedBy: null }))
  assert.deepEqual(await deliveriesOf(fleet.app), [...taken, untouched, untouched, untouched, untouched])

  const second = await fleet.worker()
  await eventually('the rest is in flight', () => waiting.length === 4)
  const startedAt = Date.now()
  assert.equal(await second.stop(), 0)
  assert.ok(Date.now() - startedAt < 5_000, `${Date.now() - startedAt} ms`)
  const tried = { status: 'pending', attempts: 1, leasedBy: null }
  assert.deepEqual(await deliveriesOf(fleet.app), [...taken, tried, tried, tried, tried])
})

test('a worker whose listening connection is cut repeatedly finds due work within five seconds [W34]', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { received, sell } = await startShop(t, app, (response) => response.end())
  await sell(1)
  await eventually('the worker works', () => received.length === 1)
  const cut = () =>
    app.owner.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'malipo-listen' and datname = current_database()`,
    )
  await cut()
  await sell(1)
  await eventually(
    'it arrives without any news',
    async () => {
      await cut()
      return received.length === 2
    },
    5_000,
  )
})

test('a worker raises an alarm when its work has been due for more than a minute [W35]', async (t) => {
  const alarms: { level: string; event: string; oldest_due_seconds: number }[] = []
  const app = await startTestApp(t, {
    logLevel: 'error',
    logTo: (line) => {
      const entry = JSON.parse(line)
      if (entry.event === 'webhook.overdue') alarms.push(entry)
    },
  })
  const { received, sell } = await startShop(t, app, () => undefined)
  // More deliveries than one receiver gets at once: the last of them wait, however quickly the worker begins.
  await sell(12)
  await app.owner.pool.query(`update webhook_deliveries set next_attempt_at = clock_now() - interval '61 seconds'`)
  const worker = startWorker(app.deps)
  try {
    await eventually('an alarm is raised', () => alarms.length > 0)
    await eventually('it sends anyway', () => received.length === 8)
  } finally {
    await worker.stop(100)
  }
  assert.equal(alarms[0]!.level, 'error')
  assert.ok(alarms[0]!.oldest_due_seconds >= 61 && alarms[0]!.oldest_due_seconds < 70)
})
