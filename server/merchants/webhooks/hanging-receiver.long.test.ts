/** Measures how long webhooks wait while another receiver hangs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { toWire } from '../../platform/ids.ts'
import { startWebhookApi, until, type ReceivedRequest } from '../../../test/fixtures/webhook.ts'

const idOf = (received: ReceivedRequest): string => (JSON.parse(received.body) as { id: string }).id

test('two hundred webhooks a second to a receiver that hangs do not delay two hundred a second to another [W24]', async (t) => {
  const app = await startWebhookApi(t)
  const [hanging, quick] = [await app.receiver(() => undefined), await app.receiver()]
  const [victim, other] = [await app.person(), await app.person()]
  await app.webhook(victim, hanging.url)
  await app.webhook(other, quick.url)
  const sender = app.send()
  const completedAt = new Map<string, number>()
  const [ticks, perTick, tickMs] = [60, 10, 50]
  const startedAt = Date.now()
  for (let tick = 0; tick < ticks; tick += 1) {
    await sleep(Math.max(0, startedAt + tick * tickMs - Date.now()))
    await app.complete(victim, perTick)
    const at = Date.now()
    for (const id of await app.complete(other, perTick)) completedAt.set(toWire('evt', id), at)
    sender.wake()
  }
  await until('the others are delivered', () => quick.requests.length === ticks * perTick)
  const waited = quick.requests
    .map((received) => received.at - completedAt.get(idOf(received))!)
    .toSorted((one, two) => one - two)
  const p99 = waited[Math.floor(waited.length * 0.99)]!
  t.diagnostic(`p50 ${waited[waited.length / 2]} ms, p99 ${p99} ms`)
  assert.ok(p99 < 1_000, `p99 is ${p99} ms`)
  assert.equal(hanging.requests.length, app.config.webhooks.perEndpointConcurrency)
})
