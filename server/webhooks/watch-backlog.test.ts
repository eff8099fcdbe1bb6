import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../platform/process/log.ts'
import { watchBacklog } from './watch-backlog.ts'
import { startWebhookApi, until, type WebhookApi } from './webhook-fixture.ts'

type Alarm = { oldest_due_seconds: number; endpoint_id: string; postponements: number }

async function alarms(world: WebhookApi): Promise<Alarm[]> {
  const raised: Alarm[] = []
  const nothing = (): void => undefined
  const log: Log = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (event, _error, fields) => {
      assert.deepEqual([event, fields!['alert']], ['webhook.overdue', true])
      raised.push(fields as Alarm)
    },
  }
  await watchBacklog({ db: world.db, log })
  return raised
}

test('an alarm is raised when the oldest due webhook is more than a minute old, also when it waits for a slot [W35]', async (t) => {
  const world = await startWebhookApi(t)
  const receiver = await world.receiver(() => undefined)
  const person = await world.person()
  const { id } = await world.webhook(person, receiver.url)
  const config = { webhooks: { ...world.config.webhooks, perEndpointConcurrency: 1 } }
  assert.deepEqual(await alarms(world), [])
  await world.complete(person, 2)
  world.send({ config })
  await until('one is in flight, the other has no slot', () => receiver.requests.length === 1)
  await world.moveClock(58)
  assert.deepEqual(await alarms(world), [])
  await world.moveClock(75)
  const [alarm, ...more] = await alarms(world)
  assert.deepEqual([more.length, alarm!.endpoint_id, alarm!.postponements], [0, id, 0])
  assert.ok(alarm!.oldest_due_seconds >= 75 && alarm!.oldest_due_seconds < 80, String(alarm!.oldest_due_seconds))
})

test('an alarm is raised for a due delivery that no sender claims, and not for one that is finished or not yet due [W35]', async (t) => {
  const world = await startWebhookApi(t)
  const receiver = await world.receiver((response, _request, count) => response.writeHead(count === 1 ? 200 : 500).end())
  const person = await world.person()
  const { appId } = await world.webhook(person, receiver.url)
  await world.complete(person, 2)
  const sender = world.send()
  await until('one is delivered, one waits for its next attempt', async () => (await world.attempts()).length === 2)
  await sender.stop()
  // The delivered one has finished. The other is due in thirty seconds, and overdue a minute later.
  await world.moveClock(85)
  assert.deepEqual(await alarms(world), [])
  await world.moveClock(95)
  assert.equal((await alarms(world)).length, 1)
  await world.call('DELETE', `/developers/apps/${appId}/webhook`, { token: person.token })
  assert.deepEqual(await alarms(world), [])
})

test('a delivery that our own faults postpone again and again is overdue from the time when it was first due [W35]', async (t) => {
  const world = await startWebhookApi(t)
  world.names.set('shop.example', ['127.0.0.1'])
  const receiver = await world.receiver((response) => response.writeHead(500).end())
  const person = await world.person()
  const { id } = await world.webhook(person, `http://shop.example:${receiver.port}/`)
  await world.complete(person)
  const sender = world.send()
  await until('the first attempt failed', async () => (await world.attempts()).length === 1)
  world.names.set('shop.example', Object.assign(new Error('servfail'), { code: 'ESERVFAIL' }))
  for (const [seconds, expected] of [
    [31, undefined],
    [70, undefined],
    [130, 100],
  ] as const) {
    await world.moveClock(seconds)
    const before = (await world.deliveries())[0]!.postponements
    sender.wake()
    await until('it is postponed again', async () => (await world.deliveries())[0]!.postponements === before + 1)
    const [alarm] = await alarms(world)
    assert.ok((await world.deliveries())[0]!.secondsLeft! > 0)
    if (expected === undefined) assert.equal(alarm, undefined)
    else {
      assert.deepEqual([alarm!.endpoint_id, alarm!.postponements], [id, 3])
      assert.ok(Math.abs(alarm!.oldest_due_seconds - expected) < 3, String(alarm!.oldest_due_seconds))
    }
  }
})
