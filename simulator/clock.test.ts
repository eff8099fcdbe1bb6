import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestSimulator } from './test-simulator.ts'

const hourMs = 3_600_000
const ahead = (ms: number): { now: string } => ({ now: new Date(Date.now() + ms).toISOString() })

test('moving the clock forward makes due work happen at once, and all times follow', async (t) => {
  const simulator = await startTestSimulator(t, { delayMs: 2 * hourMs, chargeLifetimeMs: 4 * hourMs })
  const paid = await simulator.create(simulator.order({ phone_number: '255712345789' }))
  const waiting = await simulator.create(simulator.order({ phone_number: '255712345678' }))
  assert.equal((await simulator.charge(paid.reference)).status, 'pending')
  assert.equal((await simulator.control('POST', '/clock', ahead(3 * hourMs))).status, 200)
  const after = await simulator.chargeWhen(paid.reference, 'the success', ({ webhooks }) => webhooks[0]?.state === 'delivered')
  assert.equal(after.status, 'completed')
  const timestamp = Number(simulator.receiver.received[0]!.headers['x-webhook-timestamp'])
  assert.ok(Math.abs(timestamp - (Date.now() + 3 * hourMs) / 1000) < 60, 'the webhook is signed at the time that it is')
  assert.equal((await simulator.charge(waiting.reference)).status, 'pending')
  await simulator.control('POST', '/clock', ahead(5 * hourMs))
  await simulator.chargeWhen(waiting.reference, 'the expiry', ({ status }) => status === 'expired')
})

test('the clock does not go back, and says when something is due next', async (t) => {
  const simulator = await startTestSimulator(t, { delayMs: hourMs })
  await simulator.create(simulator.order({ phone_number: '255712345789' }))
  await simulator.control('POST', '/clock', ahead(hourMs / 2))
  assert.equal((await simulator.control('POST', '/clock', ahead(0))).status, 409)
  assert.equal((await simulator.control('POST', '/clock', { now: 'tomorrow' })).status, 400)
  const { text } = await simulator.control('GET', '/clock')
  const { now, running, next_at: nextAt } = JSON.parse(text) as { now: string; running: number; next_at: string }
  assert.equal(running, 0)
  assert.ok(Math.abs(Date.parse(nextAt) - Date.parse(now) - hourMs / 2) < 60_000)
})
