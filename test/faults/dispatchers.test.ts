/** Webhook senders that are killed at any point: every event is delivered, under one id each. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { kills } from './kills.ts'
import { insistToPay, readBooks, startReceiver } from './shop.ts'

test('random kills of webhook senders: no event is missing, none has two ids [F44]', async (t) => {
  // The work of a dead sender is due again after its deadline and ten seconds.
  const fleet = await startFleet(t, { RATE_LIMITS: 'off', WEBHOOK_DEADLINE_MS: '1000' })
  const { app } = fleet
  const api = await fleet.api()
  const student = await app.student()
  const { appId } = await app.key(student)
  const receiver = await startReceiver(t, 30)
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url: receiver.url } })
  const page = await app.page(student)
  let killed = 0
  const payments = (async () => {
    // Spread over all the kills, so that each may interrupt some work.
    for (let count = 0; killed < kills; count += 1) {
      await insistToPay(() => api.url, page.slug, `event-${count}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  let interrupted = 0
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      while (killed < kills) {
        const dispatcher = await fleet.dispatcher()
        await new Promise((resolve) => setTimeout(resolve, randomInt(10, 300)))
        await dispatcher.kill()
        killed += 1
        const { rows } = await app.owner.pool.query(`select from webhook_deliveries where leased_by is not null limit 1`)
        interrupted += rows.length
      }
    }),
  )
  await payments
  const { payments: made } = await readBooks(app)
  await eventually('all are paid', async () => (await readBooks(app)).events === made, 60_000)
  await fleet.dispatcher()
  await eventually('every event is received', () => receiver.received.size === made, 60_000)
  await eventually(
    'and written down',
    async () => {
      const { rows } = await app.owner.pool.query(`select from webhook_deliveries where status <> 'delivered' limit 1`)
      return rows.length === 0
    },
    60_000,
  )
  for (const ids of receiver.received.values()) assert.equal(ids.size, 1)
  assert.equal(new Set([...receiver.received.values()].flatMap((ids) => [...ids])).size, made)
  assert.ok(interrupted > kills / 10, `${interrupted} of ${killed} kills came in the middle of something`)
  process.stdout.write(`${made} events, ${killed} kills, ${interrupted} of them in the middle of something\n`)
})
