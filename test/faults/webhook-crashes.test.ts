/**
 * Workers that die at each step of sending a webhook: the event is delivered, under one id, and again only when its outcome is
 * unknown.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { startFleet } from '../fleet.ts'
import { deliveriesOf, startShop } from '../webhook-shop.ts'
import { eventually } from '../app.ts'
import type { Step } from './start-with-faults.ts'

const sendingSteps: [step: Step, sentence: string, receivedBefore: number, receivedAfter: number][] = [
  ['after D1', 'after it took an event and before it sent it: it is sent once, by another one', 0, 1],
  ['after D2', 'between the answer of a receiver and its record: the event comes again under the same id, and is not lost', 1, 2],
  ['before D3', 'just before the record: the event comes again under the same id', 1, 2],
  ['after D3', 'after the record: the event does not come again', 1, 1],
]

for (const [step, sentence, receivedBefore, receivedAfter] of sendingSteps) {
  test(`kill -9 of a worker ${sentence} [W21]`, async (t) => {
    const fleet = await startFleet(t)
    await fleet.api()
    const { received, secret, sell } = await startShop(t, fleet.app, (response) => response.end())
    const first = await fleet.worker(step)
    await sell(1)
    await first.reached
    await first.kill()
    assert.equal(received.length, receivedBefore)
    if (step !== 'after D3') {
      const [left] = await deliveriesOf(fleet.app)
      assert.deepEqual([left!.status, left!.attempts, left!.leasedBy === null], ['pending', 0, false])
      // Rows that become due at the end of the lease are due now.
      await fleet.app.owner.pool.query(`update webhook_deliveries set lease_until = clock_now() - interval '1 second'`)
    }
    const second = await fleet.worker()
    await eventually('it is delivered', async () => (await deliveriesOf(fleet.app))[0]!.status === 'delivered')
    assert.equal(await second.stop(), 0)
    assert.equal(received.length, receivedAfter)
    assert.equal(new Set(received.map(({ body }) => body)).size, 1)
    for (const { body, timestamp, signature } of received) {
      assert.equal(signature, createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'))
    }
    const { rows } = await fleet.app.owner.pool.query('select attempt, outcome from webhook_attempts')
    assert.deepEqual(rows, [{ attempt: 1, outcome: 'succeeded' }])
  })
}
