import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../platform/process/log.ts'
import { countOverdueOwners } from './delivery.sql.ts'
import { watchBacklog } from './watch-backlog.ts'
import { startWebhookApi, until, type WebhookApi } from '../../../test/fixtures/webhook.ts'

const none = { waiting: 0, postponed: 0 }

/** The counts of owners, by environment. */
async function overdueOwners(app: WebhookApi): Promise<Record<string, object>> {
  const counts = await countOverdueOwners(app.db)
  return Object.fromEntries(counts.map(({ environment, ...count }) => [environment, count]))
}

type Alarm = { oldest_due_seconds: number; endpoint_id: string; postponements: number }

async function alarms(app: WebhookApi): Promise<Alarm[]> {
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
  await watchBacklog({ db: app.db, log })
  return raised
}

test('an alarm is raised when the oldest due webhook is more than a minute old, also when it waits for a slot [W35]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver(() => undefined)
  const person = await app.person()
  const { id } = await app.webhook(person, receiver.url)
  const config = { webhooks: { ...app.config.webhooks, perEndpointConcurrency: 1 } }
  assert.deepEqual(await alarms(app), [])
  await app.complete(person, 2)
  app.send({ config })
  await until('one is in flight, the other has no slot', () => receiver.requests.length === 1)
  await app.moveClock(58)
  assert.deepEqual(await alarms(app), [])
  await app.moveClock(75)
  const [alarm, ...more] = await alarms(app)
  assert.deepEqual([more.length, alarm!.endpoint_id, alarm!.postponements], [0, id, 0])
  assert.ok(alarm!.oldest_due_seconds >= 75 && alarm!.oldest_due_seconds < 80, String(alarm!.oldest_due_seconds))
})

test('an alarm is raised for a due delivery that no sender claims, and not for one that is finished or not yet due [W35]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response, _request, count) => response.writeHead(count === 1 ? 200 : 500).end())
  const person = await app.person()
  const { appId } = await app.webhook(person, receiver.url)
  await app.complete(person, 2)
  const sender = app.send()
  await until('one is delivered, one waits for its next attempt', async () => (await app.attempts()).length === 2)
  await sender.stop()
  // The delivered one has finished. The other is due in thirty seconds, and overdue a minute later.
  await app.moveClock(85)
  assert.deepEqual(await alarms(app), [])
  await app.moveClock(95)
  assert.equal((await alarms(app)).length, 1)
  await app.call('DELETE', `/developers/apps/${appId}/webhook`, { token: person.token })
  assert.deepEqual(await alarms(app), [])
})

test('a delivery that our own faults postpone again and again is overdue from the time when it was first due [W35]', async (t) => {
  const app = await startWebhookApi(t)
  app.names.set('shop.example', ['127.0.0.1'])
  const receiver = await app.receiver((response) => response.writeHead(500).end())
  const person = await app.person()
  const { id } = await app.webhook(person, `http://shop.example:${receiver.port}/`)
  await app.complete(person)
  const sender = app.send()
  await until('the first attempt failed', async () => (await app.attempts()).length === 1)
  app.names.set('shop.example', Object.assign(new Error('servfail'), { code: 'ESERVFAIL' }))
  for (const [seconds, expected] of [
    [31, undefined],
    [70, undefined],
    [130, 100],
  ] as const) {
    await app.moveClock(seconds)
    const before = (await app.deliveries())[0]!.postponements
    sender.wake()
    await until('it is postponed again', async () => (await app.deliveries())[0]!.postponements === before + 1)
    const [alarm] = await alarms(app)
    assert.ok((await app.deliveries())[0]!.secondsLeft! > 0)
    if (expected === undefined) assert.deepEqual([alarm, await overdueOwners(app)], [undefined, { live: none, test: none }])
    else {
      assert.deepEqual([alarm!.endpoint_id, alarm!.postponements], [id, 3])
      assert.ok(Math.abs(alarm!.oldest_due_seconds - expected) < 3, String(alarm!.oldest_due_seconds))
      // Its owner counts once, also when a delivery that was not tried yet waits behind it.
      await sender.stop()
      await app.complete(person)
      await app.moveClock(seconds + 75)
      assert.deepEqual(await overdueOwners(app), { live: none, test: { waiting: 0, postponed: 1 } })
    }
  }
})

test('the owners whose webhooks are overdue are counted: one slow endpoint is one owner, however many deliveries and endpoints wait', async (t) => {
  const app = await startWebhookApi(t)
  const hanging = await app.receiver(() => undefined)
  const [one, other] = [await app.person(), await app.person()]
  await app.webhook(one, hanging.url)
  await app.webhook(one, hanging.url)
  await app.webhook(other, hanging.url)
  await app.complete(one, 3)
  assert.deepEqual(await overdueOwners(app), { live: none, test: none })
  await app.moveClock(75)
  assert.deepEqual(await overdueOwners(app), { live: none, test: { waiting: 1, postponed: 0 } })
  await app.complete(other)
  assert.deepEqual(await overdueOwners(app), { live: none, test: { waiting: 1, postponed: 0 } }, 'the second has just become due')
  await app.moveClock(150)
  assert.deepEqual(await overdueOwners(app), { live: none, test: { waiting: 2, postponed: 0 } })
  await app.webhook(other, hanging.url, 'live')
  await app.complete(other, 1, 'live')
  await app.moveClock(225)
  assert.deepEqual(await overdueOwners(app), { live: { waiting: 1, postponed: 0 }, test: { waiting: 2, postponed: 0 } })
})
