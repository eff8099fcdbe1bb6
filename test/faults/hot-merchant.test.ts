/** One wallet that receives five hundred payments a second. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewPayment } from '../../server/collect/payments/payment.sql.ts'
import { openShop, sentPayments } from '../fixtures/payments.ts'
import { toWire } from '../../server/platform/ids.ts'
import { sign } from '../../simulator/webhooks.ts'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { readBooks } from './shop.ts'

const perSecond = 500
const seconds = 8

test('five hundred credits a second to one wallet: each is booked once, none fails, the slowest hundredth waits under a second [F48]', async (t) => {
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' })
  const { app } = fleet
  const api = await fleet.api()
  const payments = await sentPayments(app, await openShop(app), perSecond * seconds)

  const secret = app.settings['SNIPPE_TEST_WEBHOOK_SECRETS']!
  const times: number[] = []
  const statuses = new Map<number, number>()
  async function report(payment: NewPayment): Promise<void> {
    const type = 'payment.completed'
    const body = JSON.stringify({
      id: `evt-${payment.providerKey}`,
      type,
      api_version: '2026-01-25',
      created_at: new Date().toISOString(),
      data: {
        reference: `ref-${payment.providerKey}`,
        status: 'completed',
        amount: { value: payment.amount, currency: 'TZS' },
        metadata: { malipo_payment: toWire('pay', payment.id) },
      },
    })
    const timestamp = Math.floor(Date.now() / 1000)
    const startedAt = performance.now()
    const response = await fetch(`${api.url}/v1/providers/snippe/test/webhook`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-webhook-event': type,
        'x-webhook-timestamp': String(timestamp),
        'x-webhook-signature': sign(secret, timestamp, body),
      },
      body,
    })
    await response.arrayBuffer()
    times.push(performance.now() - startedAt)
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  }
  // By the clock and not by the answers: a slow service gets no less work.
  const beganAt = performance.now()
  const reports: Promise<void>[] = []
  for (const payment of payments) {
    const dueMs = (reports.length / perSecond) * 1000 - (performance.now() - beganAt)
    if (dueMs > 2) await new Promise((resolve) => setTimeout(resolve, dueMs))
    reports.push(report(payment))
  }
  await Promise.all(reports)
  const reportedMs = performance.now() - beganAt
  await eventually('all are credited', async () => (await readBooks(app)).completed === payments.length, 10_000)
  const creditedMs = performance.now() - beganAt
  assert.deepEqual([...statuses], [[200, payments.length]])
  assert.deepEqual(await readBooks(app), {
    payments: payments.length,
    completed: payments.length,
    unfinished: 0,
    failed: 0,
    credited: payments.length * 1500,
    events: payments.length,
  })
  const slowest = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)]!
  process.stdout.write(
    `${Math.round((payments.length / reportedMs) * 1000)} a second, 99 of 100 within ${Math.round(slowest)} ms, the last credit ${Math.round(creditedMs - reportedMs)} ms after the last message\n`,
  )
  assert.ok(slowest < 1_000, `${slowest} ms`)
  assert.ok(creditedMs - reportedMs < 1_000, `${creditedMs - reportedMs} ms`)
})
